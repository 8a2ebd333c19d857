import * as z from "zod";
import type { Entry } from "../../../domain/memory/entry.ts";
import { deriveSequential } from "../../../domain/memory/sequential.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { clip } from "../../../kernel/text.ts";
import { limitOf } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, pagination, target } from "../fields.ts";
import { readDocument } from "../ledger-view.ts";
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

export function clipBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  let end = Math.min(text.length, max);
  while (end > 0 && Buffer.byteLength(clip(text, end)) > max)
    end -= Math.max(1, Math.floor((Buffer.byteLength(clip(text, end)) - max) / 4));
  return clipWhole(text, Math.max(0, end));
}
