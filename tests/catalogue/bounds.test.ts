import { expect, test } from "vitest";
import type * as z from "zod";
import { catalogue } from "../../src/operations/catalogue.ts";
import { maxAnswerChars } from "../../src/operations/pipeline/fit/budget.ts";
import { type Fit, fitAnswer } from "../../src/operations/pipeline/fit/fit.ts";
import type { Operation } from "../../src/operations/pipeline/operation.ts";
import { forAll } from "../support/for-all.ts";
import { makeAnswer } from "./make-answer.ts";

type Size = { text: string; items: number };

/** Number of characters, longer than any answer may be, but short enough to create many such answers. */
const wholeChars = 200_000;

const sizes: readonly Size[] = [
  { text: "x", items: 1 },
  // JSON needs six characters for this character.
  { text: "\u0001", items: 2 },
  { text: "x", items: 60 },
];

/** Creates an answer with the given shape that its texts make too long. Lists within lists stay short. */
function largest(output: z.core.$ZodType, { text, items }: Size): Record<string, unknown> {
  const size = { items: (path: readonly string[]) => (path.length > 1 ? Math.min(items, 2) : items) };
  const texts = JSON.stringify(makeAnswer(output, { ...size, text: "@@" })).split("@@").length - 1;
  return makeAnswer(output, { ...size, text: text.repeat(Math.ceil(wholeChars / Math.max(texts, 1))) });
}

const isBackup = ({ secrets }: Operation): boolean => secrets.mask === false;

test("only the backup is neither masked nor shortened, because half a backup is useless", () => {
  expect(catalogue.filter(isBackup).map(({ name }) => name)).toEqual(["session.export"]);
});

/** Blocks with their own shorter forms have no declared shape. tests/properties/memory-budgets fills them. */
const shrinks = ({ plan }: Fit) =>
  (typeof plan === "function" ? plan({}, {}) : plan)?.pack?.core !== undefined;

const bounded = catalogue.filter((operation) => !isBackup(operation) && !shrinks(operation.fit));

/** `read_thoughts` has a separate budget for its list. */
const largestBudget = { maxChars: 75_000 };

test("no operation returns more than its limit", () =>
  forAll(
    bounded,
    ({ name }) => name,
    ({ output, fit }) => {
      for (const size of sizes) {
        const { budget: _budget, truncated: _truncated, ...answer } = largest(output, size);
        const { answer: fitted } = fitAnswer(answer, fit, largestBudget);
        const { budget: _said, ...shown } = fitted;
        expect(JSON.stringify(shown).length).toBeLessThanOrEqual(fit.defaultChars ?? maxAnswerChars);
        if (JSON.stringify(answer).length > maxAnswerChars) expect(shown["truncated"]).toBe(true);
      }
    },
  ));

const asked = bounded.filter(({ fit }) => fit.budget === "caller");

test("some operations let the caller limit the answer", () => {
  expect(asked.length).toBeGreaterThan(10);
});

test("no operation returns more than the caller's limit", () =>
  forAll(
    asked,
    ({ name }) => name,
    ({ output, fit }) => {
      for (const size of sizes) {
        const { budget: _budget, truncated: _truncated, ...answer } = largest(output, size);
        for (const max_chars of [300, 1_000, 5_000, 75_000]) {
          const { answer: fitted } = fitAnswer(answer, fit, { ...largestBudget, max_chars });
          const { budget, ...shown } = fitted;
          const used_chars = JSON.stringify(shown).length;
          expect(used_chars).toBeLessThanOrEqual(max_chars);
          expect(budget).toEqual({ max_chars, used_chars, truncated: true });
        }
      }
    },
  ));
