import * as z from "zod";
import { validateTrace } from "../../../domain/memory/validate-trace.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { readDocumentMarks } from "../ledger-view.ts";
import { resolveDoc } from "../scope.ts";
import { ref } from "../think/fields.ts";
import { traceDoc } from "./trace-step.ts";

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
