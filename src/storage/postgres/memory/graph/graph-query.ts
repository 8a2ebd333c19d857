import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { endOfTime, type Segment } from "../../../../domain/memory/lineage.ts";
import { phrasesOf, toStems } from "../../../../domain/search/words/words.ts";
import type { NodePage, NodeQuery } from "../../../../ports/memory/graph.ts";
import { decodeVersion, type Stored, versionColumns } from "../../../rows/graph-rows.ts";
import { leadingFacets, matchesQuery, requiredFacets } from "../../../rows/node-filters.ts";
import type { Row } from "../../../rows/row.ts";
import { toQuery } from "../../search/vectors.ts";
import {
  currentAmong,
  currentOf,
  currentRows,
  type GraphView,
  lineageOf,
  lineageTable,
  readVersions,
} from "./graph-view.ts";
import { type Fetch, inBatches, inStrides, itself, limitedTo, newestOf } from "./strides.ts";

/** Those of the versions that are current in the view, newest first. */
export type CurrentAmong = (seqs: readonly number[]) => Promise<Stored[]>;

/**
 * Nodes of a view, newest first. Segments do not overlap and are walked from new to old; within one, the rarest
 * filter that has an index leads and the others are checked on what it finds.
 */
export async function queryNodes(
  view: GraphView,
  query: NodeQuery,
  current: CurrentAmong = (seqs) => currentAmong(view, seqs),
  branchesWith: BranchesWith = (facets) => findBranches(view, facets),
): Promise<NodePage> {
  if (view.doc === undefined) return { nodes: [], hasMore: false };
  const found: GraphVersion[] = [];
  for await (const piece of candidates(view, query, current, branchesWith)) {
    for (const { version } of piece) if (matchesQuery(version, query)) found.push(version);
    if (found.length > query.limit) break;
  }
  return { nodes: found.slice(0, query.limit), hasMore: found.length > query.limit };
}

async function* candidates(
  view: GraphView,
  query: NodeQuery,
  current: CurrentAmong,
  branchesWith: BranchesWith,
): AsyncGenerator<Stored[]> {
  if (query.ids) yield await namedNodes(view, query.ids, query);
  else if (query.text !== undefined) yield* nodesWithWords(view, query);
  else {
    const facets = query.includeDeleted ? [] : leadingFacets(query);
    const marked = facets.length === 0 ? undefined : await branchesWith(facets);
    const segments = query.includeDeleted ? view.lineage : await segmentsWithNodes(view);
    if (!marked) for (const segment of segments) yield* nodesByAge(view, segment, query);
    else {
      const found = seqsByFacets(
        view,
        segments.filter(({ branch }) => marked.has(branch)),
        query,
        facets,
      );
      // Across segments: many short ones would cost a statement each.
      for await (const seqs of inBatches(found, query.limit)) yield await current(seqs);
    }
  }
}

/** Segments that can hold a live node: beneath a branch that has overridden all it inherited there is none. */
async function segmentsWithNodes(view: GraphView): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const segment of view.lineage) {
    segments.push(segment);
    if (view.lineage.length === 1) break;
    const rows = await view.place.connection
      .sql(`SELECT inherited_nodes FROM {graph_versions} v WHERE doc = ? AND bid = ? AND visible = 1 AND seq <= ?
        ORDER BY seq DESC LIMIT 1`)
      .all(view.doc ?? 0, segment.branch, segment.upTo);
    if (rows[0]?.["inherited_nodes"] === 0) break;
  }
  return segments;
}

/** Branches of the lineage that have any node with one of the facets: one look, where each by itself would cost a statement. */
export type BranchesWith = (facets: readonly string[]) => Promise<ReadonlySet<number>>;

const facetsOfBranches = `WITH ${lineageTable("lineage")} SELECT l.bid, w.facet FROM lineage l
  CROSS JOIN unnest(?::text[]) w (facet) WHERE EXISTS (SELECT 1 FROM {graph_facets} f
    WHERE f.doc = ? AND f.bid = l.bid AND f.facet = w.facet AND f.seq <= l.up_to)`;

/** For several queries that follow: all of their facets are looked up by the first. */
export function rememberBranches(view: GraphView, wanted: readonly string[]): BranchesWith {
  let found: Promise<readonly Row[]> | undefined;
  return async (facets) => {
    found ??= view.place.connection
      .sql(facetsOfBranches)
      .all(lineageOf(view), [...new Set(wanted)], view.doc ?? 0);
    const rows = (await found).filter((row) => facets.includes(String(row["facet"])));
    return new Set(rows.map((row) => Number(row["bid"])));
  };
}

const findBranches = (view: GraphView, facets: readonly string[]) => rememberBranches(view, facets)(facets);

