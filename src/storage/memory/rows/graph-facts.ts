import type { Meta } from "../../../domain/memory/entry.ts";
import { cutoffs, type Lineage, sees } from "../../../domain/memory/lineage.ts";
import type { FactKinds, GraphScope, Head } from "../../../domain/memory/steps/rows.ts";
import { decodeVersion, versionColumns } from "../../rows/graph-rows.ts";
import { parseColumn, type Row } from "../../rows/row.ts";
import { currentOf, edgesAtNodes, lineageJson, lineageTable } from "../graph/graph-view.ts";
import { all, get, type Query } from "../query.ts";

/** Keys in one graph or branch. Any number of them are looked up with one statement. */
type KeysIn<Scope, Key> = { scope: Scope; keys: readonly Key[] };
type InGraphs = readonly KeysIn<GraphScope, string>[];
type DocsIn = readonly KeysIn<{ lineage: Lineage }, number>[];

/** Splits a list with one result per key into one list per scope. */
export function perScope<Found>(
  scopes: readonly { keys: readonly unknown[] }[],
  found: readonly Found[],
): readonly Found[][] {
  let at = 0;
  return scopes.map(({ keys }) => {
    at += keys.length;
    return found.slice(at - keys.length, at);
  });
}

const visibleOf = (columns: string): string => `SELECT ${columns} FROM TEXTS(?) k
  CROSS JOIN {graph_versions} v INDEXED BY graph_by_key ON v.doc = ? AND v.key = k.value AND v.visible = 1`;
const bySeq = (columns: string): string =>
  `SELECT ${columns} FROM NUMBERS(?) s CROSS JOIN {graph_versions} v ON v.seq = s.value`;

const seqsOfKeys = visibleOf("v.key, v.seq, v.bid");
const seqsInGraphs = `SELECT k.nth, v.seq, v.bid FROM LIST(?, doc number, key text) k
  CROSS JOIN {graph_versions} v INDEXED BY graph_by_key ON v.doc = k.doc AND v.key = k.key AND v.visible = 1`;
const headsBySeq = bySeq(
  "v.key, v.seq, v.bid, v.kind, v.deleted, v.fingerprint, v.replaces, v.type, v.status, v.tags",
);
const versionsBySeq = bySeq(`${versionColumns}, v.replaces`);

/**
 * Returns the version of each key that is visible in the lineage. Reads only the index, so absent keys cost
 * little.
 */
function* currentSeqs({ lineage, doc }: GraphScope, keys: readonly string[]): Query<number[]> {
  const view = cutoffs(lineage);
  const newest = new Map<unknown, number>();
  for (const row of yield* all(seqsOfKeys, keys, doc)) {
    const seq = Number(row["seq"]);
    if (sees(view, Number(row["bid"]), seq) && seq > (newest.get(row["key"]) ?? 0))
      newest.set(row["key"], seq);
  }
  return [...newest.values()];
}

/** Works like `currentSeqs` for several graphs. Returns 0 for a key that is not visible in its graph. */
function* currentSeqsInGraphs(graphs: InGraphs): Query<number[]> {
  const places = graphs.flatMap(({ scope: { doc, lineage }, keys }) => {
    const view = cutoffs(lineage);
    return keys.map((key) => ({ view, doc, key }));
  });
  const newest = places.map(() => 0);
  const list = JSON.stringify(places.map(({ doc, key }) => [doc, key]));
  for (const row of yield* all(seqsInGraphs, list)) {
    const [nth, seq] = [Number(row["nth"]), Number(row["seq"])];
    const view = places[nth]?.view;
    if (view && sees(view, Number(row["bid"]), seq)) newest[nth] = Math.max(seq, newest[nth] ?? 0);
  }
  return newest;
}

function* rowsBySeq(text: string, seqs: readonly number[]): Query<readonly Row[]> {
  return seqs.length === 0 ? [] : yield* all(text, seqs);
}

