import type { GraphState } from "../../../../domain/memory/graph.ts";
import type { VersionRow, WriteKinds } from "../../../../domain/memory/steps/rows.ts";
import { createStemmer } from "../../../../domain/search/words/porter.ts";
import { toStems } from "../../../../domain/search/words/words.ts";
import type { WriteConnection } from "../../connection/access.ts";
import { bulkInsert, json } from "../../connection/insert.ts";
import { toVectors } from "../../search/vectors.ts";

type OfState = Extract<VersionRow, { state: GraphState }>;
type OfVersion = Extract<VersionRow, { copyOf: number }>;

const nodeOf = ({ state }: OfState) => (state.kind === "node" ? state : undefined);
const edgeOf = ({ state }: OfState) => (state.kind === "edge" ? state : undefined);

const insertStates = bulkInsert<OfState>("graph_versions", {
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

type WordsRow = { seq: number; doc: number; part: number; words: string };

const insertWords = bulkInsert<WordsRow>(
  "graph_words",
  { seq: ({ seq }) => seq, doc: ({ doc }) => doc, part: ({ part }) => part, words: ({ words }) => words },
  { types: { words: "tsvector" } },
);

const stemOf = createStemmer();

/** Deleted nodes are found by those who ask for them; versions that nobody sees are not. */
const wordsOf = (row: OfState): WordsRow[] => {
  const node = nodeOf(row);
  if (!node || row.superseded !== undefined) return [];
  const texts = [node.title, node.text].map((text) => toStems(text ?? "", stemOf));
  return toVectors(...texts).map((words, part) => ({ seq: row.seq, doc: row.doc, part, words }));
};

const copied =
  "(seq bigint, bid bigint, superseded bigint, replaces bigint, live_nodes bigint, inherited_nodes bigint, live_edges bigint, ts_ms bigint, copy_of bigint)";

function copyVersions({ sql, send }: WriteConnection, rows: readonly OfVersion[]): void {
  const list = JSON.stringify(
    rows.map(({ seq, bid, superseded = null, replaces = null, tally, tsMs, copyOf }) => ({
      seq,
      bid,
      superseded,
      replaces,
      live_nodes: tally.liveNodes,
      inherited_nodes: tally.inheritedNodes,
      live_edges: tally.liveEdges,
      ts_ms: tsMs,
      copy_of: copyOf,
    })),
  );
  send(
    sql(`INSERT INTO graph_versions (tenant, seq, doc, bid, key, kind, deleted, visible, superseded, replaces, live_nodes,
        inherited_nodes, live_edges, fingerprint, type, title, text, status, tags, meta, source, target, ts_ms)
      SELECT @tenant, c.seq, v.doc, c.bid, v.key, v.kind, v.deleted, CASE WHEN c.superseded IS NULL THEN 1 ELSE 0 END,
        c.superseded, c.replaces, c.live_nodes, c.inherited_nodes, c.live_edges, v.fingerprint, v.type, v.title, v.text,
        v.status, v.tags, v.meta, v.source, v.target, c.ts_ms
      FROM jsonb_to_recordset(?::jsonb) c ${copied} JOIN {graph_versions} v ON v.seq = c.copy_of`).run(list),
  );
  send(
    sql(`INSERT INTO graph_words (tenant, seq, doc, part, words) SELECT @tenant, c.seq, w.doc, w.part, w.words
      FROM jsonb_to_recordset(?::jsonb) c ${copied} JOIN {graph_words} w ON w.seq = c.copy_of
      WHERE c.superseded IS NULL`).run(list),
  );
}

/** Call inside a write. */
export function writeVersions(connection: WriteConnection, rows: readonly VersionRow[]): void {
  const states = rows.filter((row) => "state" in row);
  const copies = rows.filter((row) => "copyOf" in row);
  if (states.length > 0) {
    connection.send(insertStates(connection, states));
    const words = states.flatMap(wordsOf);
    if (words.length > 0) connection.send(insertWords(connection, words));
  }
  if (copies.length > 0) copyVersions(connection, copies);
  const facets = facetRows(rows);
  if (facets.length > 0) connection.send(insertFacets(connection, facets));
}

type Faceted = Pick<VersionRow, "doc" | "bid" | "seq" | "facets">;
type FacetRow = { doc: number; bid: number; facet: string; seq: number };

const facetRows = (rows: readonly Faceted[]): FacetRow[] =>
  rows.flatMap(({ doc, bid, seq, facets }) => facets.map((facet) => ({ doc, bid, facet, seq })));

const insertFacets = bulkInsert<FacetRow>("graph_facets", {
  doc: ({ doc }) => doc,
  bid: ({ bid }) => bid,
  facet: ({ facet }) => facet,
  seq: ({ seq }) => seq,
});

/** Call inside a write. */
export function deleteFacets({ sql, send }: WriteConnection, rows: readonly Faceted[]): void {
  const facets = facetRows(rows);
  if (facets.length === 0) return;
  send(
    sql(`DELETE FROM graph_facets f USING unnest(?::bigint[], ?::bigint[], ?::text[], ?::bigint[]) u (doc, bid, facet, seq)
      WHERE f.tenant = @tenant AND f.doc = u.doc AND f.bid = u.bid AND f.facet = u.facet AND f.seq = u.seq`).run(
      facets.map(({ doc }) => doc),
      facets.map(({ bid }) => bid),
      facets.map(({ facet }) => facet),
      facets.map(({ seq }) => seq),
    ),
  );
}

/** Call inside a write. What nobody shows any more leaves the indexes. */
export function supersede(connection: WriteConnection, rows: readonly WriteKinds["superseded"][]): void {
  const { sql, send } = connection;
  deleteFacets(connection, rows);
  send(
    sql(`UPDATE graph_versions v SET superseded = u.by, visible = u.visible
      FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) u (seq, by, visible)
      WHERE v.tenant = @tenant AND v.seq = u.seq`).run(
      rows.map(({ seq }) => seq),
      rows.map(({ by }) => by),
      rows.map(({ hidden }) => (hidden ? 0 : 1)),
    ),
  );
  const hidden = rows.filter((row) => row.hidden).map(({ seq }) => seq);
  if (hidden.length > 0)
    send(sql("DELETE FROM graph_words WHERE tenant = @tenant AND seq = ANY (?::bigint[])").run(hidden));
}
