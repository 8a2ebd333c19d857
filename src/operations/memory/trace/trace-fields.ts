import * as z from "zod";
import type { Entry, Meta, NewEntry } from "../../../domain/memory/entry.ts";
import { formatRef } from "../../../domain/memory/ref.ts";
import { lintSequential } from "../../../domain/memory/sequential-lint.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { doc } from "../fields.ts";
import { entrySchema } from "../notes/entry-schema.ts";
import { resolveWritableDoc } from "../scope.ts";

/** Fields that the trace tools share. */

export const traceDoc = doc.optional().describe("Document of the trace, default trace.");

export const writtenStep = {
  branch: z.string(),
  doc: z.string(),
  ref: z.string(),
  entry: entrySchema,
};

type Asked = { target?: string | undefined; doc?: string | undefined };

/** Appends a step to the trace that is meant, and tells what of its place in a sequence cannot be followed. */
export async function appendStep(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  asked: Asked,
  entry: Omit<NewEntry, "kind"> & { meta: Meta },
) {
  const scope = await resolveWritableDoc(memory, asked, "trace");
  const [written] = await memory.commit([
    { do: "append", ...scope, entry: { kind: "note", agent_id: memory.settings.agentId, ...entry } },
  ]);
  for (const warning of lintSequential(entry.meta)) memory.warn(warning);
  return { branch: written.branch, doc: written.doc, ref: formatRef(written), entry: written as Entry };
}

export const present = (fields: Meta): Meta =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
