import type { GraphState } from "../../../domain/memory/graph.ts";
import type { VersionRow, WriteKinds } from "../../../domain/memory/steps/rows.ts";
import { type Insert, insertRows, type Query, send, tell } from "../query.ts";

type OfState = Extract<VersionRow, { state: GraphState }>;
type OfVersion = Extract<VersionRow, { copyOf: number }>;

export const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

const nodeOf = ({ state }: OfState) => (state.kind === "node" ? state : undefined);
const edgeOf = ({ state }: OfState) => (state.kind === "edge" ? state : undefined);

const states: Insert<OfState> = {
  table: "graph_versions",
  columns: {
    seq: ({ seq }) => seq,
    doc: ({ doc }) => doc,
    bid: ({ bid }) => bid,
    key: ({ key }) => key,
    kind: ({ kind }) => kind,
    deleted: ({ deleted }) => (deleted ? 1 : 0),
    visible: ({ superseded }) => (superseded === undefined ? 1 : 0),
    superseded: ({ superseded }) => superseded ?? null,
    replaces: ({ replaces }) => replaces ?? null,
    live_nodes: ({ tally }) => tally.liveNodes,
    inherited_nodes: ({ tally }) => tally.inheritedNodes,
    live_edges: ({ tally }) => tally.liveEdges,
    fingerprint: ({ fingerprint }) => fingerprint,
    type: (row) => nodeOf(row)?.type ?? edgeOf(row)?.rel ?? "",
    title: (row) => nodeOf(row)?.title ?? null,
    text: (row) => nodeOf(row)?.text ?? null,
    status: (row) => nodeOf(row)?.status ?? null,
    tags: (row) => {
      const tags = nodeOf(row)?.tags;
      return tags && tags.length > 0 ? JSON.stringify(tags) : null;
    },
    meta: ({ state }) => json(state.meta),
    source: (row) => edgeOf(row)?.from ?? null,
    target: (row) => edgeOf(row)?.to ?? null,
    ts_ms: ({ tsMs }) => tsMs,
  },
};

const copyVersions = `INSERT INTO graph_versions (seq, doc, bid, key, kind, deleted, visible, superseded, replaces, live_nodes,
    inherited_nodes, live_edges, fingerprint, type, title, text, status, tags, meta, source, target, ts_ms)
  SELECT c.seq, v.doc, c.bid, v.key, v.kind, v.deleted, CASE WHEN c.superseded IS NULL THEN 1 ELSE 0 END, c.superseded,
    c.replaces, c.live_nodes, c.inherited_nodes, c.live_edges, v.fingerprint, v.type, v.title, v.text, v.status,
    v.tags, v.meta, v.source, v.target, c.ts_ms
  FROM LIST(?, seq number, bid number, superseded number, replaces number, live_nodes number, inherited_nodes number,
    live_edges number, ts_ms number, copy_of number) c CROSS JOIN {graph_versions} v ON v.seq = c.copy_of`;

const copyRow = ({ seq, bid, superseded, replaces, tally, tsMs, copyOf }: OfVersion) => [
  ...[seq, bid, superseded ?? null, replaces ?? null],
  ...[tally.liveNodes, tally.inheritedNodes, tally.liveEdges, tsMs, copyOf],
];

export function* writeVersions(rows: readonly VersionRow[]): Query<void> {
  yield* insertRows(
    states,
    rows.filter((row) => "state" in row),
  );
  const copies = rows.filter((row) => "copyOf" in row);
  if (copies.length > 0) yield* send(copyVersions, JSON.stringify(copies.map(copyRow)));
  yield* tell({ wrote: "versions", rows });
  yield* writeFacets(":insertFacets", rows);
}

type Faceted = Pick<VersionRow, "doc" | "bid" | "seq" | "facets">;

/** The facets in one graph, and the versions that have them. */
type FacetGroup = { doc: number; bid: number; seqs: Map<string, number[]> };

function facetGroups(rows: readonly Faceted[]): Iterable<FacetGroup> {
  const groups = new Map<string, FacetGroup>();
  for (const { doc, bid, seq, facets } of rows)
    for (const facet of facets) {
      const name = `${doc} ${bid}`;
      const group = groups.get(name) ?? { doc, bid, seqs: new Map() };
      groups.set(name, group);
      const seqs = group.seqs.get(facet);
      if (seqs) seqs.push(seq);
      else group.seqs.set(facet, [seq]);
    }
  return groups.values();
}

/** Sorts facets in index order, because the database finds and writes rows fastest in that order. */
const inOrder = (seqs: FacetGroup["seqs"]): string =>
  JSON.stringify(Object.fromEntries([...seqs].sort(([one], [other]) => (one < other ? -1 : 1))));

/** SQL: the list of facets for statements that write to several graphs at once. */
const facetList =
  "SELECT l.doc, l.bid, l.facet, l.seq FROM LIST(?, doc number, bid number, facet text, seq number) l";
const inSeveral = {
  ":insertFacets": `INSERT INTO graph_facets (doc, bid, facet, seq) ${facetList}`,
  ":deleteFacets": `DELETE FROM graph_facets WHERE (doc, bid, facet, seq) IN (${facetList})`,
};

export function* writeFacets(text: keyof typeof inSeveral, rows: readonly Faceted[]): Query<void> {
  const [only, ...others] = facetGroups(rows);
  if (only && others.length === 0) yield* send(text, inOrder(only.seqs), only.doc, only.bid);
  if (others.length === 0) return;
  const list = rows.flatMap(({ doc, bid, seq, facets }) => facets.map((facet) => [doc, bid, facet, seq]));
  yield* send(inSeveral[text], JSON.stringify(list));
}

