import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { describePage, pagination } from "../fields.ts";
import { readDocument } from "../ledger-view.ts";
import { sessionOf } from "../scope.ts";
import { ref } from "../vcs/ref-schemas.ts";
import { resolveRef } from "../vcs/resolve-ref.ts";

const docSchema = z.strictObject({
  doc: z.string(),
  form: z.string(),
  last_seq: z.int(),
  last_ts_ms: z.int().optional(),
});

type Doc = z.infer<typeof docSchema>;

/** A log and a graph may have the same name, so the form is part of the cursor. */
const placeOf = ({ doc, form }: Pick<Doc, "doc" | "form">): string => `${doc}#${form}`;

export const docsList = defineMemory({
  name: "docs_list",
  title: "List documents",
  summary: "Lists the documents on a branch by name: logs of entries, and graphs.",
  effect: "read",
  input: {
    ref: ref.optional().describe("Branch, or a tag or commit on it. Default: the checkout."),
    limit: clampedLimit(100),
    cursor: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}#(?:log|graph)$/, "the next_cursor from the previous page")
      .optional()
      .describe("next_cursor from the previous page."),
  },
  output: { workspace: z.string(), branch: z.string(), docs: z.array(docSchema), pagination },
  trim: {
    list: {
      key: "docs",
      oldest: "last",
      cursor: (item) => placeOf(item as Doc),
      stub: ({ doc, form, last_seq }) => ({ doc, form, last_seq }),
    },
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "of the checkout", given: "a workspace with commits", input: {} },
    { title: "of a branch", given: "a workspace with a branch", input: { ref: "try/cache" } },
  ],

  async handle({ ref, limit, cursor }, memory) {
    const { branch, docs: all } = await documentsOf(memory, ref);
    const rest = cursor === undefined ? all : all.filter((doc) => placeOf(doc) > cursor);
    const docs = rest.slice(0, limit);
    const last = docs.at(-1);
    const page = {
      cursor,
      limit,
      count: docs.length,
      hasMore: rest.length > limit,
      next: last && placeOf(last),
    };
    return { workspace: memory.workspace, branch, docs, pagination: describePage(page) };
  },
});

/** Returns the documents of a branch. A ledger session has only one document, its trace. */
async function documentsOf(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  asked: string | undefined,
): Promise<{ branch: string; docs: Doc[] }> {
  if (asked === undefined || sessionOf(asked) === undefined) {
    const { branch } = await resolveRef(memory, asked);
    return { branch, docs: await memory.memory.listDocs(memory.workspace, branch) };
  }
  const trace = { branch: asked, doc: defaultDocs.trace };
  const { entries } = await readDocument(memory, trace, undefined, 1);
  const docs = entries.map(({ seq, ts_ms }) => ({
    doc: trace.doc,
    form: "log",
    last_seq: seq,
    last_ts_ms: ts_ms,
  }));
  return { branch: asked, docs };
}
