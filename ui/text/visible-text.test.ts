import { expect, test } from "vitest";
import { splitHidden, toVisible } from "./visible-text.ts";

test("shows characters that hide, reorder or smuggle text", () => {
  expect(toVisible("a\u202eb")).toBe("a[U+202E]b");
  expect(toVisible("a\u200b\u2066\u0007\u00ad")).toBe("a[U+200B][U+2066][U+0007][U+00AD]");
  expect(toVisible(`x${String.fromCodePoint(0xe0041, 0xe0101)}`)).toBe("x[U+E0041][U+E0101]");
  expect(toVisible("\ud800")).toBe("[U+D800]");
  expect(toVisible("o\ufe00k\ufe0f\u2800")).toBe("o[U+FE00]k[U+FE0F][U+2800]");
});

test("leaves ordinary text unchanged", () => {
  for (const text of ["tab\tand\nnewline", "👩‍💻 ❤️", "می‌خواهم", "naïve – “quoted” … ∴ →"])
    expect(toVisible(text)).toBe(text);
});

test("splits a text into visible and hidden runs, in order", () => {
  expect(splitHidden("a\u200eb")).toEqual([{ text: "a" }, { hidden: "U+200E" }, { text: "b" }]);
  expect(splitHidden("")).toEqual([]);
});
