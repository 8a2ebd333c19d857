import { expect, test } from "vitest";
import type * as z from "zod";
import { catalogue } from "../../src/operations/catalogue.ts";
import { maxAnswerChars } from "../../src/operations/pipeline/fit/budget.ts";
import { type Fit, fitAnswer } from "../../src/operations/pipeline/fit/fit.ts";

type Size = { text: string; items: number };

/** Larger than any answer may be, and small enough to make many of. */
const wholeChars = 200_000;

const sizes: readonly Size[] = [
  { text: "x", items: 1 },
  // JSON writes it in six characters.
  { text: "\u0001", items: 2 },
  { text: "x", items: 60 },
];

/** An answer of that shape with all its texts so long that it is too long as a whole. */
function largest(output: z.core.$ZodType, { text, items }: Size): Record<string, unknown> {
  const texts = JSON.stringify(enlarge(output, { text: "@@", items })).split("@@").length - 1;
  const long = text.repeat(Math.ceil(wholeChars / Math.max(texts, 1)));
  return enlarge(output, { text: long, items }) as Record<string, unknown>;
}

/** Every text and every list as large as that; lists within lists stay short. */
function enlarge(schema: z.core.$ZodType, size: Size, depth = 0): unknown {
  const { def } = schema._zod;
  const within = (inner: z.core.$ZodType) => enlarge(inner, size, depth + 1);
  const items = Array.from({ length: depth > 1 ? Math.min(size.items, 2) : size.items }, (_, n) => n);
  switch (def.type) {
    case "object":
      return Object.fromEntries(
        Object.entries((def as z.core.$ZodObjectDef).shape).map(([name, field]) => [name, within(field)]),
      );
    case "array":
      return items.map(() => within((def as z.core.$ZodArrayDef).element));
    case "record":
      return Object.fromEntries(
        items.map((n) => [`key ${n}`, within((def as z.core.$ZodRecordDef).valueType)]),
      );
    case "optional":
    case "nullable":
    case "default":
      return within((def as z.core.$ZodOptionalDef).innerType);
    case "union":
      return within((def as z.core.$ZodUnionDef).options[0] as z.core.$ZodType);
    case "enum":
      return Object.values((def as z.core.$ZodEnumDef).entries)[0];
    case "literal":
      return (def as z.core.$ZodLiteralDef<z.core.util.Literal>).values[0];
    case "number":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "string":
    case "unknown":
      return size.text;
    default:
      throw new Error(`answers hold ${def.type}, which this test cannot make`);
  }
}

test("a handler bounds its own answer only where half of it would be none", () => {
  expect(catalogue.filter(({ fit }) => fit.ownPages).map(({ name }) => name)).toEqual(["session.export"]);
});

/** Blocks that shrink through forms of their own have no declared shape; tests/properties/memory-budgets fills them. */
const shrinks = ({ plan }: Fit) => (typeof plan === "function" ? plan({}, {}) : plan)?.shrink !== undefined;

const bounded = catalogue.filter(({ fit }) => !fit.ownPages && !shrinks(fit));

test.each(bounded.map((operation) => [operation.name, operation] as const))(
  "%s returns no more than its bound, whatever there is to return",
  (_name, { output, fit }) => {
    for (const size of sizes) {
      const { budget: _budget, truncated: _truncated, ...answer } = largest(output, size);
      const { answer: fitted } = fitAnswer(answer, fit, { maxChars: 75_000 });
      const { budget: _told, ...shown } = fitted;
      expect(JSON.stringify(shown).length).toBeLessThanOrEqual(fit.defaultChars ?? maxAnswerChars);
      if (JSON.stringify(answer).length > maxAnswerChars) expect(shown["truncated"]).toBe(true);
    }
  },
);
