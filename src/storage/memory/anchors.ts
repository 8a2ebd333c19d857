import { type CardNode, isThinkType, openStatus } from "../../domain/memory/cards/card.ts";
import { isHidden } from "../../domain/memory/cards/visibility.ts";
import {
  anchorPrefix,
  byMeaning,
  type MeaningAnchor,
} from "../../domain/memory/meaning-map/meaning-anchor.ts";
import { hasFacets } from "../../domain/memory/views/selection.ts";
import { type LinkedCard, type LinkPage, type LinkQuery, maxLinks } from "../../ports/memory/memory-store.ts";
import { toCard } from "../rows/memory-rows.ts";
import { parseColumn } from "../rows/row.ts";
import { newestAnywhere } from "./graph/find-node.ts";
import { currentRows, isPublished, readVersions, viewAlong } from "./graph/graph-view.ts";
import { branchById, docName, findBranch, loadLineage, type Place } from "./places.ts";
import { all, each, get, type Query } from "./query.ts";

type Workspace = Pick<Place, "wid">;

export function* listAnchors({ wid }: Workspace): Query<MeaningAnchor[]> {
  const rows = yield* all("SELECT a.body FROM {memory_anchors} a WHERE a.wid = ? ORDER BY a.id", wid);
  return rows.map((row) => parseColumn<MeaningAnchor>(row["body"]));
}

/** SQL: the facets of every graph on an existing branch. */
const liveGraphs = `{memory_branches} b CROSS JOIN {memory_streams} s ON s.bid = b.bid AND s.form = 'graph'
  CROSS JOIN {graph_facets} f ON f.doc = s.doc AND f.bid = s.bid`;
const has = (facet: string): string => `EXISTS (SELECT 1 FROM {graph_facets} c
  WHERE c.doc = f.doc AND c.bid = f.bid AND c.facet = '${facet}' AND c.seq = f.seq)`;
const isThere = `b.wid = ? AND b.deleted_at_ms IS NULL AND ${isPublished("f")}`;

/** Returns, for each tag, true if a card on an existing branch has it. */
export function* areCarried({ wid }: Workspace, tags: readonly string[]): Query<boolean[]> {
  const facetOf = (tag: string) => `tag:${tag}`;
  const rows = yield* all(
    `SELECT t.value AS facet FROM TEXTS(?) t
     WHERE EXISTS (SELECT 1 FROM ${liveGraphs} WHERE ${isThere} AND f.facet = t.value AND ${has("card")})`,
    ...[tags.map(facetOf), wid],
  );
  const carried = new Set(rows.map((row) => row["facet"]));
  return tags.map((tag) => carried.has(facetOf(tag)));
}

/** True if a card has, or once had, one of these facets on an existing branch. */
export function* hasCarried({ wid }: Workspace, facets: readonly string[]): Query<boolean> {
  const row = yield* get(
    `SELECT 1 AS there FROM TEXTS(?) t CROSS JOIN ${liveGraphs} WHERE ${isThere} AND f.facet = t.value LIMIT 1`,
    ...[facets, wid],
  );
  return row !== undefined;
}

export function* carriedAnchorTags({ wid }: Workspace): Query<string[]> {
  const prefix = `tag:${anchorPrefix}`;
  const rows = yield* all(
    `SELECT DISTINCT f.facet FROM ${liveGraphs} WHERE ${isThere} AND f.facet >= ? AND f.facet < ? AND ${has("card")}
     ORDER BY f.facet`,
    ...[wid, prefix, after(prefix)],
  );
  return rows.map((row) => String(row["facet"]).slice("tag:".length));
}

