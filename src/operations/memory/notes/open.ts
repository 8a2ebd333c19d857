import * as z from "zod";
import { type Entry, entrySchema, stubEntry } from "../../../domain/memory/entry.ts";
import { type GraphVersion, nodeSchema, showVersion, stubNode } from "../../../domain/memory/graph.ts";
import { defaultBranch, defaultDocs } from "../../../domain/memory/limits.ts";
import { traceEntry } from "../../../domain/memory/session-trace.ts";
import { quote } from "../../../kernel/text.ts";
import type { GraphPlace } from "../../../ports/memory/graph.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { TrimPlan } from "../../pipeline/fit/trim.ts";
import { readSession } from "../../pipeline/handle.ts";
import { defineMemory } from "../define-memory.ts";
import { optionalLimit } from "../fields.ts";
import { readDocument } from "../ledger-view.ts";
import { clampLimit } from "../paging.ts";
import { type OpenId, readOpenId } from "./open-id.ts";

const defaultEntries = 10;
const maxEdges = 100;

const openedShape = {
  kind: z.string(),
  id: z.string().optional(),
  ref: z.string().optional(),
  head: z
    .strictObject({ seq: z.int(), ts: z.string(), ts_ms: z.int(), branch: z.string(), doc: z.string() })
    .optional(),
  card: nodeSchema.partial().optional(),
  node: nodeSchema.partial().optional(),
  edges: z.record(z.string(), z.array(z.string())).optional(),
  incoming: z.record(z.string(), z.array(z.string())).optional(),
  edges_total: z.int().optional(),
  entry: entrySchema.optional(),
  session: z.record(z.string(), z.unknown()).optional(),
  branch: z.string().optional(),
  doc: z.string().optional(),
  entries: z.array(entrySchema).optional(),
};

export const open = defineMemory({
  name: "open",
  title: "Open by id",
  summary:
    "Opens one thing by its id: a node or card, an entry (notes@12), a session, a thought (<sessionId>:3).",
  toolset: "daily",
  effect: "read",
  input: {
    id: z.string().min(1).max(300).describe("Id or reference, as an answer showed it."),
    limit: optionalLimit("10 entries of a session"),
    include_drafts: z
      .boolean()
      .default(false)
      .describe("Reserved for drafts of cards; makes no difference yet."),
  },
  advanced: ["limit", "include_drafts"],
  output: openedShape,
  trim: planFor,
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "a node", given: "a workspace with a graph", input: { id: "h1" } },
    { title: "an entry", given: "a workspace with a branch", input: { id: "notes@2" } },
  ],

  async handle({ id, limit: asked }, memory) {
    const limit = clampLimit(memory, asked ?? defaultEntries);
    const named = readOpenId(id);
    const opened = await openers[named.kind](memory, named as never, limit);
    if (opened) return opened;
    return memory.fail("UNKNOWN_ID", `Nothing has the id ${quote(id, 100)}.`, {
      details: { id },
      recovery: {
        hint: "Copy the id from an answer; this shows the newest notes and what else there is.",
        operation: "branch_list",
        args: { workspace: memory.workspace },
      },
    });
  },
});

type Opened = z.input<z.ZodObject<typeof openedShape>>;
type Opener<Kind extends OpenId["kind"]> = (
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  id: Extract<OpenId, { kind: Kind }>,
  limit: number,
) => Promise<Opened | undefined>;

const openers: { [Kind in OpenId["kind"]]: Opener<Kind> } = {
  entry: openEntry,
  thought: openThought,
  session: openSession,
  node: openNode,
};

async function openEntry(
  { memory, workspace, fail }: MemoryContext<"INVALID_PAYLOAD">,
  { doc, seq }: { doc: string; seq: number },
): Promise<Opened | undefined> {
  const entry = await memory.readEntry(workspace, seq);
  if (!entry) return undefined;
  const ref = `${entry.doc}@${seq}`;
  if (entry.doc === doc) return { kind: "doc_entry", ref, entry };
  return fail("INVALID_PAYLOAD", `Entry ${seq} belongs to ${quote(entry.doc)}, not to ${quote(doc)}.`, {
    details: { ref },
    recovery: { hint: "Open it under its own document.", operation: "open", args: { workspace, id: ref } },
  });
}

