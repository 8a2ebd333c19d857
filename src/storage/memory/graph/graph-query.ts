import type { GraphVersion } from "../../../domain/memory/graph.ts";
import { endOfTime, type Segment } from "../../../domain/memory/lineage.ts";
import { hasFacets } from "../../../domain/memory/views/selection.ts";
import type { NodePage, NodeQuery, WordOptions } from "../../../ports/memory/graph.ts";
import { decodeVersion, type Stored, versionColumns } from "../../rows/graph-rows.ts";
import type { Row } from "../../rows/row.ts";
import type { Place } from "../places.ts";
import { all, each, get, type Query } from "../query.ts";
import {
  currentAmong,
  currentOf,
  currentRows,
  type GraphView,
  lineageJson,
  lineageTable,
  readVersions,
} from "./graph-view.ts";
import {
  type Fetch,
  inBatches,
  inParts,
  inStrides,
  itself,
  limitedTo,
  newestOf,
  oneByOne,
  type Pieces,
} from "./strides.ts";

/** The index of words in nodes. Each database has its own index. */
export interface NodeWords {
  /** Returns which versions contain every word and every "quoted phrase". Words match by prefix. */
  among(view: GraphView, seqs: readonly number[], text: string): Query<readonly number[]>;
  /** Returns the versions with every word and phrase, newest first, or `undefined` if none can match. */
  newest(view: GraphView, text: string): Query<Fetch | undefined>;
  /** Returns the current nodes in a workspace that contain one of the stems, newest first. */
  heads(place: Place, stems: readonly string[], limit: WordOptions["limit"]): Query<Row[]>;
}

/** Lookups that several queries on one view share. */
export type LookUps = {
  /** Returns which of the given versions are current in the view, newest first. */
  current(seqs: readonly number[]): Query<readonly Stored[]>;
  /** Returns the branches in the lineage that have any node with one of the facets. */
  markedBranches(facets: readonly string[]): Query<ReadonlySet<number>>;
};

/**
 * Returns nodes in a view, newest first. Segments do not overlap and are walked from newest to oldest. Within
 * a segment, the rarest indexed filter finds the candidates, and the other filters are checked on those.
 */
export function* queryNodes(
  view: GraphView,
  query: NodeQuery,
  words: NodeWords | undefined,
  lookUps: LookUps = { current: (seqs) => currentAmong(view, seqs), markedBranches: findMarked(view) },
): Query<NodePage> {
  if (view.doc === undefined) return { nodes: [], hasMore: false };
  const found: GraphVersion[] = [];
  const pieces = yield* candidates(view, query, words, lookUps);
  for (let piece = yield* pieces(); piece; piece = yield* pieces()) {
    for (const { version } of piece) if (matchesQuery(version, query)) found.push(version);
    if (found.length > query.limit) break;
  }
  return { nodes: found.slice(0, query.limit), hasMore: found.length > query.limit };
}

const none = oneByOne<never>([]);

function* candidates(
  view: GraphView,
  query: NodeQuery,
  words: NodeWords | undefined,
  { current, markedBranches }: LookUps,
): Query<Pieces<Stored>> {
  if (query.ids) return oneByOne([yield* namedNodes(view, query.ids, query, words)]);
  if (query.text !== undefined) return yield* nodesWithWords(view, query.text, query, words);
  const facets = query.includeDeleted ? [] : leadingFacets(query);
  const marked = facets.length === 0 ? undefined : yield* markedBranches(facets);
  if (marked?.size === 0) return none;
  const segments = query.includeDeleted ? oneByOne(view.lineage) : segmentsWithNodes(view);
  if (!marked) return inParts(segments, (segment) => nodesByAge(view, segment, query));
  const required = requiredFacets(query);
  const found = inParts(segments, (segment) =>
    marked.has(segment.branch)
      ? inStrides(startOf(segment, query), query.limit, byFacets(view, segment, facets, required), itself)
      : none,
  );
  // Batches span segments, because many short segments would cost one statement each.
  const batches = inBatches(found, query.limit);
  return function* () {
    const seqs = yield* batches();
    return seqs && (yield* current(seqs));
  };
}