function* shownIn<Found>(
  text: string,
  graphs: InGraphs,
  decode: (row: Row) => Found,
): Query<readonly (Found | undefined)[][]> {
  const [only] = graphs;
  if (only && graphs.length === 1) {
    const rows = yield* rowsBySeq(text, yield* currentSeqs(only.scope, only.keys));
    const byKey = new Map(rows.map((row) => [row["key"], row]));
    return [only.keys.map((key) => decodeIf(byKey.get(key), decode))];
  }
  const seqs = yield* currentSeqsInGraphs(graphs);
  const rows = yield* rowsBySeq(text, [...new Set(seqs.filter((seq) => seq > 0))]);
  const rowOf = new Map(rows.map((row) => [Number(row["seq"]), row]));
  return perScope(
    graphs,
    seqs.map((seq) => decodeIf(rowOf.get(seq), decode)),
  );
}

const decodeIf = <Found>(row: Row | undefined, decode: (row: Row) => Found) => row && decode(row);

export const loadHeads = (graphs: InGraphs) => shownIn(headsBySeq, graphs, decodeHead);

export const loadCurrent = (graphs: InGraphs) =>
  shownIn(versionsBySeq, graphs, (row) => ({ head: decodeHead(row), version: decodeVersion(row).version }));

const decodeHead = (row: Row): Head => ({
  seq: Number(row["seq"]),
  bid: Number(row["bid"]),
  kind: row["kind"] === "edge" ? "edge" : "node",
  deleted: row["deleted"] === 1,
  fingerprint: String(row["fingerprint"]),
  replaces: typeof row["replaces"] === "number" ? row["replaces"] : undefined,
  type: String(row["type"]),
  status: row["status"] === null ? undefined : String(row["status"]),
  tags: row["tags"] === null ? undefined : parseColumn<string[]>(row["tags"]),
});

const edgesOfNodes = `WITH ${lineageTable("lineage", "?1")} SELECT ${versionColumns}
  FROM (${edgesAtNodes("?2", "?3")}) c CROSS JOIN {graph_versions} v ON v.seq = c.seq
  WHERE v.seq = ${currentOf("seq", "v", "lineage")}`;
const edgeKeysAt = (
  end: "source" | "target",
): string => `SELECT n.nth, v.key FROM LIST(?1, doc number, node text) n
  CROSS JOIN {graph_versions} v ON v.doc = n.doc AND v.${end} = n.node AND v.visible = 1 AND v.kind = 'edge'
  AND v.deleted = 0`;
const edgeKeysInGraphs = `${edgeKeysAt("source")} UNION ${edgeKeysAt("target")}`;

type Edges = FactKinds["edgesAt"]["found"];

export function* loadEdgesAt(graphs: InGraphs): Query<readonly Edges[][]> {
  const [only] = graphs;
  const found = only && graphs.length === 1 ? [yield* liveEdges(only)] : yield* liveEdgesInGraphs(graphs);
  return graphs.map(({ keys }, n) =>
    keys.map((node) =>
      (found[n] ?? []).filter((edge) => edge.kind === "edge" && (edge.from === node || edge.to === node)),
    ),
  );
}

function* liveEdges({ scope: { lineage, doc }, keys }: InGraphs[number]): Query<Edges> {
  const rows = yield* all(edgesOfNodes, lineageJson(lineage), keys, doc);
  return rows.map((row) => decodeVersion(row).version);
}

function* liveEdgesInGraphs(graphs: InGraphs): Query<Edges[]> {
  const places = graphs.flatMap(({ scope, keys }) => keys.map((node) => ({ scope, node })));
  const list = JSON.stringify(places.map(({ scope, node }) => [scope.doc, node]));
  const keysIn = new Map<GraphScope, Set<string>>(graphs.map(({ scope }) => [scope, new Set()]));
  for (const row of yield* all(edgeKeysInGraphs, list)) {
    const place = places[Number(row["nth"])];
    if (place) keysIn.get(place.scope)?.add(String(row["key"]));
  }
  const edges = yield* loadCurrent(
    graphs.map(({ scope }) => ({ scope, keys: [...(keysIn.get(scope) ?? [])] })),
  );
  return edges.map((ofGraph) =>
    ofGraph.flatMap((edge) => (edge && !edge.head.deleted ? [edge.version] : [])),
  );
}

