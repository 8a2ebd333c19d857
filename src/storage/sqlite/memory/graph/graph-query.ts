import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { endOfTime, type Segment } from "../../../../domain/memory/lineage.ts";
import { stem } from "../../../../domain/search/words/porter.ts";
import { phrasesOf } from "../../../../domain/search/words/words.ts";
import type { NodePage, NodeQuery } from "../../../../ports/memory/graph.ts";
import { decodeVersion, type Stored, versionColumns } from "../../../rows/graph-rows.ts";
import { leadingFacets, matchesQuery, requiredFacets } from "../../../rows/node-filters.ts";
import type { Connection } from "../../connection/open-database.ts";
import { quotePhrase, quoteWords } from "../../search/words.ts";
import { type Fetch, inBatches, inStrides, itself, limitedTo, newestOf } from "./graph-diff.ts";
import { segmentsWithNodes } from "./graph-rows.ts";
import {
  currentAmong,
  currentOf,
  currentRows,
  type GraphView,
  lineageOf,
  lineageTable,
  readVersions,
} from "./graph-view.ts";

/**
 * Nodes of a view, newest first. Segments do not overlap and are walked from new to old; within one, the rarest
 * filter that has an index leads and the others are checked on what it finds.
 */
export function queryNodes(
  view: GraphView,
  query: NodeQuery,
  lookUps: LookUps = { current: (seqs) => currentAmong(view, seqs), markedBranches: findMarked(view) },
): NodePage {
  if (view.doc === undefined) return { nodes: [], hasMore: false };
  const hasWords = query.ids && query.text !== undefined ? wordsIn(view, query.text) : () => true;
  const fits = ({ version }: Stored) => matchesQuery(version, query) && hasWords(version.last_seq);
  const found: GraphVersion[] = [];
  for (const stored of candidates(view, query, lookUps)) {
    if (!fits(stored)) continue;
    found.push(stored.version);
    if (found.length > query.limit) break;
  }
  return { nodes: found.slice(0, query.limit), hasMore: found.length > query.limit };
}

/** What several queries of one view ask for together. */
export type LookUps = {
  /** Those of the versions that are current in the view, newest first. */
  current(seqs: readonly number[]): Stored[];
  /** Branches of the lineage that have any node with one of the facets. */
  markedBranches(facets: readonly string[]): ReadonlySet<number>;
};

function* candidates(
  view: GraphView,
  query: NodeQuery,
  { current, markedBranches }: LookUps,
): Generator<Stored> {
  if (query.ids) yield* namedNodes(view, query.ids, query.before);
  else if (query.text !== undefined) yield* nodesWithWords(view, query);
  else {
    const facets = query.includeDeleted ? [] : leadingFacets(query);
    const marked = facets.length === 0 ? undefined : markedBranches(facets);
    if (marked?.size === 0) return;
    const segments = query.includeDeleted ? view.lineage : segmentsWithNodes(view);
    if (!marked) for (const segment of segments) yield* nodesByAge(view, segment, query);
    else {
      const found = seqsByFacets(view, among(segments, marked), query, facets);
      // Across segments: many short ones would cost a statement each.
      for (const seqs of inBatches(found, query.limit)) yield* current(seqs);
    }
  }
}

/**
 * One look at the first question, where each branch and each facet by itself would cost a statement. `expected`: facets
 * that later questions are about.
 */
export function findMarked(view: GraphView, expected: readonly string[] = []): LookUps["markedBranches"] {
  const known = new Map<string, Set<number>>();
  return (facets) => {
    if (facets.some((facet) => !known.has(facet))) {
      const asked = [...new Set([...facets, ...expected])];
      for (const facet of asked) known.set(facet, new Set());
      for (const [facet, branch] of marksIn(view, asked)) known.get(facet)?.add(branch);
    }
    return new Set(facets.flatMap((facet) => [...(known.get(facet) ?? [])]));
  };
}

function marksIn(view: GraphView, facets: readonly string[]): [facet: string, branch: number][] {
  return view.place.connection
    .sql(
      `WITH ${lineageTable("lineage")} SELECT w.value AS facet, l.bid FROM json_each(?) w CROSS JOIN lineage l
       WHERE EXISTS (SELECT 1 FROM graph_facets f
         WHERE f.doc = ? AND f.bid = l.bid AND f.facet = w.value AND f.seq <= l.up_to)`,
    )
    .all(lineageOf(view), JSON.stringify(facets), view.doc ?? 0)
    .map((row) => [String(row["facet"]), Number(row["bid"])]);
}

function* namedNodes(view: GraphView, ids: readonly string[], before = endOfTime): Generator<Stored> {
  const seqs = [...currentRows(view, ids).values()].map(({ seq }) => seq).filter((seq) => seq < before);
  const found = [...readVersions(view.place, seqs).values()];
  yield* found.sort((one, other) => other.version.last_seq - one.version.last_seq);
}

const startOf = (segment: Segment, { before = endOfTime }: NodeQuery): number =>
  Math.min(segment.upTo, before - 1);

