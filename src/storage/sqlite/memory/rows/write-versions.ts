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
  const facets = facetRows(rows);
  if (facets.length > 0) insertFacets(connection, facets);
}

type Faceted = Pick<VersionRow, "doc" | "bid" | "seq" | "facets">;

type FacetGroup = [doc: number, bid: number, facet: string, seqs: number[]];

/** In the order of the index, in which rows are found and written fastest. Versions share most of their facets. */
function facetRows(rows: readonly Faceted[]): FacetGroup[] {
  const groups = new Map<string, FacetGroup>();
  for (const { doc, bid, seq, facets } of rows)
    for (const facet of facets) {
      const name = `${doc} ${bid} ${facet}`;
      const group = groups.get(name);
      if (group) group[3].push(seq);
      else groups.set(name, [doc, bid, facet, [seq]]);
    }
  return [...groups.values()].sort((one, other) => (one[2] < other[2] ? -1 : 1));
}

const facetsOfJson = `SELECT f.value ->> 0, f.value ->> 1, f.value ->> 2, s.value
  FROM json_each(?) f CROSS JOIN json_each(f.value, '$[3]') s`;

function insertFacets({ sql }: Connection, facets: readonly FacetGroup[]): void {
  sql(`INSERT INTO graph_facets (doc, bid, facet, seq) ${facetsOfJson}`).run(JSON.stringify(facets));
}

/** What nobody shows any more leaves the indexes; its words go when the full-text index catches up. */
export function supersede({ sql }: Connection, rows: readonly WriteKinds["superseded"][]): void {
  const facets = facetRows(rows);
  if (facets.length > 0)
    sql(`DELETE FROM graph_facets WHERE (doc, bid, facet, seq) IN (${facetsOfJson})`).run(
      JSON.stringify(facets),
    );
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