async function openNode(memory: MemoryContext, { id }: { id: string }): Promise<Opened | undefined> {
  const branch = memory.state?.checkout ?? defaultBranch;
  const found = await memory.memory.findNode(memory.workspace, branch, id);
  if (!found) return undefined;
  const { node, place } = found;
  const { edges, total } = await memory.memory.queryEdges(memory.workspace, {
    ...place,
    ids: [id],
    ends: "touching",
    limit: maxEdges,
  });
  const { last_seq, last_ts_ms, deleted: _deleted, ...content } = showVersion(node);
  const isCard = id.startsWith("CARD-");
  return {
    kind: isCard ? "card" : "node",
    id,
    head: headOf(node, place),
    [isCard ? "card" : "node"]: content,
    edges: groupEdges(edges, "outgoing", id, isCard ? ["supports", "blocks"] : []),
    incoming: groupEdges(edges, "incoming", id),
    edges_total: total,
  };
}

const headOf = ({ last_seq, last_ts_ms }: GraphVersion, place: GraphPlace) => ({
  seq: last_seq,
  ts: new Date(last_ts_ms).toISOString(),
  ts_ms: last_ts_ms,
  ...place,
});

/** By relation: the nodes at the other ends; cards always tell what they support and block. */
function groupEdges(
  edges: readonly GraphVersion[],
  way: "outgoing" | "incoming",
  id: string,
  always: readonly string[] = [],
): Record<string, string[]> {
  const [here, there] = way === "outgoing" ? (["from", "to"] as const) : (["to", "from"] as const);
  const grouped = new Map<string, string[]>(always.map((rel) => [rel, []]));
  for (const edge of edges) {
    if (edge.kind !== "edge" || edge[here] !== id) continue;
    const others = grouped.get(edge.rel);
    if (others) others.push(edge[there]);
    else grouped.set(edge.rel, [edge[there]]);
  }
  return Object.fromEntries(grouped);
}

async function openSession(
  memory: MemoryContext<"UNKNOWN_ID">,
  { sessionId }: { sessionId: string },
  limit: number,
): Promise<Opened | undefined> {
  const record = await readSession(memory.ledger, memory.settings, sessionId);
  if (!record) return undefined;
  const scope = { branch: `session/${sessionId}`, doc: defaultDocs.trace };
  const { entries } = await readDocument(memory, scope, undefined, limit);
  const { id: _id, lastAccessedAt: _seen, ...session } = record.session;
  return { kind: "session", id: sessionId, session, ...scope, entries };
}

async function openThought(
  memory: MemoryContext,
  { sessionId, thoughtNumber }: { sessionId: string; thoughtNumber: number },
): Promise<Opened | undefined> {
  if (!(await readSession(memory.ledger, memory.settings, sessionId))) return undefined;
  const [thought] = await memory.ledger.readThoughts(sessionId, { select: "one", thoughtNumber });
  if (!thought) return undefined;
  const entry: Entry = traceEntry(thought);
  return { kind: "thought", id: `${sessionId}:${thoughtNumber}`, entry };
}

/** Each kind has its own centre, which is shortened last. */
function planFor({ kind }: Record<string, unknown>): TrimPlan {
  switch (kind) {
    case "session":
      return { optional: ["session"], list: { key: "entries", oldest: "first", stub: stubEntry } };
    case "card":
      return { optional: ["incoming", "edges"], item: { key: "card", stub: stubNode } };
    case "node":
      return { optional: ["incoming", "edges"], item: { key: "node", stub: stubNode } };
    default:
      return { item: { key: "entry", stub: stubEntry } };
  }
}
