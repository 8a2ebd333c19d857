import * as z from "zod";
import { branchPattern, docPattern, memoryLimits, mergeLimits } from "../../domain/memory/limits.ts";
import { quote } from "../../kernel/text.ts";
import { fail } from "../pipeline/context.ts";
import { clampedLimit } from "../pipeline/fields.ts";
import { parseJson, toJsonText } from "../pipeline/validation/validate.ts";

/** Fields that the memory tools share: one schema and one description each. */

const branchWords = "1–128 characters: letters, digits, . _ / and -, with no .. and no / at the start";
export const branchName = z.string().regex(branchPattern, branchWords);
export const branch = branchName.describe("Branch. Default: the focus, or the checkout.");
export const doc = z
  .string()
  .regex(docPattern, "1–128 characters (letters, digits, . _ -), starting with a letter or digit")
  .describe("Document on the branch.");

export const target = z.string().min(1).max(64).describe('Plan or task: "TASK-001" or {id, kind}.');

export const format = z
  .string()
  .min(1)
  .max(memoryLimits.format)
  .describe("Format of the content, such as text.");
export const content = z.string().min(1).max(memoryLimits.content).regex(/\S/, "text that is not blank");

/** The limit applies to the whole object as JSON. */
export const meta = z
  .record(z.string().max(200), z.unknown())
  .refine((value) => JSON.stringify(value).length <= memoryLimits.meta, {
    error: `must have at most ${memoryLimits.meta} characters as JSON`,
  })
  .describe("Additional structured data, as an object.");

export const cursor = z
  .int()
  .min(0)
  .max(9_000_000_000_000_000)
  .describe("next_cursor from the previous page. Omit to start with the newest.");

export const forwardCursor = cursor.describe(
  "next_cursor from the previous page. Omit to start with the oldest.",
);

export const pagination = z.strictObject({
  cursor: z.union([z.int(), z.string(), z.null()]).optional(),
  next_cursor: z.union([z.int(), z.string()]).optional(),
  has_more: z.boolean(),
  limit: z.int().optional(),
  count: z.int(),
});

/** Accepts `target` as an object. The object's `kind` must match the ID. */
export function readTarget(args: Record<string, unknown>): Record<string, unknown> {
  const given = args["target"];
  if (typeof given !== "object" || given === null || Array.isArray(given)) return args;
  const { id, kind, ...others } = given as Record<string, unknown>;
  if (Object.keys(others).length > 0 || typeof id !== "string") return args;
  const expected = id.startsWith("PLAN-") ? "plan" : "task";
  if (kind === undefined || kind === expected) return { ...args, target: id };
  if (kind !== "plan" && kind !== "task") return args;
  return fail("INVALID_PAYLOAD", `target: ${quote(id)} is not a ${kind}.`, {
    details: { hints: [{ kind: "prefix", field: "target.kind", expected }] },
    recovery: {
      hint: `Pass kind "${expected}", or omit kind. List the operations.`,
      operation: "help",
      args: {},
    },
  });
}

/** Tool schemas have no unions, so an object is accepted as its JSON text. */
export const textOrObject = (description: string) =>
  z.string().min(1).max(memoryLimits.content).describe(description);

const mayBeObjects = [
  ...["card", "frame", "hypothesis", "test", "evidence", "decision", "return_card", "checkpoints"],
] as const;

/** Fields in which models send a commit, or a name that consists of digits, as a number. */
const mayBeNumbers = ["ref", "from", "id", "since", "as_of"] as const;

/** Converts arguments as models send them, such as numbers for strings and steps as strings. */
export function readShapes(args: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const field of mayBeObjects) if (isObject(args[field])) read[field] = toJsonText(args[field]);
  for (const field of mayBeNumbers) if (isCount(args[field])) read[field] = JSON.stringify(args[field]);
  Object.assign(read, readSteps(args["steps"]), readOptions(args["rejected"]), readFiles(args["files"]));
  return readTarget(Object.keys(read).length === 0 ? args : { ...args, ...read });
}

/** Accepts a list as JSON text, or one item without a list, as models send them. */
function toList(given: unknown): unknown[] | undefined {
  if (given === undefined || given === null) return undefined;
  const read = typeof given === "string" ? (parseJson(given, "[") ?? parseJson(given, "{") ?? given) : given;
  return Array.isArray(read) ? read : [read];
}

const optionForm = /^(?<option>[^:\n]{1,200}?)(?::\s+|\s+(?:—|–|-|because)\s+)(?<why>\S[\s\S]*)$/;

/** Accepts an option as a string such as "Redis: loses data". */
function readOptions(given: unknown) {
  const options = toList(given)?.map((one) => {
    if (typeof one !== "string") return one;
    const { option = one, why } = optionForm.exec(one)?.groups ?? {};
    return { option: option.trim(), ...(why !== undefined && { why: why.trim() }) };
  });
  return options && { rejected: options };
}

/** Accepts a file as {path, lines}. */
function readFiles(given: unknown) {
  const files = toList(given)?.map((one) => {
    if (!isObject(one)) return one;
    const { path, lines, ...others } = one as Record<string, unknown>;
    if (typeof path !== "string" || Object.keys(others).length > 0) return one;
    return lines === undefined ? path : `${path}:${String(lines)}`;
  });
  return files && { files };
}

/** Accepts a step as its title, a list as JSON text, and a single step without a list. */
function readSteps(given: unknown) {
  const steps =
    typeof given === "string" ? (parseJson(given, "[") ?? [parseJson(given, "{") ?? given]) : given;
  return (
    Array.isArray(steps) && {
      steps: steps.map((step) => (typeof step === "string" ? { title: step } : step)),
    }
  );
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Page<Cursor> = {
  cursor: Cursor | undefined;
  limit: number;
  count: number;
  hasMore: boolean;
  next: Cursor | undefined;
};

export function describePage<Cursor extends number | string>({
  cursor,
  limit,
  count,
  hasMore,
  next,
}: Page<Cursor>) {
  return {
    cursor: cursor ?? null,
    ...(hasMore && next !== undefined && { next_cursor: next }),
    has_more: hasMore,
    limit,
    count,
  };
}

export const mergeFields = {
  from: branchName.describe("Branch to merge."),
  into: branchName.optional().describe("Branch to merge into. Default: the checkout."),
  merge_to_base: z.boolean().optional().describe("Merge into the base of `from`."),
  doc: doc.optional(),
  dry_run: z.boolean().default(false).describe("Only report what would happen. Default: false."),
  cursor: forwardCursor.optional(),
  limit: clampedLimit(mergeLimits.entries, mergeLimits.entries),
};
