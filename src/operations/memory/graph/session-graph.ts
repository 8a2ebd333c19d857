import type { ThoughtIndex, ThoughtNode } from "../../../domain/ledger/chain/thought-index.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { unknownBranch } from "../../../domain/memory/failures.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import {
  hasWords,
  sameEdgeOnce,
  type ThoughtEdge,
  thoughtEdge,
  thoughtNode,
  thoughtType,
} from "../../../domain/memory/session-trace.ts";
import { createTurns } from "../../../kernel/steps.ts";
import type { EdgePage, EdgesBeside, GraphMoment, NodePage, NodeQuery } from "../../../ports/memory/graph.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { readSession } from "../../pipeline/find-session.ts";
import { sessionOf } from "../scope.ts";

type GraphReader = (query: NodeQuery, edges: EdgesBeside) => Promise<NodePage & { edges: EdgePage }>;

/** Opens a graph. A `session/<id>` branch is the graph of a session: its thoughts and their links. */
export async function openGraph(memory: MemoryContext<"UNKNOWN_ID">, branch: string): Promise<GraphReader> {
  const { workspace } = memory;
  const sessionId = sessionOf(branch);
  if (sessionId === undefined) return (query, edges) => memory.memory.queryGraph(workspace, query, edges);
  const record = await readSession(memory.ledger, memory.settings, sessionId);
  if (!record) throw unknownBranch(branch, workspace);
  return readSessionGraph(memory, await memory.ledger.loadIndex(sessionId));
}

/** The number of thoughts to read at a time. A thought can be up to a mebibyte long. */
const thoughtsAtOnce = 32;
const docs = new Set<string>([defaultDocs.graph, defaultDocs.trace]);
const none = { nodes: [], hasMore: false, edges: { edges: [], total: 0, hasMore: false } };

function readSessionGraph(
  { ledger, signal }: Pick<MemoryContext, "ledger" | "signal">,
  index: ThoughtIndex,
): GraphReader {
  const { sessionId } = index;
  const thoughtAt = async ({ position }: ThoughtNode): Promise<ChainedThought | undefined> =>
    (await ledger.readEntries(sessionId, position - 1, 1))[0];

  async function* newestFirst(before: number | undefined): AsyncGenerator<ChainedThought> {
    const turn = createTurns();
    for (let end = before; ; ) {
      const thoughts = await ledger.readLatest(sessionId, end, thoughtsAtOnce);
      for (const thought of thoughts.toReversed()) {
        yield thought;
        await turn();
        signal.throwIfAborted();
      }
      end = thoughts[0]?.seq;
      if (end === undefined) return;
    }
  }

  async function* named(ids: readonly string[], before = Number.POSITIVE_INFINITY) {
    const nodes = [...new Set(ids)].flatMap((id) => index.nodes.get(id) ?? []);
    for (const node of nodes.sort((one, other) => other.position - one.position)) {
      const thought = await thoughtAt(node);
      if (thought && thought.seq < before) yield thought;
    }
  }

  async function findNodes(query: NodeQuery): Promise<NodePage> {
    const { ids, before, limit, text, types, status, tagsAny, tagsAll } = query;
    const isOther = types && types.length > 0 && !types.includes(thoughtType);
    const needsMarks = status !== undefined || Boolean(tagsAny?.length) || Boolean(tagsAll?.length);
    if (isOther || needsMarks) return { nodes: [], hasMore: false };
    const nodes: NodePage["nodes"] = [];
    for await (const thought of ids ? named(ids, before) : newestFirst(before)) {
      if (isLater(thought, query.asOf)) continue;
      if (text !== undefined && !hasWords(thought.data.thought, text)) continue;
      if (nodes.length === limit) return { nodes, hasMore: true };
      nodes.push(thoughtNode(thought));
    }
    return { nodes, hasMore: false };
  }

  async function findEdges(
    ids: readonly string[],
    { touching, before = Number.POSITIVE_INFINITY, limit }: EdgesBeside,
    asOf: GraphMoment | undefined,
  ): Promise<EdgePage> {
    if (limit === 0) return none.edges;
    const asked = new Set(touching ?? ids);
    const found = sameEdgeOnce([...asked].flatMap((id) => edgesAt(index, id)));
    const wanted = found.filter(({ from, to }) => touching || (asked.has(from) && asked.has(to)));
    const ordered = wanted
      .flatMap((edge) => {
        const later = index.nodes.get(edge.to);
        return later ? [{ edge, later }] : [];
      })
      .sort((one, other) => other.later.position - one.later.position);
    const edges: EdgePage["edges"] = [];
    for (const { edge, later } of ordered) {
      const thought = await thoughtAt(later);
      if (!thought || thought.seq >= before || isLater(thought, asOf)) continue;
      // A thought that follows one thought and revises another has two edges. Both edges must be on the same
      // page.
      if (edges.length >= limit && edges.at(-1)?.last_seq !== thought.seq)
        return { edges, total: ordered.length, hasMore: true };
      edges.push(thoughtEdge(edge, thought));
    }
    return { edges, total: ordered.length, hasMore: false };
  }

  return async (query, edges) => {
    if (!docs.has(query.doc)) return none;
    const page = await findNodes(query);
    const ids = page.nodes.flatMap((node) => (node.kind === "node" ? [node.id] : []));
    return { ...page, edges: await findEdges(ids, edges, query.asOf) };
  };
}

const isLater = ({ seq, data }: ChainedThought, asOf: GraphMoment | undefined): boolean =>
  asOf !== undefined && (asOf.seq === undefined ? Date.parse(data.timestamp) > asOf.ms : seq > asOf.seq);

function edgesAt(index: ThoughtIndex, id: string): ThoughtEdge[] {
  const node = index.nodes.get(id);
  if (!node) return [];
  const after = index.links(node).next.flatMap((next) => index.nodes.get(next) ?? []);
  const revising = index.revisedBy(id).flatMap((revision) => index.nodes.get(revision) ?? []);
  return [node, ...after, ...revising]
    .flatMap((later) => arrivingAt(index, later))
    .filter(({ from, to }) => from === id || to === id);
}

function arrivingAt(index: ThoughtIndex, later: ThoughtNode): ThoughtEdge[] {
  const { prev, branchOrigin } = index.links(later);
  const rel = prev !== undefined && prev === branchOrigin ? "branch" : "next";
  return [
    ...(prev === undefined ? [] : [{ from: prev, rel, to: later.id } as const]),
    ...(later.revisesNode === undefined
      ? []
      : [{ from: later.revisesNode, rel: "revision", to: later.id } as const]),
  ];
}
