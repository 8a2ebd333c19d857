import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { cutAt } from "../framing/cut-at.testing.ts";
import { createLineReader, type IncomingLine } from "./stdio-transport.ts";

function readLines(chunks: Uint8Array[], limit?: number): (string | IncomingLine)[] {
  const reader = createLineReader(limit);
  const lines = [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
  return lines.map((line) => ("line" in line ? Buffer.from(line.line).toString() : line));
}

test("splits the input into lines however the bytes arrive", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "é", "😀", " ", "\t", '"', "{"), maxLength: 12 });
  const text = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n"))).map((lines) => lines.flat().join(""));
  fc.assert(
    fc.property(text, line, fc.array(fc.nat()), (finished, unfinished, cuts) => {
      const whole = finished + unfinished;
      const expected = whole.split(/\r?\n/).filter((text) => /[^ \t]/.test(text));
      expect(readLines(cutAt(Buffer.from(whole), cuts))).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

describe("a line beyond the limit", () => {
  test("is reported with its size and ID, and the lines around it are read", () => {
    const long = JSON.stringify({ params: "x".repeat(50), id: "last" });
    const text = `{"id":1}\n${long}\n{"id":2}\n`;
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        const oversize = { id: "last", bytes: long.length };
        expect(readLines(cutAt(Buffer.from(text), cuts), 20)).toEqual(['{"id":1}', { oversize }, '{"id":2}']);
      }),
    );
  });

  test("is also reported at the end of the input", () => {
    expect(readLines([Buffer.from(`{"id":1,"a":"${"x".repeat(50)}`)], 20)).toEqual([
      { oversize: { id: 1, bytes: 63 } },
    ]);
  });

  test("is at least one byte longer than the limit", () => {
    const limit = 4 * 1024 * 1024;
    const longest = Buffer.alloc(limit + 1, "x");
    longest[limit] = 0x0a;
    expect(createLineReader().push(longest)).toHaveLength(1);
    expect(createLineReader().push(Buffer.concat([Buffer.from("x"), longest]))).toEqual([
      { oversize: { id: null, bytes: limit + 1 } },
    ]);
  });
});

test("reads a line that arrives byte by byte", () => {
  const reader = createLineReader();
  const byte = Buffer.from("x");
  for (let count = 0; count < 1_000_000; count += 1) reader.push(byte);
  const [whole] = reader.push(Buffer.from("\n"));
  const isWhole = whole !== undefined && "line" in whole && Buffer.alloc(1_000_000, byte).equals(whole.line);
  expect(isWhole).toBe(true);
});

test("does not change a line that it has already returned", () => {
  const reader = createLineReader();
  reader.push(Buffer.from("fir"));
  const [first] = reader.push(Buffer.from("st\nsec"));
  reader.push(Buffer.from("ond\n"));
  expect(first).toEqual({ line: new Uint8Array(Buffer.from("first")) });
});
