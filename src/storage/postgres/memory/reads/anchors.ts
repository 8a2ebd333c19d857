import { type CardNode, isThinkType, openStatus } from "../../../../domain/memory/cards/card.ts";
import { isHidden } from "../../../../domain/memory/cards/visibility.ts";
import {
  anchorPrefix,
  byMeaning,
  type MeaningAnchor,
} from "../../../../domain/memory/meaning-map/meaning-anchor.ts";
import { hasFacets } from "../../../../domain/memory/views/card-facets.ts";
import {
  type LinkedCard,
  type LinkPage,
  type LinkQuery,
  maxLinks,
} from "../../../../ports/memory/memory-store.ts";
import { toCard } from "../../../rows/memory-rows.ts";
import { parseColumn } from "../../../rows/row.ts";
import { newestAnywhere } from "../graph/find-node.ts";
import { currentRows, isPublished, readVersions, viewAlong } from "../graph/graph-view.ts";
import { branchById, docName, findBranch, loadLineage, type Place } from "../places.ts";

type Tables = Pick<Place, "connection" | "wid">;

export async function listAnchors({ connection, wid }: Tables): Promise<MeaningAnchor[]> {
  const rows = await connection.sql("SELECT body FROM {memory_anchors} a WHERE wid = ? ORDER BY id").all(wid);
  return rows.map((row) => parseColumn<MeaningAnchor>(row["body"]));
}

/** Graphs of the branches that are there; what nodes are filtered by is looked up in each. */
const liveGraphs = `{memory_branches} b JOIN {memory_streams} s ON s.bid = b.bid AND s.form = 'graph'
  JOIN {graph_facets} f ON f.doc = s.doc AND f.bid = s.bid`;
const has = (facet: string): string => `EXISTS (SELECT 1 FROM {graph_facets} c
  WHERE c.doc = f.doc AND c.bid = f.bid AND c.facet = '${facet}' AND c.seq = f.seq)`;
const inWorkspace = `b.wid = ? AND b.deleted_at_ms IS NULL AND ${isPublished("f")}`;

export async function isCarried({ connection, wid }: Tables, tag: string): Promise<boolean> {
  const row = await connection
    .sql(
      `SELECT 1 AS carried FROM ${liveGraphs} WHERE ${inWorkspace} AND f.facet = ? AND ${has("card")} LIMIT 1`,
    )
    .get(wid, `tag:${tag}`);
  return row !== undefined;
}

export async function carriedAnchorTags({ connection, wid }: Place): Promise<string[]> {
  const prefix = `tag:${anchorPrefix}`;
  const rows = await connection
    .sql(`SELECT DISTINCT f.facet FROM ${liveGraphs} WHERE ${inWorkspace} AND f.facet >= ? AND f.facet < ?
      AND ${has("card")} ORDER BY f.facet`)
    .all(wid, prefix, after(prefix));
  return rows.map((row) => String(row["facet"]).slice("tag:".length));
}

/** The first text that does not begin with `prefix`. */
const after = (prefix: string): string =>
  `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;

type Version = Pick<CardNode, "type" | "status" | "tags" | "last_seq" | "last_ts_ms"> & { doc: number };

/** Each card as it is opened from the checkout: a facet that only another branch shows counts if the checkout has none. */
export async function linkedCards(
  place: Place,
  { checkout, facets, drafts, after, limit }: LinkQuery,
): Promise<LinkPage> {
  const found = await candidates(place, facets);
  const branch = await findBranch(place, checkout);
  const lineage = branch ? await loadLineage(place, branch.bid) : [];
  const linked: Version[] = [];
  const seen = new Set<number>();
  for (const [doc, keys] of found.keys) {
    const current = await currentRows(viewAlong(place, lineage, doc), keys);
    const here = new Map(
      [...current].flatMap(([key, { seq, deleted }]) => (deleted ? [] : [[key, seq] as const])),
    );
    for (const seq of here.values()) seen.add(seq);
    const missing = [...keys].filter((key) => !here.has(key));
    const elsewhere = await newestAnywhere(place, doc, missing);
    linked.push(...(await describe(place, doc, [...here.values(), ...elsewhere.values()])));
  }
  const belongs = linked.filter((card) => hasFacets(card, { any: facets, all: [] }));
  const shown = belongs.filter((card) => drafts || !isHidden(card)).sort(byMeaning);
  // The version that the page before ended with is still there, whatever became of its card.
  const [last] = after === undefined ? [] : await describe(place, 0, [after]);
  const rest = last ? shown.filter((card) => byMeaning(last, card) < 0) : shown;
  return {
    cards: await show(place, rest.slice(0, limit), { seen, checkout }),
    total: belongs.length,
    hasMore: found.hasMore,
    goesOn: rest.length > limit,
  };
}

/** Cards of which some version has one of the facets, by document. */
async function candidates({ connection, wid }: Place, facets: readonly string[]) {
  const rows = await connection
    .sql(`SELECT v.doc, v.key FROM ${liveGraphs} JOIN {graph_versions} v ON v.seq = f.seq
      WHERE ${inWorkspace} AND f.facet = ANY (?::text[]) GROUP BY v.doc, v.key
      ORDER BY bool_or(${has("tag:pinned")}) DESC, bool_or(v.type = 'decision') DESC, max(v.seq) DESC LIMIT ?`)
    .all(wid, facets, maxLinks + 1);
  const keys = new Map<number, Set<string>>();
  for (const row of rows.slice(0, maxLinks)) {
    const doc = Number(row["doc"]);
    const known = keys.get(doc);
    if (known) known.add(String(row["key"]));
    else keys.set(doc, new Set([String(row["key"])]));
  }
  return { keys, hasMore: rows.length > maxLinks };
}

/** As much of the versions as tells which are shown first; their texts are read for those alone. */
async function describe({ connection }: Place, doc: number, seqs: readonly number[]): Promise<Version[]> {
  const rows = await connection
    .sql(`SELECT v.seq, v.type, v.status, v.tags, v.ts_ms FROM unnest(?::bigint[]) WITH ORDINALITY s (seq, nth)
      JOIN {graph_versions} v ON v.seq = s.seq WHERE v.kind = 'node' ORDER BY s.nth`)
    .all(seqs);
  return rows.flatMap((row): Version[] => {
    const type = String(row["type"]);
    if (!isThinkType(type)) return [];
    const tags = row["tags"] === null ? [] : parseColumn<string[]>(row["tags"]);
    const status = String(row["status"] ?? openStatus);
    return [{ doc, type, status, tags, last_seq: Number(row["seq"]), last_ts_ms: Number(row["ts_ms"]) }];
  });
}

async function show(
  place: Place,
  versions: readonly Version[],
  { seen, checkout }: { seen: ReadonlySet<number>; checkout: string },
): Promise<LinkedCard[]> {
  const stored = await readVersions(
    place,
    versions.map(({ last_seq }) => last_seq),
  );
  const cards = await Promise.all(
    versions.map(async ({ last_seq, doc }) => {
      const found = stored.get(last_seq);
      if (!found) return [];
      const branch = seen.has(last_seq) ? checkout : (await branchById(place, found.bid)).name;
      const name = await docName(place, doc);
      return toCard(found.version).map((card) => ({ ...card, branch, doc: name }));
    }),
  );
  return cards.flat();
}
