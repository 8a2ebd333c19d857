import type { GraphVersion } from "../../domain/memory/graph.ts";
import { sees } from "../../domain/memory/lineage.ts";
import { hasWords } from "../../domain/memory/session-trace.ts";
import type {
  EdgePage,
  EdgesBeside,
  GraphMoment,
  NodePage,
  NodeQuery,
  NodeWithWords,
} from "../../ports/memory/graph.ts";
import { decodeVersion, type Stored } from "./graph-rows.ts";
import { matchesQuery } from "./node-filters.ts";
import type { Row } from "./row.ts";

/** A version of a key, superseded or not, without its contents. */
type PastRow = { key: string; seq: number; bid: number; tsMs: number };

export const decodePastRow = (row: Row): PastRow => ({
  key: String(row["key"]),
  seq: Number(row["seq"]),
  bid: Number(row["bid"]),
  tsMs: Number(row["ts_ms"]),
});

/** So many superseded versions are looked at. */
export const maxEarlier = 2_000;

export function decodeFound(row: Row): NodeWithWords {
  const { version } = decodeVersion(row);
  if (version.kind !== "node") throw new Error(`${version.last_seq} is no node`);
  return {
    node: version,
    place: { branch: String(row["branch_name"]), doc: String(row["doc_name"]) },
    conflict: Number(row["conflict"]) === 1,
    superseded: row["superseded"] !== null,
  };
}

export type PastGraph = {
  /** All versions of the document in any order, and what the branch sees. */
  rows(): Promise<{ rows: PastRow[]; view: ReadonlyMap<number, number> }>;
  versions(seqs: readonly number[]): Promise<Map<number, Stored>>;
};

const isBy = ({ seq, tsMs }: PastRow, at: GraphMoment): boolean =>
  at.seq === undefined ? tsMs <= at.ms : seq <= at.seq;

/** Of each key the version that the branch showed at the moment, newest first. */
function shownAt(rows: readonly PastRow[], view: ReadonlyMap<number, number>, at: GraphMoment): PastRow[] {
  const shown = new Map<string, PastRow>();
  for (const row of rows) {
    if (!isBy(row, at) || !sees(view, row.bid, row.seq)) continue;
    const known = shown.get(row.key);
    if (!known || known.seq < row.seq) shown.set(row.key, row);
  }
  return [...shown.values()].sort((one, other) => other.seq - one.seq);
}

/** Ids of nodes have no bar in them; the key of an edge has two. */
const endsOf = (key: string): [string, string] | undefined => {
  const [from, , to] = key.split("|");
  return from === undefined || to === undefined ? undefined : [from, to];
};

const readAtOnce = 200;

/** The graph as a branch showed it at a moment. Costs what was ever written to the document. */
export async function queryGraphAt(
  past: PastGraph,
  query: NodeQuery & { asOf: GraphMoment },
  beside: EdgesBeside,
): Promise<NodePage & { edges: EdgePage }> {
  const { rows, view } = await past.rows();
  const shown = shownAt(rows, view, query.asOf);
  const ids = query.ids && new Set(query.ids);
  const wanted = shown.filter(
    ({ key, seq }) =>
      endsOf(key) === undefined && seq < (query.before ?? Number.POSITIVE_INFINITY) && (!ids || ids.has(key)),
  );
  const fits = (version: GraphVersion) =>
    matchesQuery(version, query) &&
    (query.text === undefined ||
      (version.kind === "node" && hasWords(`${version.title ?? ""} ${version.text ?? ""}`, query.text)));
  const nodes = await readSome(past, wanted, query.limit + 1, fits);
  const page = nodes.slice(0, query.limit);
  const edges = await edgesAt(past, shown, page, beside);
  return { nodes: page, hasMore: nodes.length > query.limit, edges };
}

async function readSome(
  past: PastGraph,
  rows: readonly PastRow[],
  limit: number,
  fits: (version: GraphVersion) => boolean,
): Promise<GraphVersion[]> {
  const found: GraphVersion[] = [];
  for (let from = 0; from < rows.length && found.length < limit; from += readAtOnce) {
    const some = rows.slice(from, from + readAtOnce);
    const versions = await past.versions(some.map(({ seq }) => seq));
    for (const { seq } of some) {
      const version = versions.get(seq)?.version;
      if (version && fits(version)) found.push(version);
    }
  }
  return found.slice(0, limit);
}

async function edgesAt(
  past: PastGraph,
  shown: readonly PastRow[],
  nodes: readonly GraphVersion[],
  { touching, before = Number.POSITIVE_INFINITY, limit }: EdgesBeside,
): Promise<EdgePage> {
  if (limit === 0) return { edges: [], total: 0, hasMore: false };
  const asked = new Set(touching ?? nodes.flatMap((node) => (node.kind === "node" ? [node.id] : [])));
  const isWanted = (ends: [string, string]) =>
    touching ? ends.some((end) => asked.has(end)) : ends.every((end) => asked.has(end));
  const rows = shown.filter(({ key }) => {
    const ends = endsOf(key);
    return ends !== undefined && isWanted(ends);
  });
  const live = await readSome(past, rows, rows.length, ({ deleted }) => !deleted);
  const rest = live.filter(({ last_seq }) => last_seq < before);
  return { edges: rest.slice(0, limit), total: live.length, hasMore: rest.length > limit };
}
