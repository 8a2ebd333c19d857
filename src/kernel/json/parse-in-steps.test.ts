import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { runAtOnce } from "../steps.ts";
import { parseJsonInSteps } from "./parse-in-steps.ts";
import { maxJsonDepth, maxJsonKeys } from "./walk-json.ts";

const inSteps = (text: string, piece: number) => runAtOnce(parseJsonInSteps(text, { piece }));

function byJsonParse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Expects the same members in the same order, with `__proto__` as a plain member. */
function expectSame(text: string, piece: number): void {
  const [mine, right] = [inSteps(text, piece), byJsonParse(text)];
  expect(mine === undefined, text).toBe(right === undefined);
  expect(JSON.stringify(mine?.value)).toBe(JSON.stringify(right?.value));
  expect(mine).toEqual(right);
}

const pieces = fc.integer({ min: 1, max: 40 });
const blanks = fc.constantFrom("", "", " ", "\n\t", "\r ");
const documents = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc
    .tuple(fc.jsonValue({ maxDepth: 6 }), fc.nat({ max: 4 }))
    .map(([value, indent]) => JSON.stringify(value, null, indent)),
);

test("parses any JSON as JSON.parse does, however it is divided", () => {
  fc.assert(
    fc.property(documents, blanks, blanks, pieces, (text, before, after, piece) => {
      expectSame(`${before}${text}${after}`, piece);
    }),
    { numRuns: 500 },
  );
});

test("refuses invalid JSON exactly if JSON.parse refuses it", () => {
  const parts = fc.constantFrom(
    ...[
      '"',
      "\\",
      "\\u",
      "\\u00",
      "00e9",
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      " ",
      "1",
      "-",
      ".5",
      "e9",
      "true",
      "null",
    ],
    ...['"a"', '"__proto__"', '"a":', "[]", "{}", "\u0001", "\ufeff", "é", "\ud83d"],
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), pieces, (text, piece) =>
      expectSame(text.join(""), piece),
    ),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(documents, fc.nat(), parts, pieces, (text, where, part, piece) => {
      const at = where % (text.length + 1);
      expectSame(`${text.slice(0, at)}${part}${text.slice(at + 1)}`, piece);
      expectSame(text.slice(0, at), piece);
    }),
    { numRuns: 800 },
  );
});

test.each([
  '{"a":1,"b":2,"a":3}',
  '{"__proto__":{"x":1},"__proto__":[1,2,3]}',
  '{"2":1,"1":2,"b":3,"a":4}',
  "[1,2,3,]",
  "[,1,2,3]",
  "[1,,2,3]",
  '{"a":1,}',
  "[     ]",
  "[1,      ]",
  "[[[[[[[]]]]]]]",
  "[1,2}",
  '{"a":1]',
  "1 2",
  "-0",
  "1e999",
  `"${"\\ud83d\\ude00".repeat(3)}"`,
  '"\\ud83d"',
  `"${"\\\\".repeat(9)}"`,
  `"${"\\\\".repeat(9)}\\"`,
])("parses %s in pieces as it parses the whole", (text) => {
  for (let piece = 1; piece <= text.length; piece += 1) expectSame(text, piece);
});

test("stops at JSON that is nested too deep or has too many keys", () => {
  const deep = (depth: number) => `${"[".repeat(depth)}${"1,".repeat(20)}1${"]".repeat(depth)}`;
  expectSame(deep(maxJsonDepth), 8);
  expect(inSteps(deep(maxJsonDepth + 1), 8)).toBeUndefined();
  const wide = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join(",")}}`;
  expectSame(wide(maxJsonKeys), 1_000);
  expect(inSteps(wide(maxJsonKeys + 1), 1_000)).toBeUndefined();
  expect(runAtOnce(parseJsonInSteps(wide(maxJsonKeys + 1), { piece: 1_000, keys: 20_000 }))).toBeDefined();
  expect(inSteps(`[${"1,".repeat(1_000_000)}1]`, 100_000)).toBeUndefined();
});
