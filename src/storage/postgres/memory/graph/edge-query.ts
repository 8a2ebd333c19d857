import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { endOfTime } from "../../../../domain/memory/lineage.ts";
import {
  type EdgePage,
  type EdgeQuery,
  type EdgesBeside,
  maxCountedEdges,
} from "../../../../ports/memory/graph.ts";
import { edgesAtNodes } from "../rows/graph-facts.ts";
import { currentAmong, type GraphView } from "./graph-view.ts";

const among = `SELECT v.seq FROM {graph_versions} v WHERE v.doc = ?2 AND v.source = ANY (?1::text[])
  AND v.target = ANY (?1::text[]) AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0 AND v.seq < ?4
  ORDER BY v.seq DESC LIMIT ?3`;
const touching = `SELECT seq FROM (${edgesAtNodes("?1", "?2")}) e WHERE seq < ?4 ORDER BY seq DESC LIMIT ?3`;

/** Live edges of the view at these nodes, newest first. */
export async function queryEdges(
  view: GraphView,
  { ids, ends, before = endOfTime, limit }: Omit<EdgeQuery, "branch" | "doc">,
): Promise<EdgePage> {
  const none = { edges: [], total: 0, hasMore: false };
  if (view.doc === undefined || ids.length === 0 || limit === 0) return none;
  const nodes = [...new Set(ids)];
  const select = view.place.connection.sql(ends === "among" ? among : touching);
  const newestBelow = async (end: number) => {
    const rows = await select.all(nodes, view.doc ?? 0, maxCountedEdges, end);
    const seqs = rows.map((row) => Number(row["seq"]));
    return {
      edges: (await currentAmong(view, seqs)).map(({ version }) => version),
      end: seqs.at(-1) ?? 0,
      isLast: seqs.length < maxCountedEdges,
    };
  };
  const counted = await newestBelow(endOfTime);
  const rest = counted.edges.filter(({ last_seq }) => last_seq < before);
  for (let { end, isLast } = counted; !isLast && rest.length <= limit; ) {
    const older = await newestBelow(Math.min(end, before));
    for (const edge of older.edges) rest.push(edge);
    ({ end, isLast } = older);
  }
  return { edges: rest.slice(0, limit), total: counted.edges.length, hasMore: rest.length > limit };
}

/** Those that go with a page of nodes. */
export const edgesBeside = (
  view: GraphView,
  nodes: readonly GraphVersion[],
  { touching, ...page }: EdgesBeside,
): Promise<EdgePage> =>
  queryEdges(view, {
    ids: touching ?? nodes.flatMap((node) => (node.kind === "node" ? [node.id] : [])),
    ends: touching ? "touching" : "among",
    ...page,
  });
