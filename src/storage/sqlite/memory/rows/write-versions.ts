import type { GraphState } from "../../../../domain/memory/graph.ts";
import type { VersionRow, WriteKinds } from "../../../../domain/memory/steps/rows.ts";
import type { Connection } from "../../connection/open-database.ts";
import { insert, json } from "./insert.ts";

type OfState = Extract<VersionRow, { state: GraphState }>;
type OfVersion = Extract<VersionRow, { copyOf: number }>;

const nodeOf = ({ state }: OfState) => (state.kind === "node" ? state : undefined);
const edgeOf = ({ state }: OfState) => (state.kind === "edge" ? state : undefined);

const insertStates = insert<OfState>("graph_versions", {
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
});

function copyVersions({ sql }: Connection, rows: readonly OfVersion[]): void {
  sql(
    `INSERT INTO graph_versions (seq, doc, bid, key, kind, deleted, visible, superseded, replaces, live_nodes,
       inherited_nodes, live_edges, fingerprint, type, title, text, status, tags, meta, source, target, ts_ms)
     SELECT c.value ->> 0, v.doc, c.value ->> 1, v.key, v.kind, v.deleted, c.value ->> 2 IS NULL, c.value ->> 2,
       c.value ->> 3, c.value ->> 4, c.value ->> 5, c.value ->> 6, v.fingerprint, v.type, v.title, v.text, v.status,
       v.tags, v.meta, v.source, v.target, c.value ->> 7
     FROM json_each(?) c CROSS JOIN graph_versions v ON v.seq = c.value ->> 8`,
  ).run(
    JSON.stringify(
      rows.map(({ seq, bid, superseded = null, replaces = null, tally, tsMs, copyOf }) => [
        ...[
          seq,
          bid,
          superseded,
          replaces,
          tally.liveNodes,
          tally.inheritedNodes,
          tally.liveEdges,
          tsMs,
          copyOf,
        ],
      ]),
    ),
  );
}

export function writeVersions(connection: Connection, rows: readonly VersionRow[]): void {
  const states = rows.filter((row) => "state" in row);
  const copies = rows.filter((row) => "copyOf" in row);
  if (states.length > 0) insertStates(connection, states);
  if (copies.length > 0) copyVersions(connection, copies);
  insertFacets(connection, rows);
}

type Faceted = Pick<VersionRow, "doc" | "bid" | "seq" | "facets">;

/** Facets of one graph, with the versions that have them. */
type FacetGroup = { doc: number; bid: number; seqs: Map<string, number[]> };

function facetGroups(rows: readonly Faceted[]): FacetGroup[] {
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
  return [...groups.values()];
}

/** The name of a facet is a key of the object, so that SQLite takes each list apart once. */
const facetsOfJson = "SELECT ?2, ?3, f.key, s.value FROM json_each(?1) f CROSS JOIN json_each(f.value) s";

/** In the order of the index, in which rows are found and written fastest. */
const inOrder = (seqs: FacetGroup["seqs"]): string =>
  JSON.stringify(Object.fromEntries([...seqs].sort(([one], [other]) => (one < other ? -1 : 1))));

function insertFacets({ sql }: Connection, rows: readonly Faceted[]): void {
  const [only] = rows;
  if (only && rows.length === 1) {
    const { doc, bid, seq, facets } = only;
    if (facets.length > 0)
      sql("INSERT INTO graph_facets (doc, bid, facet, seq) SELECT ?2, ?3, value, ?4 FROM json_each(?1)").run(
        ...[JSON.stringify([...facets].sort()), doc, bid, seq],
      );
    return;
  }
  for (const { doc, bid, seqs } of facetGroups(rows))
    sql(`INSERT INTO graph_facets (doc, bid, facet, seq) ${facetsOfJson}`).run(inOrder(seqs), doc, bid);
}

export function deleteFacets({ sql }: Connection, rows: readonly Faceted[]): void {
  for (const { doc, bid, seqs } of facetGroups(rows))
    sql(`DELETE FROM graph_facets WHERE (doc, bid, facet, seq) IN (${facetsOfJson})`).run(
      inOrder(seqs),
      doc,
      bid,
    );
}

/** What nobody shows any more leaves the indexes; its words go when the full-text index catches up. */
export function supersede(connection: Connection, rows: readonly WriteKinds["superseded"][]): void {
  const { sql } = connection;
  deleteFacets(connection, rows);
  sql(
    `UPDATE graph_versions SET superseded = s.value ->> 1, visible = s.value ->> 2 FROM json_each(?) s
     WHERE graph_versions.seq = s.value ->> 0`,
  ).run(JSON.stringify(rows.map(({ seq, by, hidden }) => [seq, by, hidden ? 0 : 1])));
  const hidden = rows.filter((row) => row.hidden).map(({ seq }) => seq);
  if (hidden.length > 0)
    sql(
      `INSERT OR IGNORE INTO graph_stale_words
       SELECT w.id FROM json_each(?) s JOIN graph_words_docsize w ON w.id = s.value`,
    ).run(JSON.stringify(hidden));
}
