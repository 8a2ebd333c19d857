import * as z from "zod";
import type { GraphVersion } from "../../../domain/memory/graph.ts";
import { quote } from "../../../kernel/text.ts";
import type { WrittenVersion } from "../../../ports/memory/graph.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, doc, pagination } from "../fields.ts";
import { nodeIdField, nodeSchema, showVersion } from "./graph-schemas.ts";

const { last_seq: _seq, last_ts_ms: _ts, ...content } = nodeSchema.partial().shape;

const versionSchema = z.strictObject({
  ref: z.string(),
  seq: z.int(),
  ts: z.string().optional(),
  agent: z.string().optional(),
  branch: z.string().optional(),
  changed: z.array(z.string()).optional(),
  ...content,
});

const compared = ["type", "title", "text", "status", "tags", "meta", "deleted"] as const;

/** Returns the fields that differ from the previous version, or all set fields of a first version. */
function changedSince(version: GraphVersion, before: GraphVersion | undefined): string[] {
  const [now, then] = [version, before ?? {}] as Record<string, unknown>[];
  return compared.filter(
    (field) => JSON.stringify(now?.[field] ?? null) !== JSON.stringify(then?.[field] ?? null),
  );
}

function showWritten(
  { version, place, agent }: WrittenVersion,
  before: WrittenVersion | undefined,
): z.input<typeof versionSchema> {
  const {
    last_seq,
    last_ts_ms,
    id: _id,
    deleted,
    ...shown
  } = showVersion(version) as z.input<typeof nodeSchema>;
  return {
    ref: `${place.doc}@${last_seq}`,
    seq: last_seq,
    ts: new Date(last_ts_ms ?? 0).toISOString(),
    ...(agent !== undefined && { agent }),
    branch: place.branch,
    changed: changedSince(version, before?.version).filter(
      (field) => field !== "deleted" || deleted || before,
    ),
    ...(deleted && { deleted }),
    ...shown,
  };
}

export const versions = defineMemory({
  name: "versions",
  title: "List versions of a card or node",
  summary:
    "Lists every version of a card or graph node, newest first: what changed, when, on which branch, and who wrote it.",
  effect: "read",
  input: {
    id: nodeIdField.min(1).describe("ID of the card or node, such as CARD-1."),
    doc: doc.optional().describe("Only versions in this document. Omit for all."),
    limit: clampedLimit(20),
    cursor: cursor.optional(),
  },
  output: { id: z.string(), versions: z.array(versionSchema), pagination },
  trim: {
    list: {
      key: "versions",
      oldest: "last",
      cursor: ({ seq }) => seq,
      stub: ({ ref, seq, ts, agent, branch, changed }) => ({ ref, seq, ts, agent, branch, changed }),
    },
  },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of a node", given: "a workspace with a graph", input: { id: "h1" } }],

  async handle({ id, doc: asked, limit, cursor: before }, memory) {
    // Reads one more version, to show what the oldest version on the page changed.
    const query = { id, doc: asked, before, limit: limit + 1 };
    const { versions: found } = await memory.memory.listVersions(memory.workspace, query);
    if (found.length === 0 && before === undefined)
      return memory.fail("UNKNOWN_ID", `No card or node has the ID ${quote(id, 100)}.`, {
        details: { id },
        recovery: {
          hint: "List the newest nodes, or pass text to search for words.",
          operation: "graph_query",
          args: { workspace: memory.workspace },
        },
      });
    const page = found.slice(0, limit);
    return {
      id,
      versions: page.map((one, at) => showWritten(one, previousOf(found, at))),
      pagination: describePage({
        cursor: before,
        limit,
        count: page.length,
        hasMore: found.length > limit,
        next: page.at(-1)?.version.last_seq,
      }),
    };
  },
});

const previousOf = (found: readonly WrittenVersion[], at: number): WrittenVersion | undefined =>
  found.slice(at + 1).find(({ place }) => place.doc === found[at]?.place.doc);

const maxVersions = 50;

/** Returns the existing nodes with this ID, at their newest version. Two tasks may use the same ID. */
export async function findNamesakes(
  { memory, workspace }: Pick<MemoryContext, "memory" | "workspace">,
  id: string,
  doc?: string,
): Promise<(WrittenVersion & { version: { kind: "node" } })[]> {
  const { versions } = await memory.listVersions(workspace, { id, limit: maxVersions });
  const newest = new Map<string, WrittenVersion>();
  for (const one of versions) if (!newest.has(one.place.doc)) newest.set(one.place.doc, one);
  if (doc !== undefined) newest.delete(doc);
  return [...newest.values()].filter(isLiveNode);
}

const isLiveNode = (one: WrittenVersion): one is WrittenVersion & { version: { kind: "node" } } =>
  one.version.kind === "node" && !one.version.deleted;
