import type { GraphVersion } from "../../../domain/memory/graph.ts";
import { endOfTime, type Segment } from "../../../domain/memory/lineage.ts";
import type { NodePage, NodeQuery } from "../../../ports/memory/graph.ts";
import { matchWords } from "../words.ts";
import { decodeVersion, type Stored } from "./graph-rows.ts";
import {
  currentAmong,
  currentOf,
  currentVersion,
  type GraphView,
  lineageOf,
  lineageTable,
} from "./graph-view.ts";

/** Rows looked at in one go: a page at first, more and more where little of them fits. */
const mostAtOnce = 1_024;

/**
 * Nodes of a view, newest first. Segments do not overlap and are walked from new to old; within one, the rarest
 * filter that has an index leads and the others are checked on what it finds.
 */
export function queryNodes(view: GraphView, query: NodeQuery): NodePage {
  if (view.doc === undefined) return { nodes: [], hasMore: false };
  const hasWords = query.ids && query.text !== undefined ? wordsIn(view, query.text) : () => true;
  const fits = ({ version }: Stored) => matches(version, query) && hasWords(version.last_seq);
  const found: GraphVersion[] = [];
  for (const stored of candidates(view, query)) {
    if (!fits(stored)) continue;
    found.push(stored.version);
    if (found.length > query.limit) break;
  }
  return { nodes: found.slice(0, query.limit), hasMore: found.length > query.limit };
}

function* candidates(view: GraphView, query: NodeQuery): Generator<Stored> {
  if (query.ids) yield* namedNodes(view, query.ids, query.before);
  else if (query.text !== undefined) yield* nodesWithWords(view, query);
  else for (const segment of view.lineage) yield* nodesIn(view, segment, query);
}

function* namedNodes(view: GraphView, ids: readonly string[], before = endOfTime): Generator<Stored> {
  const found = [...new Set(ids)]
    .map((id) => currentVersion(view, id))
    .filter((stored): stored is Stored => stored !== undefined && stored.version.last_seq < before);
  yield* found.sort((one, other) => other.version.last_seq - one.version.last_seq);
}

function* nodesIn(view: GraphView, segment: Segment, query: NodeQuery): Generator<Stored> {
  const start = Math.min(segment.upTo, (query.before ?? endOfTime) - 1);
  const facets = query.includeDeleted ? [] : leadingFacets(query);
  const fetch = facets.length > 0 ? byFacets(view, segment, facets) : byAge(view, segment, query);
  yield* inStrides(view, start, query.limit, fetch);
}

/** Alternatives of the one filter that leads; empty when everything is looked at. */
function leadingFacets({ tagsAll, tagsAny, status, types }: NodeQuery): string[] {
  const tag = tagsAll?.[0];
  if (tag !== undefined) return [`tag:${tag}`];
  if (tagsAny && tagsAny.length > 0) return tagsAny.map((any) => `tag:${any}`);
  if (types && types.length > 0) return types.map((type) => `type:${type}`);
  return status === undefined ? [] : [`status:${status}`];
}

/** The highest seqs up to `end`, at most `count` of them, newest first. */
type Fetch = (end: number, count: number) => number[];

function byAge({ place, doc }: GraphView, { branch, after }: Segment, { includeDeleted }: NodeQuery): Fetch {
  const live = includeDeleted ? "" : "AND deleted = 0";
  const select = place.connection.sql(
    `SELECT seq FROM graph_versions WHERE doc = ? AND bid = ? AND visible = 1 ${live} AND kind = 'node'
     AND seq > ? AND seq <= ? ORDER BY seq DESC LIMIT ?`,
  );
  return (end, count) => select.all(doc ?? 0, branch, after, end, count).map((row) => Number(row["seq"]));
}

