import { expect, test } from "vitest";
import * as z from "zod";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { catalogue } from "../../catalogue.ts";
import { defineOperation } from "../define.ts";
import { validate } from "./validate.ts";

const operation = defineOperation({
  name: "sample",
  family: "ledger",
  title: "Sample",
  summary: "Takes one field of each sort.",
  toolset: "full",
  stage: "entry",
  effect: "read",
  scope: "caller",
  input: {
    content: z.string().min(1).max(10),
    code: z.string().min(3).max(5).optional(),
    tags: z.array(z.string().min(1).max(4)).min(1).max(2).optional(),
    count: z.int().min(1).max(9).optional(),
    force: z.boolean().optional(),
    mode: z.enum(["fast", "slow"]).optional(),
    anchor: z
      .string()
      .regex(/^a:[a-z]{1,9}$/, "an anchor such as a:core")
      .optional(),
    branch: z
      .string()
      .regex(/^[a-z]{1,9}$/, "1–9 letters")
      .optional(),
    meta: z
      .record(z.string(), z.unknown())
      .refine((value) => Object.keys(value).length < 2, "must be small")
      .optional(),
    nested: z.strictObject({ name: z.string() }).optional(),
  },
  output: z.strictObject({}),
  errors: [],
  examples: [],
  handle: async () => ({}),
});

function detailsOf(args: Record<string, unknown>): Record<string, unknown> | undefined {
  try {
    validate(operation, args);
  } catch (thrown) {
    if (thrown instanceof ThoughtboxError) return thrown.details;
    throw thrown;
  }
  throw new Error("the arguments were taken");
}

const hintsFor = (args: Record<string, unknown>) => detailsOf({ content: "x", ...args })?.["hints"];

test.each([
  [{ content: undefined }, { kind: "missing", field: "content", expected: "string" }],
  [{ content: 3 }, { kind: "type", field: "content", expected: "string" }],
  [{ content: "" }, { kind: "non_empty", field: "content" }],
  [{ content: "x".repeat(11) }, { kind: "length", field: "content", max: 10 }],
  [{ code: "x" }, { kind: "length", field: "code", min: 3 }],
  [{ tags: [] }, { kind: "non_empty", field: "tags" }],
  [{ tags: ["a", "b", "c"] }, { kind: "length", field: "tags", max: 2 }],
  [{ tags: ["a", ""] }, { kind: "non_empty", field: "tags[1]" }],
  [{ count: 0 }, { kind: "type", field: "count", expected: "at least 1" }],
  [{ count: 10 }, { kind: "type", field: "count", expected: "at most 9" }],
  [{ count: 1.5 }, { kind: "type", field: "count", expected: "int" }],
  [{ force: "perhaps" }, { kind: "type", field: "force", expected: "boolean" }],
  [{ mode: "both" }, { kind: "choose_one", field: "mode", expected: ["fast", "slow"] }],
  [{ anchor: "core" }, { kind: "prefix", field: "anchor", expected: "a:" }],
  [{ anchor: "a:Core" }, { kind: "type", field: "anchor", expected: "an anchor such as a:core" }],
  [{ branch: "?" }, { kind: "type", field: "branch", expected: "1–9 letters" }],
  [{ branch: "" }, { kind: "non_empty", field: "branch" }],
  [{ contnet: "x" }, { kind: "choose_one", field: "contnet", expected: ["content"] }],
  [{ nested: {} }, { kind: "missing", field: "nested.name", expected: "string" }],
])("for %o, gives the hint %o", (args, hint) => {
  expect(hintsFor(args)).toEqual([hint]);
});

test("lists all known fields for an unknown field that resembles none", () => {
  const known = Object.keys(operation.input.shape);
  expect(hintsFor({ zzzzzzzz: 1 })).toEqual([{ kind: "choose_one", field: "zzzzzzzz", expected: known }]);
});

test("gives no hints for a rule without structure", () => {
  expect(detailsOf({ content: "x", meta: { a: 1, b: 2 } })).toBeUndefined();
});

test("gives at most five hints, and does not repeat the message in them", () => {
  const wrong = { content: 1, code: 1, tags: 1, count: "x", force: 1, mode: 1, anchor: 1 };
  const details = detailsOf(wrong);
  expect(details?.["hints"]).toHaveLength(5);
  expect(JSON.stringify(details)).not.toContain("must be");
});

test.each(catalogue.map((real) => [real.name, real] as const))(
  "%s gives hints for missing fields",
  (_name, real) => {
    const required = Object.entries(real.input.shape).filter(
      ([, field]) => !field.safeParse(undefined).success,
    );
    try {
      validate(real, {});
      expect(required).toEqual([]);
    } catch (thrown) {
      const { hints } = (thrown as ThoughtboxError).details as { hints: { kind: string; field: string }[] };
      expect(hints.map(({ kind, field }) => [kind, field])).toEqual(
        required.map(([field]) => ["missing", field]).slice(0, 5),
      );
    }
  },
);
