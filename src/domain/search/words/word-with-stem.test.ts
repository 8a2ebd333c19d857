import { expect, test } from "vitest";
import { stem } from "./porter.ts";
import { wordWithStem } from "./word-with-stem.ts";

test.each(["pool", "agre", "relat", "poni", "happi", "hope", "日本", "x".repeat(70)])(
  "%s is the stem of the word that stands for it",
  (term) => expect(stem(wordWithStem(term) ?? "")).toBe(term),
);

test("a stem that would be stemmed further is reached by another word", () => {
  expect(stem("agre")).toBe("agr");
  expect(wordWithStem("agre")).toBe("agree");
});