/**
 * Marks versions as superseded. If a version is no longer visible on any branch, removes it from the indexes.
 */
export function* supersede(rows: readonly WriteKinds["superseded"][]): Query<void> {
  yield* writeFacets(":deleteFacets", rows);
  yield* send(
    `UPDATE graph_versions SET superseded = s.follower, visible = s.shown
     FROM LIST(?, seq number, follower number, shown number) s WHERE graph_versions.seq = s.seq`,
    JSON.stringify(rows.map(({ seq, by, hidden }) => [seq, by, hidden ? 0 : 1])),
  );
  const seqs = rows.filter(({ hidden }) => hidden).map(({ seq }) => seq);
  if (seqs.length > 0) yield* tell({ wrote: "hidden", seqs });
}

type ConflictRow = WriteKinds["conflict"];

const conflictsOf = (status: "open" | "staged", set?: string): Insert<ConflictRow> => ({
  table: "graph_conflicts",
  columns: {
    wid: ({ wid }) => wid,
    id: ({ conflict }) => conflict.conflict_id,
    doc: ({ doc }) => doc,
    from_bid: ({ from }) => from,
    into_bid: ({ into }) => into,
    kind: ({ conflict }) => conflict.kind,
    key: ({ conflict }) => conflict.key,
    status: () => status,
    base: ({ conflict }) => json(conflict.base ?? undefined),
    theirs: ({ conflict }) => json(conflict.theirs ?? undefined),
    ours: ({ conflict }) => json(conflict.ours ?? undefined),
    created_at_ms: ({ conflict }) => conflict.created_at_ms,
  },
  key: { of: ["wid", "id"], ...(set !== undefined && { set }) },
  texts: ["base"],
});

const openAgain = "status = 'open', resolution = NULL, resolved_at_ms = NULL";

/** Inserts conflicts that stay invisible until `openStaged` runs, and leaves existing conflicts unchanged. */
const stagedConflicts = conflictsOf("staged");
export const stageConflicts = (rows: readonly ConflictRow[]) => insertRows(stagedConflicts, rows);

const openConflicts = conflictsOf("open", openAgain);

/** Opens these conflicts, whether they were staged or already known, and removes the other staged ones. */
export function* openStaged(wid: number, opened: readonly string[]): Query<void> {
  yield* send("DELETE FROM graph_conflicts WHERE status = 'staged' AND id NOT IN TEXTS(?)", opened);
  yield* send(`UPDATE graph_conflicts SET ${openAgain} WHERE wid = ? AND id IN TEXTS(?)`, wid, opened);
}

const settledKeys: Insert<WriteKinds["settled"]> = {
  table: "graph_settled",
  columns: {
    wid: ({ wid }) => wid,
    bid: ({ child }) => child,
    doc: ({ doc }) => doc,
    key: ({ key }) => key,
    seq: ({ seq }) => seq ?? null,
  },
  key: { of: ["bid", "doc", "key"], set: "seq = excluded.seq" },
};

/** Settles these keys, replacing what a published merge has staged for them. */
export function* settle(rows: readonly WriteKinds["settled"][]): Query<void> {
  yield* insertRows(settledKeys, rows);
  yield* tell({ wrote: "settled", rows });
}

const movedMarks: Insert<{ child: number; doc: number; from: number; seq: number }> = {
  table: "graph_merged",
  columns: {
    bid: ({ child }) => child,
    doc: ({ doc }) => doc,
    from_bid: ({ from }) => from,
    seq: ({ seq }) => seq,
  },
  key: { of: ["bid", "doc", "from_bid"], set: "seq = excluded.seq" },
};

const knownDifferences: Insert<WriteKinds["knownDifference"]> = {
  table: "graph_known_differences",
  columns: {
    bid: ({ child }) => child,
    doc: ({ doc }) => doc,
    seq: ({ seq }) => seq,
    keys: ({ keys }) => JSON.stringify(keys),
  },
  key: { of: ["bid", "doc"], set: "seq = excluded.seq, keys = excluded.keys" },
};

export const mergeWriters = {
  settled: settle,
  /** Writes first and deletes afterwards, so that no write recreates a mark that has to be deleted. */
  *mergeMark(rows: readonly WriteKinds["mergeMark"][]) {
    yield* insertRows(
      movedMarks,
      rows.filter((row) => row.from !== undefined),
    );
    const forgotten = rows.filter(({ from }) => from === undefined);
    if (forgotten.length > 0)
      yield* send(
        `DELETE FROM graph_merged WHERE (bid, doc) IN (SELECT l.bid, l.doc FROM LIST(?, bid number, doc number) l)`,
        JSON.stringify(forgotten.map(({ child, doc }) => [child, doc])),
      );
  },
  closedConflict: (rows: readonly WriteKinds["closedConflict"][]) =>
    send(
      `UPDATE graph_conflicts SET status = 'resolved', resolution = c.choice, resolved_at_ms = c.at
       FROM LIST(?, wid number, id text, choice text, at number) c
       WHERE graph_conflicts.wid = c.wid AND graph_conflicts.id = c.id`,
      JSON.stringify(rows.map(({ wid, id, resolution, atMs }) => [wid, id, resolution, atMs])),
    ),
  conflict: (rows: readonly ConflictRow[]) => insertRows(openConflicts, rows),
  knownDifference: (rows: readonly WriteKinds["knownDifference"][]) => insertRows(knownDifferences, rows),
};
