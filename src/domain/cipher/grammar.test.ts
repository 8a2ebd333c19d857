import { describe, expect, it } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { type CipherStatement, type CipherType, cipherTypes, type ReferenceTarget } from "./notation.ts";
import { formatStep, parseCipher } from "./parse.ts";

const formatCipher = (steps: readonly CipherStatement[]): string => steps.map(formatStep).join("\n");

const number = fc.integer({ min: 1, max: 1_000_000 });
const fieldReference: fc.Arbitrary<ReferenceTarget> = fc
  .record({
    first: fc.integer({ min: 1, max: 999_000 }),
    length: fc.integer({ min: 1, max: 200 }),
    branchId: fc.constantFrom(undefined, "alt", "s1", "7", "try-2"),
    revises: fc.boolean(),
  })
  .map(({ first, length, branchId, revises }) => ({
    number: first,
    ...(length > 1 && { to: first + length - 1 }),
    ...(branchId !== undefined && { branchId }),
    revises,
    inline: false,
  }));
const content = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "S1",
        "|",
        "[S5]",
        "^[S6]",
        "S1-S900",
        "alt:S2",
        "[alt:S2]",
        ",",
        " ",
        "\n",
        "\r\n",
        "S3|H|",
        "⊖",
        "    ",
        "^",
        "[",
        "]",
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const statement: fc.Arbitrary<CipherStatement> = fc.record({
  number,
  type: fc.constantFrom(...(Object.keys(cipherTypes) as CipherType[])),
  references: fc.array(fieldReference, { maxLength: 4 }),
  content,
});

function meaning({ number, type, references, content }: CipherStatement): CipherStatement {
  return {
    number,
    type,
    references: references.map(({ number, to, branchId, revises, inline }) => ({
      number,
      ...(to !== undefined && { to }),
      ...(branchId !== undefined && { branchId }),
      revises,
      inline,
    })),
    content,
  };
}

function readBack(text: string): CipherStatement[] {
  return parseCipher(text)?.steps.map(meaning) ?? [];
}

function withoutInline(step: CipherStatement): CipherStatement {
  return { ...step, references: step.references.filter((reference) => !reference.inline) };
}

describe("formatting and parsing are inverse operations", () => {
  it("for everything that the parser reads", () => {
    fc.assert(
      fc.property(fc.array(statement), content, (steps, extra) => {
        const first = readBack(`${formatCipher(steps)}\n${extra}`);
        expect(readBack(formatCipher(first))).toEqual(first);
      }),
      { numRuns: 1000 },
    );
  });

  it("for any statements, except for the indentation that keeps a step-like line as content", () => {
    const undent = (text: string) => text.trim().replace(/\n +/g, "\n");
    fc.assert(
      fc.property(fc.array(statement, { minLength: 1 }), (steps) => {
        const back = readBack(formatCipher(steps)).map(withoutInline);
        expect(back.map((step) => ({ ...step, content: undent(step.content) }))).toEqual(
          steps.map((step) => ({ ...step, content: undent(step.content) })),
        );
      }),
      { numRuns: 1000 },
    );
  });
});

it.each([
  ["a plain step", [], "text", "S4|O|text"],
  ["references", [{ number: 1, to: 3, revises: false, inline: false }], "text", "S4|O|S1-S3|text"],
  ["a caret", [{ number: 1, revises: true, inline: false }], "text", "S4|O|^S1|text"],
  [
    "inline references only in the content",
    [{ number: 1, revises: false, inline: true }],
    "[S1] x",
    "S4|O|[S1] x",
  ],
  ["content that looks like references", [], "S1|text", "S4|O||S1|text"],
  ["content that opens with a bar", [], "|text", "S4|O|||text"],
  ["nothing", [], "", "S4|O|"],
  ["a line that looks like a step", [], "see\nS2|H|x", "S4|O|see\n    S2|H|x"],
  ["a first line that looks like a step", [], "S2|H|x", "S4|O||S2|H|x"],
])("%s", (_, references, content, expected) => {
  expect(formatStep({ number: 4, type: "O", references, content })).toBe(expected);
});