async function namedNodes(
  view: GraphView,
  ids: readonly string[],
  { before = endOfTime, text }: NodeQuery,
): Promise<Stored[]> {
  const seqs = [...(await currentRows(view, ids)).values()]
    .map(({ seq }) => seq)
    .filter((seq) => seq < before);
  const fitting = text === undefined ? seqs : await seqsWithWords(view, seqs, text);
  const found = [...(await readVersions(view.place, fitting)).values()];
  return found.sort((one, other) => other.version.last_seq - one.version.last_seq);
}

const startOf = (segment: Segment, { before = endOfTime }: NodeQuery): number =>
  Math.min(segment.upTo, before - 1);

function nodesByAge(view: GraphView, segment: Segment, query: NodeQuery): AsyncGenerator<Stored[]> {
  const live = query.includeDeleted ? "" : "AND v.deleted = 0";
  const select = view.place.connection.sql(`WITH ${lineageTable("lineage")} SELECT ${versionColumns}
    FROM {graph_versions} v WHERE v.doc = ? AND v.bid = ? AND v.visible = 1 AND v.kind = 'node' ${live}
    AND v.seq > ? AND v.seq <= ? AND v.seq = ${currentOf("seq", "v", "lineage")} ORDER BY v.seq DESC LIMIT ?`);
  const fetch: Fetch<Stored> = async (end, count) => {
    const rows = await select.all(lineageOf(view), view.doc ?? 0, segment.branch, segment.after, end, count);
    return limitedTo(rows.map(decodeVersion), count);
  };
  return inStrides(startOf(segment, query), query.limit, fetch, ({ version }) => version.last_seq);
}

async function* seqsByFacets(
  view: GraphView,
  segments: readonly Segment[],
  query: NodeQuery,
  facets: readonly string[],
): AsyncGenerator<number[]> {
  const required = requiredFacets(query);
  for (const segment of segments)
    yield* inStrides(startOf(segment, query), query.limit, byFacets(view, segment, facets, required), itself);
}

/** So that there are few statements; whatever else is required is checked on what they find. */
const maxRequired = 4;
const hasFacet = `AND EXISTS (SELECT 1 FROM {graph_facets} o
  WHERE o.doc = f.doc AND o.bid = f.bid AND o.facet = ? AND o.seq = f.seq)`;

function byFacets(
  { place, doc }: GraphView,
  { branch, after }: Segment,
  leading: readonly string[],
  required: readonly string[],
): Fetch {
  const others = required.filter((facet) => facet !== leading[0]).slice(0, maxRequired);
  const select =
    place.connection.sql(`SELECT f.seq FROM {graph_facets} f WHERE f.doc = ? AND f.bid = ? AND f.facet = ?
    AND f.seq > ? AND f.seq <= ? ${others.map(() => hasFacet).join(" ")} ORDER BY f.seq DESC LIMIT ?`);
  return async (end, count) => {
    const lists = await Promise.all(
      leading.map(async (facet) =>
        (await select.all(doc ?? 0, branch, facet, after, end, ...others, count)).map((row) =>
          Number(row["seq"]),
        ),
      ),
    );
    return newestOf(lists, count);
  };
}

/** Every word and every "quoted phrase" of a text, each by its beginning; empty where nothing can be found. */
const queriesOf = (text: string): string[] =>
  phrasesOf(text).map((phrase) => toQuery(toStems(phrase), "prefix"));

const hasWords = (queries: readonly string[]): string =>
  queries.map(() => "bool_or(w.words @@ ?::tsquery)").join(" AND ");

async function seqsWithWords({ place }: GraphView, seqs: readonly number[], text: string): Promise<number[]> {
  const queries = queriesOf(text);
  if (queries.length === 0 || queries.includes("")) return [];
  const rows = await place.connection
    .sql(
      `SELECT w.seq FROM {graph_words} w WHERE w.seq = ANY (?::bigint[]) GROUP BY w.seq HAVING ${hasWords(queries)}`,
    )
    .all(seqs, ...queries);
  return rows.map((row) => Number(row["seq"]));
}

async function* nodesWithWords(
  view: GraphView,
  { text = "", before = endOfTime, limit }: NodeQuery,
): AsyncGenerator<Stored[]> {
  const queries = queriesOf(text);
  if (queries.length === 0 || queries.includes("")) return;
  const select = view.place.connection.sql(`SELECT w.seq FROM {graph_words} w WHERE w.doc = ? AND w.seq <= ?
    AND w.words @@ ?::tsquery GROUP BY w.seq HAVING ${hasWords(queries)} ORDER BY w.seq DESC LIMIT ?`);
  const fetch: Fetch = async (end, count) => {
    const rows = await select.all(view.doc ?? 0, end, queries.join(" | "), ...queries, count);
    return limitedTo(
      rows.map((row) => Number(row["seq"])),
      count,
    );
  };
  for await (const seqs of inStrides(before - 1, limit, fetch, itself)) yield await currentAmong(view, seqs);
}
