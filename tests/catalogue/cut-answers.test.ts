import { expect, test } from "vitest";
import * as z from "zod";
import { catalogue } from "../../src/operations/catalogue.ts";
import { fittedFields, maxAnswerChars } from "../../src/operations/pipeline/fit/budget.ts";
import { fitAnswer } from "../../src/operations/pipeline/fit/fit.ts";
import type { Operation } from "../../src/operations/pipeline/operation.ts";
import { forAll } from "../support/for-all.ts";
import { makeAnswer } from "./make-answer.ts";

type Json = Record<string, unknown>;

/** An ID that is as long as a short title and contains a number that can be parsed. */
const text = `JOB-${"1".padStart(36, "0")}`;

const planOf = ({ fit: { plan } }: Operation) => (typeof plan === "function" ? plan({}, {}) : plan) ?? {};

/** Returns the answer's main list. */
const listOf = (operation: Operation) =>
  [planOf(operation).list ?? []].flat().find(({ mayBeEmpty }) => !mayBeEmpty);

/** Returns the key of the answer's main list, or the keys of all its lists if it has no main list. */
function listsOf(operation: Operation): string[] {
  const planned = listOf(operation)?.key;
  if (planned !== undefined) return [planned];
  const fields = Object.entries(operation.output.shape).filter(([name]) => !(name in fittedFields));
  return fields.flatMap(([name, schema]) => (unwrap(schema) instanceof z.ZodArray ? [name] : []));
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrap(schema.unwrap())
    : schema;
}

/** Creates an answer that is too long because of one list. The other lists are short. */
function withLongList(output: z.ZodObject, list: string): Json {
  const make = (length: number): Json => {
    const items = (path: readonly string[]) => (path.length === 1 && path[0] === list ? length : 1);
    const answer = makeAnswer(output, { text, items });
    for (const field of Object.keys(fittedFields)) delete answer[field];
    if ("count" in answer) answer["count"] = length;
    if ("pagination" in answer) answer["pagination"] = { ...(answer["pagination"] as Json), count: length };
    return answer;
  };
  const item = JSON.stringify(make(2)).length - JSON.stringify(make(1)).length;
  return make(Math.ceil((2 * maxAnswerChars) / item));
}

/** The answer of `open` depends on what it opens. tests/properties/memory-budgets opens everything. */
const cases = catalogue
  .filter(({ name, secrets }) => secrets.mask !== false && name !== "open")
  .flatMap((operation) => listsOf(operation).map((list) => [operation.name, list, operation] as const));

test("some answers contain lists", () => {
  expect(cases.length).toBeGreaterThan(40);
});

test("an answer with too many items is cut and still matches its declared shape, for each of its lists", () =>
  forAll(
    cases,
    ([name, list]) => `${name} with too many ${list}`,
    ([, list, operation]) => {
      const { output, fit } = operation;
      const answer = withLongList(output, list);
      output.parse(answer);
      const { answer: fitted } = fitAnswer(answer, fit, { maxChars: 75_000 });
      expect(fitted["truncated"]).toBe(true);
      output.parse(fitted);
      const { [list]: shown, count, pagination } = fitted as Json & { count?: number; pagination?: Json };
      if (!Array.isArray(shown) || listsOf(operation).length > 1) return;
      expect(shown.length).toBeGreaterThan(0);
      expect(count ?? shown.length).toBe(shown.length);
      if (listOf(operation)?.cursor) expect(pagination?.["count"]).toBe(shown.length);
    },
  ));
