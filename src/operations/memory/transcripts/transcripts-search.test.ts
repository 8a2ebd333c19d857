import { expect, test } from "vitest";
import fc from "../../../../tests/support/fast-check.ts";
import { createLinePreCheck } from "./transcripts-search.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "/", '"', "\\", "\n", "é", "日", "😀", "\u0007", " "), { maxLength: 8 })
  .map((parts) => parts.join(""));

/** Rewrites JSON in the ways in which other programs write it. */
const spellings: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => json.replaceAll("/", "\\/"),
  (json) => json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
];

test("never skips a line that contains the words, however it is encoded", () => {
  fc.assert(
    fc.property(text, text, text, fc.constantFrom(...spellings), (before, wanted, after, spell) => {
      const line = Buffer.from(spell(JSON.stringify({ text: before + wanted + after })));
      expect(createLinePreCheck(wanted)(line)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("skips a line without the words", () => {
  expect(createLinePreCheck("needle")(Buffer.from('{"text":"hay"}'))).toBe(false);
});
