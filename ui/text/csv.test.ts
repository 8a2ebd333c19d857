import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("rows become lines, quoted where they must be", () => {
  expect(
    toCsv([
      { a: 1, b: 'say "hi", now' },
      { a: -2, b: "two\nlines" },
    ]),
  ).toBe('a,b\r\n1,"say ""hi"", now"\r\n-2,"two\nlines"\r\n');
});

test("a text that a spreadsheet would run is made harmless, a number stays one", () => {
  expect(toCsv([{ a: "=1+1", b: "@x", c: -3 }])).toBe("a,b,c\r\n'=1+1,'@x,-3\r\n");
});