const inheritedNodes = `SELECT v.inherited_nodes FROM {graph_versions} v
  WHERE v.doc = ? AND v.bid = ? AND v.visible = 1 AND v.seq <= ? ORDER BY v.seq DESC LIMIT 1`;

/**
 * Returns, one by one, the segments that can contain a live node. If a branch has overridden everything it
 * inherited, the segments of its bases contain no live node.
 */
function segmentsWithNodes({ lineage, doc }: GraphView): () => Query<Segment | undefined> {
  let at = 0;
  return function* () {
    const [before, segment] = [lineage[at - 1], lineage[at]];
    at += 1;
    if (!before || !segment) return segment;
    const row = yield* get(inheritedNodes, doc ?? 0, before.branch, before.upTo);
    if (row?.["inherited_nodes"] === 0) at = lineage.length;
    return row?.["inherited_nodes"] === 0 ? undefined : segment;
  };
}

const facetsOfBranches = `WITH ${lineageTable("lineage")} SELECT w.value AS facet, l.bid FROM TEXTS(?) w CROSS JOIN lineage l
  WHERE EXISTS (SELECT 1 FROM {graph_facets} f
    WHERE f.doc = ? AND f.bid = l.bid AND f.facet = w.value AND f.seq <= l.up_to)`;

/**
 * Looks up all branches and facets with one statement at the first call, because separate statements would
 * cost more. `expected` lists the facets that later calls will ask for.
 */
export function findMarked(view: GraphView, expected: readonly string[] = []): LookUps["markedBranches"] {
  const known = new Map<string, Set<number>>();
  return function* (facets) {
    if (facets.some((facet) => !known.has(facet))) {
      const asked = [...new Set([...facets, ...expected])];
      for (const facet of asked) known.set(facet, new Set());
      const rows = yield* all(facetsOfBranches, lineageJson(view.lineage), asked, view.doc ?? 0);
      for (const row of rows) known.get(String(row["facet"]))?.add(Number(row["bid"]));
    }
    return new Set(facets.flatMap((facet) => [...(known.get(facet) ?? [])]));
  };
}

function* namedNodes(
  view: GraphView,
  ids: readonly string[],
  { before = endOfTime, text }: NodeQuery,
  words: NodeWords | undefined,
): Query<Stored[]> {
  const seqs = [...(yield* currentRows(view, ids)).values()]
    .map(({ seq }) => seq)
    .filter((seq) => seq < before);
  const fitting = text === undefined || !words ? seqs : yield* words.among(view, seqs, text);
  const found = [...(yield* readVersions(fitting)).values()];
  return found.sort((one, other) => other.version.last_seq - one.version.last_seq);
}

const startOf = (segment: Segment, { before = endOfTime }: NodeQuery): number =>
  Math.min(segment.upTo, before - 1);

const nodesOf = (
  nodes: string,
): string => `WITH ${lineageTable("lineage")} SELECT ${versionColumns} FROM ${nodes}
  v.doc = ? AND v.bid = ? AND v.visible = 1 AND v.kind = 'node' AND v.seq > ? AND v.seq <= ?
  AND v.seq = ${currentOf("seq", "v", "lineage")} ORDER BY v.seq DESC LIMIT ?`;
const anyNodes = nodesOf("{graph_versions} v WHERE");
const liveNodes = nodesOf("{graph_versions} v INDEXED BY graph_live_nodes WHERE v.deleted = 0 AND");

/** Reads nodes by age. Skips versions that nearer branches have overridden, using only the index. */
function nodesByAge(view: GraphView, segment: Segment, query: NodeQuery): Pieces<Stored> {
  const [text, lineage] = [query.includeDeleted ? anyNodes : liveNodes, lineageJson(view.lineage)];
  const { branch, after } = segment;
  const fetch: Fetch<Stored> = function* (end, count) {
    const rows = yield* all(text, lineage, view.doc ?? 0, branch, after, end, count);
    return limitedTo(rows.map(decodeVersion), count);
  };
  return inStrides(startOf(segment, query), query.limit, fetch, ({ version }) => version.last_seq);
}

