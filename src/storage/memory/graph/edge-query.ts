import type { GraphVersion } from "../../../domain/memory/graph.ts";
import { endOfTime } from "../../../domain/memory/lineage.ts";
import {
  type EdgePage,
  type EdgeQuery,
  type EdgesBeside,
  maxCountedEdges,
} from "../../../ports/memory/graph.ts";
import { all, type Query } from "../query.ts";
import { currentAmong, edgesAtNodes, type GraphView } from "./graph-view.ts";

/** SQL: looks up pairs of nodes, so that a node with many edges takes no longer than others. */
const among = `SELECT DISTINCT v.seq FROM TEXTS(?1) n CROSS JOIN {graph_versions} v
  ON v.doc = ?2 AND v.source = n.value AND v.target IN TEXTS(?1)
  AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0 AND v.seq < ?4 ORDER BY v.seq DESC LIMIT ?3`;
const touching = `SELECT e.seq FROM (${edgesAtNodes("?1", "?2", "AND v.seq < ?4")}) e ORDER BY e.seq DESC LIMIT ?3`;
const byEnds = { among, touching } as const;

/** Returns the live edges in the view at these nodes, newest first. */
export function* queryEdges(
  view: GraphView,
  { ids, ends, before = endOfTime, limit }: Omit<EdgeQuery, "branch" | "doc">,
): Query<EdgePage> {
  const none = { edges: [], total: 0, hasMore: false };
  if (view.doc === undefined || ids.length === 0 || limit === 0) return none;
  const nodes = [...new Set(ids)];
  const { doc } = view;
  function* newestBelow(end: number) {
    const rows = yield* all(byEnds[ends], nodes, doc, maxCountedEdges, end);
    const seqs = rows.map((row) => Number(row["seq"]));
    return {
      edges: seqs.length === 0 ? [] : (yield* currentAmong(view, seqs)).map(({ version }) => version),
      end: seqs.at(-1) ?? 0,
      isLast: seqs.length < maxCountedEdges,
    };
  }
  const counted = yield* newestBelow(endOfTime);
  const rest = counted.edges.filter(({ last_seq }) => last_seq < before);
  for (let { end, isLast } = counted; !isLast && rest.length <= limit; ) {
    const older = yield* newestBelow(Math.min(end, before));
    for (const edge of older.edges) rest.push(edge);
    ({ end, isLast } = older);
  }
  return { edges: rest.slice(0, limit), total: counted.edges.length, hasMore: rest.length > limit };
}

/** Returns the edges that belong to a page of nodes. */
export const edgesBeside = (
  view: GraphView,
  nodes: readonly GraphVersion[],
  { touching: near, ...page }: EdgesBeside,
): Query<EdgePage> =>
  queryEdges(view, {
    ids: near ?? nodes.flatMap((node) => (node.kind === "node" ? [node.id] : [])),
    ends: near ? "touching" : "among",
    ...page,
  });