const tallyOfBranch = `SELECT v.live_nodes, v.inherited_nodes, v.live_edges FROM {graph_versions} v
  WHERE v.doc = ? AND v.bid = ? AND v.visible = 1 AND v.seq <= ? ORDER BY v.seq DESC LIMIT 1`;
const talliesOfSegments = `WITH s AS MATERIALIZED (SELECT l.nth, (SELECT o.seq FROM {graph_versions} o
      WHERE o.doc = l.doc AND o.bid = l.bid AND o.visible = 1 AND o.seq <= l.up_to ORDER BY o.seq DESC LIMIT 1) AS seq
    FROM LIST(?, doc number, bid number, up_to number) l)
  SELECT s.nth, v.live_nodes, v.inherited_nodes, v.live_edges
  FROM s CROSS JOIN {graph_versions} v ON v.seq = s.seq ORDER BY s.nth`;

/**
 * Returns the counts that the branch itself last wrote. If it wrote none, returns the counts of its base at
 * the time when the branch was created. The newest version up to a branch's end is always visible and
 * contains the counts at that time.
 */
export function* loadTally(lineage: Lineage, doc: number): Query<FactKinds["tally"]["found"]> {
  const [only, ...others] = lineage;
  if (only && others.length === 0)
    return decodeTally(yield* get(tallyOfBranch, doc, only.branch, only.upTo), true);
  const [[tally] = []] = yield* talliesIn([{ scope: { lineage }, keys: [doc] }]);
  return tally ?? decodeTally(undefined, false);
}

export function* loadTallies(scopes: DocsIn): Query<readonly FactKinds["tally"]["found"][][]> {
  const [only] = scopes;
  const [doc, ...others] = only?.keys ?? [];
  return only && doc !== undefined && scopes.length === 1 && others.length === 0
    ? [[yield* loadTally(only.scope.lineage, doc)]]
    : yield* talliesIn(scopes);
}

function* talliesIn(scopes: DocsIn): Query<readonly FactKinds["tally"]["found"][][]> {
  return yield* newestSegments(talliesOfSegments, scopes, () => true, decodeTally);
}

/** For each document, decodes the row of the newest segment that has one. `nth` is the segment's position. */
function* newestSegments<Found>(
  text: string,
  scopes: DocsIn,
  counts: (row: Row) => boolean,
  decode: (row: Row | undefined, isOwn: boolean) => Found,
): Query<readonly Found[][]> {
  const places = scopes.flatMap(({ scope, keys }) => keys.map((doc) => ({ doc, lineage: scope.lineage })));
  const segments = places.flatMap(({ doc, lineage }, place) =>
    lineage.map(({ branch, upTo }, at) => ({ place, at, row: [doc, branch, upTo] })),
  );
  const found = new Map<number, { row: Row; isOwn: boolean }>();
  for (const row of yield* all(text, JSON.stringify(segments.map((segment) => segment.row)))) {
    const segment = segments[Number(row["nth"])];
    if (segment && counts(row) && !found.has(segment.place))
      found.set(segment.place, { row, isOwn: segment.at === 0 });
  }
  return perScope(
    scopes,
    places.map((_, place) => decode(found.get(place)?.row, found.get(place)?.isOwn === true)),
  );
}

/** Decodes the counts. `isOwn` is true if the branch itself wrote the row. */
function decodeTally(row: Row | undefined, isOwn: boolean): FactKinds["tally"]["found"] {
  const liveNodes = Number(row?.["live_nodes"] ?? 0);
  return {
    liveNodes,
    inheritedNodes: row && isOwn ? Number(row["inherited_nodes"]) : liveNodes,
    liveEdges: Number(row?.["live_edges"] ?? 0),
  };
}

const arrivalOfOne = `SELECT e.seq, e.source_event_id AS source, e.meta
  FROM {memory_entries} e INDEXED BY memory_entries_by_source
  WHERE e.doc = ? AND e.bid = ? AND e.source_event_id = ? AND e.seq <= ? ORDER BY e.seq LIMIT 1`;
