import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { createLineSplitter, type Line } from "./json-lines.ts";

function split(pieces: readonly Buffer[], longest?: number) {
  const lines: (Omit<Line, "bytes"> & { text: string | undefined })[] = [];
  const splitter = createLineSplitter(
    ({ bytes, ...line }) => lines.push({ ...line, text: bytes?.toString("utf8") }),
    longest,
  );
  for (const piece of pieces) splitter.push(piece);
  splitter.finish();
  return lines;
}

test("splits lines the same way however the file is divided into pieces", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("\n", "a", "é", "日本", "\r\n", '{"x":1}'), { maxLength: 40 }),
      fc.array(fc.nat({ max: 200 }), { maxLength: 10 }),
      (parts, cuts) => {
        const bytes = Buffer.from(parts.join(""));
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((to, n) => bytes.subarray(places[n], to));
        const found = split(pieces);
        expect(found).toEqual(split([bytes]));
        const texts = bytes.toString("utf8").split("\n");
        const isOpen = texts.at(-1) !== "";
        expect(found.map(({ text }) => text)).toEqual(isOpen ? texts : texts.slice(0, -1));
        expect(found.map(({ open }) => open)).toEqual(found.map((_, n) => isOpen && n === found.length - 1));
        for (const { start, length, text } of found)
          expect(bytes.subarray(start, start + length).toString("utf8")).toBe(text);
      },
    ),
  );
});

test("skips a line that is too long, whole or in pieces, and reads the next one", () => {
  const long = "x".repeat(11);
  const expected = [
    { text: undefined, number: 1, start: 0, length: 11, open: false },
    { text: "short", number: 2, start: 12, length: 5, open: true },
  ];
  expect(split([Buffer.from(`${long}\nshort`)], 10)).toEqual(expected);
  expect(
    split(
      [...`${long}\nshort`].map((character) => Buffer.from(character)),
      10,
    ),
  ).toEqual(expected);
});