/** Several lists, each newest first, merged into one without doubles. */
function byFacets({ place, doc }: GraphView, { branch, after }: Segment, facets: readonly string[]): Fetch {
  const select = place.connection.sql(
    `SELECT seq FROM graph_facets WHERE doc = ? AND bid = ? AND facet = ? AND seq > ? AND seq <= ?
     ORDER BY seq DESC LIMIT ?`,
  );
  return (end, count) => {
    const lists = facets.map((facet) =>
      select.all(doc ?? 0, branch, facet, after, end, count).map((row) => Number(row["seq"])),
    );
    // Below the end of a list that was cut off, another list could hold what this one has not shown yet.
    const floor = Math.max(0, ...lists.map((list) => (list.length === count ? (list.at(-1) ?? 0) : 0)));
    return [...new Set(lists.flat())].filter((seq) => seq >= floor).sort((one, other) => other - one);
  };
}

function* inStrides(view: GraphView, start: number, limit: number, fetch: Fetch): Generator<Stored> {
  let end = start;
  for (let count = limit + 1; ; count = Math.min(count * 4, mostAtOnce)) {
    const seqs = fetch(end, count);
    const last = seqs.at(-1);
    if (last === undefined) return;
    yield* currentAmong(view, seqs);
    end = last - 1;
  }
}

/** `undefined` where the text holds nothing that could be looked for. */
function wordExpression({ doc }: GraphView, text: string): string | undefined {
  const words = matchWords(text, "all", "prefix");
  return words && `place : "d${doc}" AND {title text} : (${words})`;
}

/** Tells of single versions whether they have the words. */
function wordsIn(view: GraphView, text: string): (seq: number) => boolean {
  const expression = wordExpression(view, text);
  if (expression === undefined) return () => false;
  const select = view.place.connection.sql(
    "SELECT 1 FROM graph_words WHERE graph_words MATCH ? AND rowid = ?",
  );
  return (seq) => select.get(expression, seq) !== undefined;
}

function* nodesWithWords(
  view: GraphView,
  { text = "", before = endOfTime, limit }: NodeQuery,
): Generator<Stored> {
  const expression = wordExpression(view, text);
  if (expression === undefined) return;
  const select = view.place.connection.sql(
    "SELECT rowid AS seq FROM graph_words WHERE graph_words MATCH ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?",
  );
  yield* inStrides(view, before - 1, limit, (end, count) =>
    select.all(expression, end, count).map((row) => Number(row["seq"])),
  );
}

function matches(version: GraphVersion, query: NodeQuery): boolean {
  if (version.kind !== "node" || (version.deleted && !query.includeDeleted)) return false;
  const { types, status, tagsAny, tagsAll } = query;
  const tags = version.tags ?? [];
  return (
    (types === undefined || types.length === 0 || types.includes(version.type)) &&
    (status === undefined || version.status === status) &&
    (tagsAny === undefined || tagsAny.length === 0 || tagsAny.some((tag) => tags.includes(tag))) &&
    (tagsAll === undefined || tagsAll.every((tag) => tags.includes(tag)))
  );
}

/** Live edges with both ends among `ids`, newest first; asked pair by pair, so that a hub costs no more than others. */
export function edgesAmong(view: GraphView, ids: readonly string[], limit: number): GraphVersion[] {
  if (view.doc === undefined || limit === 0) return [];
  const select = view.place.connection.sql(
    `SELECT seq FROM graph_versions WHERE doc = ? AND source = ? AND target IN (SELECT value FROM json_each(?))
     AND visible = 1 AND kind = 'edge' AND deleted = 0`,
  );
  const targets = JSON.stringify(ids);
  const doc = view.doc;
  const seqs = [...new Set(ids)].flatMap((id) =>
    select.all(doc, id, targets).map((row) => Number(row["seq"])),
  );
  return currentAmong(view, seqs)
    .slice(0, limit)
    .map(({ version }) => version);
}

/** Live edges that begin at a node, newest first. */
export function edgesFrom(view: GraphView, id: string, limit: number): GraphVersion[] {
  if (view.doc === undefined) return [];
  return view.place.connection
    .sql(
      `WITH ${lineageTable("lineage")} SELECT v.* FROM graph_versions v
       WHERE v.doc = ? AND v.source = ? AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0
       AND v.seq = ${currentOf("seq", "v", "lineage")} ORDER BY v.seq DESC LIMIT ?`,
    )
    .all(lineageOf(view), view.doc, id, limit)
    .map((row) => decodeVersion(row).version);
}