/** Returns the lowest text that is greater than every text with this prefix. */
const after = (prefix: string): string =>
  `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;

type Version = Pick<CardNode, "type" | "status" | "tags" | "last_seq" | "last_ts_ms"> & { doc: number };

/**
 * Returns each card in the version that is visible on the checkout. If no version is visible there, returns a
 * version from another branch.
 */
export function* linkedCards(
  place: Place,
  { checkout, facets, naming, drafts, after, limit }: LinkQuery,
): Query<LinkPage> {
  const found = yield* candidates(place, facets, naming);
  const branch = yield* findBranch(place, checkout);
  const lineage = branch ? yield* loadLineage(branch.bid) : [];
  const linked: Version[] = [];
  const seen = new Set<number>();
  for (const [doc, keys] of found.keys) {
    const current = yield* currentRows(viewAlong(place, lineage, doc), keys);
    const here = new Map(
      [...current].flatMap(([key, { seq, deleted }]) => (deleted ? [] : [[key, seq] as const])),
    );
    for (const seq of here.values()) seen.add(seq);
    const missing = [...keys].filter((key) => !here.has(key));
    const elsewhere = yield* newestAnywhere(doc, missing);
    linked.push(...(yield* describe(doc, [...here.values(), ...elsewhere.values()])));
  }
  const belongs = linked.filter((card) => hasFacets(card, { any: facets, all: [] }));
  const shown = belongs.filter((card) => drafts || !isHidden(card)).sort(byMeaning);
  // The version that ended the previous page still exists, even if its card has changed.
  const [last] = after === undefined ? [] : yield* describe(0, [after]);
  const rest = last ? shown.filter((card) => byMeaning(last, card) < 0) : shown;
  return {
    cards: yield* show(rest.slice(0, limit), { seen, checkout }),
    total: belongs.length,
    hasMore: found.hasMore,
    goesOn: rest.length > limit,
  };
}

const candidatesAmong = (more: string): string =>
  `SELECT v.doc, v.key FROM TEXTS(?) t CROSS JOIN ${liveGraphs} JOIN {graph_versions} v ON v.seq = f.seq
   WHERE ${isThere} AND f.facet = t.value ${more} GROUP BY v.doc, v.key
   ORDER BY max(CASE WHEN ${has("tag:pinned")} THEN 1 ELSE 0 END) DESC,
     max(CASE WHEN v.type = 'decision' THEN 1 ELSE 0 END) DESC, max(v.seq) DESC LIMIT ?`;
const allCandidates = candidatesAmong("");
const namingCandidates = candidatesAmong(
  "AND v.meta IS NOT NULL AND EXISTS (SELECT 1 FROM TEXTS(?) n WHERE v.meta LIKE n.value OR v.key LIKE n.value)",
);

/** Returns the keys of cards with a version that has one of the facets, by document. */
function* candidates({ wid }: Place, facets: readonly string[], naming: LinkQuery["naming"]) {
  const rows = naming
    ? yield* all(namingCandidates, facets, wid, naming.map(likeText), maxLinks + 1)
    : yield* all(allCandidates, facets, wid, maxLinks + 1);
  const keys = new Map<number, Set<string>>();
  for (const row of rows.slice(0, maxLinks)) {
    const doc = Number(row["doc"]);
    const known = keys.get(doc);
    if (known) known.add(String(row["key"]));
    else keys.set(doc, new Set([String(row["key"])]));
  }
  return { keys, hasMore: rows.length > maxLinks };
}

/** Returns a LIKE pattern that finds this text in JSON, regardless of how JSON escapes it. */
const likeText = (text: string): string => `%${text.replaceAll(/[^\p{L}\p{N}./-]+/gu, "%")}%`;

/** Reads only the columns that determine the order. The versions that are shown are later read in full. */
function* describe(doc: number, seqs: readonly number[]): Query<Version[]> {
  const rows = yield* all(
    `SELECT v.seq, v.type, v.status, v.tags, v.ts_ms FROM {graph_versions} v WHERE v.seq IN NUMBERS(?) AND v.kind = 'node'`,
    seqs,
  );
  return rows.flatMap((row): Version[] => {
    const type = String(row["type"]);
    if (!isThinkType(type)) return [];
    const tags = row["tags"] === null ? [] : parseColumn<string[]>(row["tags"]);
    const status = String(row["status"] ?? openStatus);
    return [{ doc, type, status, tags, last_seq: Number(row["seq"]), last_ts_ms: Number(row["ts_ms"]) }];
  });
}

function* show(
  versions: readonly Version[],
  { seen, checkout }: { seen: ReadonlySet<number>; checkout: string },
): Query<LinkedCard[]> {
  const stored = yield* readVersions(versions.map(({ last_seq }) => last_seq));
  const cards = yield* each(versions, function* ({ last_seq, doc }): Query<LinkedCard[]> {
    const found = stored.get(last_seq);
    if (!found) return [];
    const branch = seen.has(last_seq) ? checkout : (yield* branchById(found.bid)).name;
    const name = yield* docName(doc);
    return toCard(found.version).map((card) => ({ ...card, branch, doc: name }));
  });
  return cards.flat();
}