/**
 * The maximum number of facets in one statement, to limit the number of different statements. The results are
 * filtered by the remaining facets.
 */
const maxRequired = 4;
const hasFacet = `AND EXISTS (SELECT 1 FROM {graph_facets} o
  WHERE o.doc = f.doc AND o.bid = f.bid AND o.facet = ? AND o.seq = f.seq)`;
const byFacetAndOthers = Array.from(
  { length: maxRequired + 1 },
  (
    _,
    others,
  ) => `SELECT f.seq FROM {graph_facets} f WHERE f.doc = ? AND f.bid = ? AND f.facet = ? AND f.seq > ?
    AND f.seq <= ? ${hasFacet.repeat(others)} ORDER BY f.seq DESC LIMIT ?`,
);

function byFacets(
  { doc }: GraphView,
  { branch, after }: Segment,
  leading: readonly string[],
  required: readonly string[],
): Fetch {
  const others = required.filter((facet) => facet !== leading[0]).slice(0, maxRequired);
  const text = byFacetAndOthers[others.length] ?? "";
  return function* (end, count) {
    const lists = yield* each(leading, function* (facet) {
      const rows = yield* all(text, doc ?? 0, branch, facet, after, end, ...others, count);
      return rows.map((row) => Number(row["seq"]));
    });
    return newestOf(lists, count);
  };
}

function* nodesWithWords(
  view: GraphView,
  text: string,
  { before = endOfTime, limit }: NodeQuery,
  words: NodeWords | undefined,
): Query<Pieces<Stored>> {
  const fetch = words && (yield* words.newest(view, text));
  if (!fetch) return none;
  const strides = inStrides(before - 1, limit, fetch, itself);
  return function* () {
    const seqs = yield* strides();
    return seqs && (yield* currentAmong(view, seqs));
  };
}

/** Returns facets of which each candidate has at least one, or no facets if every node is a candidate. */
export function leadingFacets({ facets, tagsAll, tagsAny, status, types }: NodeQuery): readonly string[] {
  const tag = tagsAll?.[0];
  if (tag !== undefined) return [`tag:${tag}`];
  if (facets) return facets.any;
  if (tagsAny && tagsAny.length > 0) return tagsAny.map((any) => `tag:${any}`);
  if (types && types.length > 0) return types.map((type) => `type:${type}`);
  return status === undefined ? [] : [`status:${status}`];
}

/** Returns the facets that every result must have, whichever filter finds the candidates. */
export function requiredFacets({ facets, tagsAll = [], status, types }: NodeQuery): string[] {
  return [
    ...(facets?.all ?? []),
    ...(facets?.any.length === 1 ? facets.any : []),
    ...tagsAll.map((tag) => `tag:${tag}`),
    ...(types?.length === 1 ? [`type:${types[0]}`] : []),
    ...(status === undefined ? [] : [`status:${status}`]),
  ];
}

/** True if a version is a node that matches the query. Does not check words. */
export function matchesQuery(version: GraphVersion, query: NodeQuery): boolean {
  if (version.kind !== "node" || (version.deleted && !query.includeDeleted)) return false;
  const { types, status, tagsAny, tagsAll, facets } = query;
  const tags = version.tags ?? [];
  return (
    (types === undefined || types.length === 0 || types.includes(version.type)) &&
    (status === undefined || version.status === status) &&
    (tagsAny === undefined || tagsAny.length === 0 || tagsAny.some((tag) => tags.includes(tag))) &&
    (tagsAll === undefined || tagsAll.every((tag) => tags.includes(tag))) &&
    (facets === undefined || hasFacets(version, facets))
  );
}