const arrivals = `SELECT e.seq, e.source_event_id AS source, e.meta FROM LIST(?1, bid number, up_to number) l
  CROSS JOIN TEXTS(?2) s CROSS JOIN {memory_entries} e INDEXED BY memory_entries_by_source
  ON e.doc = ?3 AND e.bid = l.bid AND e.source_event_id = s.value AND e.seq <= l.up_to ORDER BY e.seq DESC`;
const arrivalsInGraphs = `SELECT l.place, e.seq, e.meta
  FROM LIST(?, place number, doc number, bid number, up_to number, source text) l
  CROSS JOIN {memory_entries} e INDEXED BY memory_entries_by_source
  ON e.doc = l.doc AND e.bid = l.bid AND e.source_event_id = l.source AND e.seq <= l.up_to ORDER BY e.seq DESC`;

/** For each source, returns its first entry in a document that is visible in the lineage. */
export function* loadSources(
  { lineage, doc }: Pick<GraphScope, "lineage" | "doc">,
  sources: readonly string[],
): Query<FactKinds["source"]["found"][]> {
  const [[only], [branch]] = [sources, lineage];
  const rows =
    sources.length === 1 && lineage.length === 1 && only !== undefined && branch
      ? yield* all(arrivalOfOne, doc, branch.branch, only, branch.upTo)
      : yield* all(arrivals, lineageJson(lineage), sources, doc);
  const bySource = new Map(rows.map((row) => [row["source"], row]));
  return sources.map((source) => decodeIf(bySource.get(source), decodeSource));
}

export function* loadSourcesOfEach(graphs: InGraphs): Query<readonly FactKinds["source"]["found"][][]> {
  const [only] = graphs;
  if (only && graphs.length === 1) return [yield* loadSources(only.scope, only.keys)];
  const places = graphs.flatMap(({ scope, keys }) => keys.map((source) => ({ scope, source })));
  const list = places.flatMap(({ scope: { doc, lineage }, source }, place) =>
    lineage.map(({ branch, upTo }) => [place, doc, branch, upTo, source]),
  );
  const rows = yield* all(arrivalsInGraphs, JSON.stringify(list));
  const byPlace = new Map(rows.map((row) => [Number(row["place"]), row]));
  return perScope(
    graphs,
    places.map((_, place) => decodeIf(byPlace.get(place), decodeSource)),
  );
}

const decodeSource = (row: Row) => ({
  seq: Number(row["seq"]),
  meta: row["meta"] === null ? {} : parseColumn<Meta>(row["meta"]),
});

const refOfBranch = `SELECT m.current FROM {memory_ref_moves} m WHERE m.bid = ? AND m.doc = ? AND m.seq <= ?
  ORDER BY m.seq DESC LIMIT 1`;
const refsOfSegments = `SELECT l.nth, (SELECT o.current FROM {memory_ref_moves} o
    WHERE o.bid = l.bid AND o.doc = l.doc AND o.seq <= l.up_to ORDER BY o.seq DESC LIMIT 1) AS current
  FROM LIST(?, doc number, bid number, up_to number) l ORDER BY l.nth`;

const decodeRef = (row: Row | undefined) => row && Number(row["current"]);

/** Returns the ref from the newest segment in the lineage that moved it. */
export function* loadRef(lineage: Lineage, doc: number): Query<number | undefined> {
  const [only, ...others] = lineage;
  if (only && others.length === 0) return decodeRef(yield* get(refOfBranch, only.branch, doc, only.upTo));
  const [[ref] = []] = yield* refsIn([{ scope: { lineage }, keys: [doc] }]);
  return ref;
}

export function* loadRefs(scopes: DocsIn): Query<readonly (number | undefined)[][]> {
  const [only] = scopes;
  const [doc, ...others] = only?.keys ?? [];
  return only && doc !== undefined && scopes.length === 1 && others.length === 0
    ? [[yield* loadRef(only.scope.lineage, doc)]]
    : yield* refsIn(scopes);
}

function* refsIn(scopes: DocsIn): Query<readonly (number | undefined)[][]> {
  return yield* newestSegments(refsOfSegments, scopes, ({ current }) => current !== null, decodeRef);
}