function* nodesByAge(view: GraphView, segment: Segment, query: NodeQuery): Generator<Stored> {
  const seqOf = ({ version }: Stored) => version.last_seq;
  for (const page of inStrides(startOf(segment, query), query.limit, byAge(view, segment, query), seqOf))
    yield* page;
}

function* among(segments: Iterable<Segment>, branches: ReadonlySet<number>): Generator<Segment> {
  for (const segment of segments) if (branches.has(segment.branch)) yield segment;
}

function* seqsByFacets(
  view: GraphView,
  segments: Iterable<Segment>,
  query: NodeQuery,
  facets: readonly string[],
): Generator<number[]> {
  const required = requiredFacets(query);
  for (const segment of segments) {
    const fetch = byFacets(view, segment, facets, required);
    yield* inStrides(startOf(segment, query), query.limit, fetch, itself);
  }
}

/** What nearer branches have overridden is stepped over here, where it costs no look at the rows themselves. */
function byAge(view: GraphView, { branch, after }: Segment, { includeDeleted }: NodeQuery): Fetch<Stored> {
  const nodes = includeDeleted
    ? "graph_versions v WHERE"
    : "graph_versions v INDEXED BY graph_live_nodes WHERE v.deleted = 0 AND";
  const select = view.place.connection.sql(
    `WITH ${lineageTable("lineage")} SELECT ${versionColumns} FROM ${nodes} v.doc = ? AND v.bid = ? AND v.visible = 1
     AND v.kind = 'node' AND v.seq > ? AND v.seq <= ? AND v.seq = ${currentOf("seq", "v", "lineage")}
     ORDER BY v.seq DESC LIMIT ?`,
  );
  const lineage = lineageOf(view);
  return (end, count) =>
    limitedTo(select.all(lineage, view.doc ?? 0, branch, after, end, count).map(decodeVersion), count);
}

/** So that there are few statements; whatever else is required is checked on what they find. */
const maxRequired = 4;
const hasFacet = `AND EXISTS (SELECT 1 FROM graph_facets o
  WHERE o.doc = f.doc AND o.bid = f.bid AND o.facet = ? AND o.seq = f.seq)`;

function byFacets(
  { place, doc }: GraphView,
  { branch, after }: Segment,
  leading: readonly string[],
  required: readonly string[],
): Fetch {
  const others = required.filter((facet) => facet !== leading[0]).slice(0, maxRequired);
  const select = place.connection.sql(
    `SELECT f.seq FROM graph_facets f WHERE f.doc = ? AND f.bid = ? AND f.facet = ? AND f.seq > ? AND f.seq <= ?
     ${others.map(() => hasFacet).join(" ")} ORDER BY f.seq DESC LIMIT ?`,
  );
  const seqsOf = (facet: string, end: number, count: number) =>
    select.all(doc ?? 0, branch, facet, after, end, ...others, count).map((row) => Number(row["seq"]));
  return (end, count) =>
    newestOf(
      leading.map((facet) => seqsOf(facet, end, count)),
      count,
    );
}

/** Words of the index that are asked for one by one; where more of them begin so, FTS5 gathers them itself. */
const maxTerms = 8;

/**
 * FTS5 for nodes of the graph that have every word and every "quoted phrase" of a text, in title or text, by its
 * beginning. `undefined` where no node can.
 *
 * For a beginning FTS5 gathers and sorts all rows before it returns the first; for words as they are it
 * walks from the newest on. So beginnings are spelled out where few words have them.
 */
function wordExpression({ place, doc }: GraphView, text: string): string | undefined {
  const phrases = phrasesOf(text);
  const wanted = phrases.map((phrase) => beginning(place.connection, phrase));
  if (wanted.length === 0 || wanted.includes(undefined)) return undefined;
  return `place : "d${doc}" AND {title text} : (${wanted.join(" AND ")})`;
}

/** Shorter ones are the beginning of too many words to be worth a look. */
const isSpelledOut = /^[A-Za-z0-9]{3,}$/;

function beginning(connection: Connection, phrase: string): string | undefined {
  const asBeginning = quotePhrase(phrase, "prefix");
  if (!isSpelledOut.test(phrase)) return asBeginning;
  const terms = termsWith(connection, stem(phrase.toLowerCase()));
  if (terms.length > maxTerms) return asBeginning;
  return terms.length === 0 ? undefined : `(${terms.map(quoteWords).join(" OR ")})`;
}

/** The first terms of the index that begin so, at most one more than are asked for one by one. */
function termsWith({ sql }: Connection, start: string): string[] {
  // One look a term: a list of all would visit every place where each of them stands.
  const next = sql("SELECT term FROM graph_words_terms WHERE term >= ? LIMIT 1");
  const terms: string[] = [];
  for (let from = start; terms.length <= maxTerms; ) {
    const term = next.get(from)?.["term"];
    if (typeof term !== "string" || !term.startsWith(start)) break;
    terms.push(term);
    from = `${term}\u0001`;
  }
  return terms;
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
  const fetch: Fetch = (end, count) =>
    limitedTo(
      select.all(expression, end, count).map((row) => Number(row["seq"])),
      count,
    );
  for (const seqs of inStrides(before - 1, limit, fetch, itself)) yield* currentAmong(view, seqs);
}
