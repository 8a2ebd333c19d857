import * as z from "zod";
import type { Entry } from "../../../domain/memory/entry.ts";
import { deriveSequential, validateTrace } from "../../../domain/memory/sequential.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { clip } from "../../../kernel/text.ts";
import { limitOf } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, pagination, target } from "../fields.ts";
import { readDocument, readDocumentMarks } from "../ledger-view.ts";
import { deriveAgain, entryList, entrySchema, sequentialSchema } from "../notes/entry-schema.ts";
import { resolveDoc } from "../scope.ts";
import { ref } from "../think/fields.ts";
import { traceDoc } from "./trace-step.ts";

export const traceHydrate = defineMemory({
  name: "trace_hydrate",
  title: "Read the trace",
  summary:
    "Returns the newest steps of a trace, each shortened, with the graph of their forks and revisions.",
  effect: "read",
  input: {
    target: target.optional(),
    ref: ref.describe("Branch. Default: the focus, or the checkout. session/<id> reads a session."),
    doc: traceDoc,
    limit_steps: limitOf("steps", { min: 1, max: 200, default: 50 }),
    statement_max_bytes: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1_000)
      .describe("Maximum length of a step in bytes. Default: 1000."),
    cursor: cursor.optional(),
  },
  aliases: { limit: "limit_steps" },
  advanced: ["doc", "statement_max_bytes"],
  output: {
    branch: z.string(),
    doc: z.string(),
    entries: z.array(entrySchema),
    sequential: sequentialSchema.optional(),
    pagination,
  },
  trim: { list: entryList, adjust: deriveAgain },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the focus", given: "a trace with steps", input: {} }],

  async handle({ target, ref, doc, limit_steps: limit, statement_max_bytes, cursor }, memory) {
    const scope = await resolveDoc(memory, { target, branch: ref, doc }, "trace");
    const { entries, hasMore } = await readDocument(memory, scope, cursor, limit);
    const sequential = deriveSequential(entries);
    const next = entries[0]?.seq;
    return {
      ...scope,
      entries: entries.map(
        (entry): Entry => ({ ...entry, content: clipBytes(entry.content, statement_max_bytes) }),
      ),
      ...(sequential && { sequential }),
      pagination: describePage({ cursor, limit, count: entries.length, hasMore, next }),
    };
  },
});

/** Cuts only between characters. */
export function clipBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  let end = Math.min(text.length, max);
  while (end > 0 && Buffer.byteLength(clip(text, end)) > max)
    end -= Math.max(1, Math.floor((Buffer.byteLength(clip(text, end)) - max) / 4));
  return clipWhole(text, Math.max(0, end));
}

const maxEntries = 10_000;
const maxErrors = 50;

export const traceValidate = defineMemory({
  name: "trace_validate",
  title: "Check a trace",
  summary:
    "Checks the numbered steps of a trace: order, duplicate numbers, missing parents and missing fields.",
  effect: "read",
  input: { target: target.optional(), ref, doc: traceDoc },
  advanced: ["doc"],
  output: {
    branch: z.string(),
    doc: z.string(),
    ok: z.boolean(),
    checked: z.int(),
    has_more: z.boolean(),
    errors: z.array(
      z.strictObject({
        code: z.string(),
        seq: z.int(),
        message: z.string().optional(),
        thoughtNumber: z.int().optional(),
      }),
    ),
    errors_total: z.int(),
  },
  trim: { list: { key: "errors", oldest: "last", stub: ({ code, seq }) => ({ code, seq }) } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a trace with steps", input: {} }],

  async handle({ target, ref, doc }, memory) {
    const scope = await resolveDoc(memory, { target, branch: ref, doc }, "trace");
    const { entries, hasMore } = await readDocumentMarks(memory, scope, maxEntries);
    const problems = validateTrace(entries, hasMore);
    return {
      ...scope,
      ok: problems.length === 0,
      checked: entries.length,
      has_more: hasMore,
      errors: problems.slice(0, maxErrors),
      errors_total: problems.length,
    };
  },
});
