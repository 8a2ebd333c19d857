import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("writes rows as lines, with quotation marks if necessary", () => {
  expect(
    toCsv([
      { a: 1, b: 'say "hi", now' },
      { a: -2, b: "two\nlines" },
    ]),
  ).toBe('a,b\r\n1,"say ""hi"", now"\r\n-2,"two\nlines"\r\n');
});

test("disarms a text that a spreadsheet would execute, and leaves numbers unchanged", () => {
  expect(toCsv([{ a: "=1+1", b: "@x", c: -3 }])).toBe("a,b,c\r\n'=1+1,'@x,-3\r\n");
});
