import { memoryFailure } from "../../../../domain/memory/failures.ts";
import { endOfTime, type Lineage } from "../../../../domain/memory/lineage.ts";
import type { FactSlice } from "../../../../domain/memory/merge/combine-facts.ts";
import {
  type Mark,
  type MergeFacts,
  type MergeKey,
  type OpenConflict,
  verdictOf,
} from "../../../../domain/memory/merge/decide-merge.ts";
import { nothing } from "../../../../domain/memory/merge/three-way.ts";
import type { GraphMerge } from "../../../../domain/memory/steps/outcomes.ts";
import {
  currentOf,
  edgesTouching,
  type GraphView,
  isHead,
  lineageOf,
  lineageTable,
  viewAlong,
} from "../graph/graph-view.ts";
import { type BranchRow, findDoc, loadLineage, type Place, requireBranch } from "../places.ts";
import { type Changed, settledUpTo } from "./merge-marks.ts";
import type { SettledGraph } from "./settled.ts";

/** Two branches between which a graph is merged, of which one was made from the other. */
export type MergeSides = SettledGraph & {
  from: BranchRow;
  into: BranchRow;
  docName: string;
  theirs: GraphView;
  ours: GraphView;
  /** What both showed when the one was made from the other. */
  base: GraphView;
  /** When the one was made from the other. */
  madeAt: number;
  /** Up to here the source has changed nothing since. */
  since: number;
};

export function openSides(
  place: Place,
  { from: source, into: target, doc: docName }: Pick<GraphMerge, "from" | "into" | "doc">,
): MergeSides {
  const from = requireBranch(place, source);
  const into = requireBranch(place, target);
  return sidesOf(place, from, into, docName);
}

export function sidesOf(place: Place, from: BranchRow, into: BranchRow, docName: string): MergeSides {
  const isReturn = from.base === into.bid;
  if (!isReturn && into.base !== from.bid) {
    const { workspace } = place;
    const based = from.base !== undefined;
    throw memoryFailure("not_its_base", { workspace, from: from.name, into: into.name, based });
  }
  const doc = findDoc(place, docName) ?? 0;
  const [theirs, ours] = [from, into].map(({ bid }) => viewAlong(place, loadLineage(place, bid), doc)) as [
    GraphView,
    GraphView,
  ];
  const parent = isReturn ? ours : theirs;
  const madeAt = isReturn ? from.baseSeq : into.baseSeq;
  return {
    place,
    from,
    into,
    child: isReturn ? from.bid : into.bid,
    docName,
    doc,
    theirs,
    ours,
    base: viewAlong(place, upTo(parent.lineage, madeAt), doc),
    madeAt,
    since: isReturn ? 0 : madeAt,
  };
}

const upTo = (lineage: Lineage, seq: number): Lineage =>
  lineage.map((segment) => ({ ...segment, upTo: Math.min(segment.upTo, seq) }));

/** Keys of a branch: how many, and the newest number among them. */
type Heads = { keys: number; lastSeq: number };

/** Behind which number a page begins; `settled` are keys before it that need no look. */
export function beginPage(sides: MergeSides, after: number): { start: number; settled: Heads } {
  const start = Math.max(after, settledUpTo(sides));
  return { start, settled: countHeads(sides, Math.max(after, sides.since), start) };
}

/** What the source itself holds now behind `after`, up to and with `upTo`: the first of it, oldest first. */
export function changedBetween(
  { place, doc, from }: MergeSides,
  after: number,
  upTo: number,
  limit: number,
): Changed[] {
  return place.connection
    .sql(
      `SELECT v.key, v.seq FROM graph_versions v WHERE v.doc = ? AND v.bid = ? AND v.visible = 1 AND v.seq > ?
       AND v.seq <= ? AND ${isHead("v")} ORDER BY v.seq LIMIT ?`,
    )
    .all(doc, from.bid, after, upTo, limit)
    .map((row) => ({ key: String(row["key"]), seq: Number(row["seq"]) }));
}

/** How many keys of the source a merge has to look at. */
export const countChangedKeys = (sides: MergeSides): number =>
  countHeads(sides, settledUpTo(sides), endOfTime).keys;

function countHeads({ place, doc, from }: MergeSides, after: number, upTo: number): Heads {
  if (after >= upTo) return { keys: 0, lastSeq: after };
  const row = place.connection
    .sql(
      `SELECT count(*) AS keys, max(v.seq) AS last FROM graph_versions v WHERE v.doc = ? AND v.bid = ? AND v.visible = 1
       AND v.seq > ? AND v.seq <= ? AND ${isHead("v")}`,
    )
    .get(doc, from.bid, after, upTo);
  return { keys: Number(row?.["keys"] ?? 0), lastSeq: Number(row?.["last"] ?? after) };
}

export const namesOf = ({ from, into, docName }: MergeSides): MergeFacts["names"] => ({
  from: from.uid,
  into: into.uid,
  doc: docName,
});

/** These keys, and whatever else deciding them takes, in a handful of statements whatever their number. */
export function loadSlice(sides: MergeSides, keys: readonly string[]): FactSlice {
  const found = loadKeys(sides, keys);
  const arriving = found.filter((key) => verdictOf(key) === "apply");
  const ends = arriving.flatMap(({ ends = [], theirs }) => (theirs?.fingerprint === nothing ? [] : ends));
  const leaving = arriving.filter(({ kind, theirs }) => kind === "node" && theirs?.fingerprint === nothing);
  const edges = edgesTouching(
    sides.ours,
    leaving.map(({ key }) => key),
  );
  return {
    keys: found,
    others: loadKeys(sides, [...new Set(ends)]),
    edgesHere: loadKeys(sides, [...edges.keys()]),
  };
}

/** The conflicts that wait, with the edges among them that are in the way of a deleted node. */
export function loadOpen(sides: MergeSides): { conflicts: OpenConflict[]; slice: FactSlice } {
  const conflicts = openConflicts(sides);
  const torn = conflicts.flatMap(({ key, ends }) => (ends ? [key, ...ends] : []));
  return { conflicts, slice: { keys: [], others: loadKeys(sides, [...new Set(torn)]), edgesHere: [] } };
}

/** How keys stand that either branch has changed meanwhile; only those of `page` are merged. */
export function loadAgain(
  sides: MergeSides,
  changed: readonly string[],
  page: ReadonlySet<string>,
): FactSlice {
  const { keys, others, edgesHere } = loadSlice(
    sides,
    changed.filter((key) => page.has(key)),
  );
  const beside = loadKeys(
    sides,
    changed.filter((key) => !page.has(key)),
  );
  return {
    keys,
    others: [...others, ...beside],
    edgesHere: [...edgesHere, ...[...beside, ...keys].filter(({ kind }) => kind === "edge")],
  };
}

/** What the two last agreed on, else what both showed when the one was made from the other. */
const agreedOn = `CASE WHEN s.sid IS NULL THEN ${currentOf("mark", "k", "base")}
  ELSE s.seq || ' ' || coalesce(v.fingerprint, '${nothing}') END`;

function loadKeys(sides: MergeSides, keys: readonly string[]): MergeKey[] {
  if (keys.length === 0) return [];
  const { place, child, doc, theirs, ours, base } = sides;
  const rows = place.connection
    .sql(
      `WITH ${lineageTable("theirs")}, ${lineageTable("ours")}, ${lineageTable("base")},
       k (key, doc) AS MATERIALIZED (SELECT value, ? FROM json_each(?))
       SELECT k.key, ${currentOf("mark", "k", "theirs")} AS theirs, ${currentOf("mark", "k", "ours")} AS ours,
       ${agreedOn} AS base FROM k LEFT JOIN graph_settled s ON s.bid = ? AND s.doc = k.doc AND s.key = k.key
       LEFT JOIN graph_versions v ON v.seq = s.seq`,
    )
    .all(lineageOf(theirs), lineageOf(ours), lineageOf(base), doc, JSON.stringify(keys), child);
  return rows.map((row): MergeKey => {
    const key = String(row["key"]);
    const [theirs, ours, base] = [row["theirs"], row["ours"], row["base"]].map(decodeMark);
    return { key, ...shapeOf(key), theirs, ours, base };
  });
}

function decodeMark(mark: unknown): Mark | undefined {
  if (typeof mark !== "string") return undefined;
  const [seq, fingerprint = nothing] = mark.split(" ");
  return { seq: Number(seq), fingerprint };
}

/** `|` is reserved in ids and relations, so the key itself tells. */
function shapeOf(key: string): Pick<MergeKey, "kind" | "ends"> {
  const [source, , target] = key.split("|");
  return source === undefined || target === undefined
    ? { kind: "node" }
    : { kind: "edge", ends: [source, target] };
}

function openConflicts(sides: MergeSides): OpenConflict[] {
  const { place, from, into, doc } = sides;
  return place.connection
    .sql(
      `SELECT c.id, c.key, EXISTS (SELECT 1 FROM graph_versions v WHERE v.doc = c.doc AND v.key = c.key
         AND v.bid = c.from_bid AND v.visible = 1 AND v.seq > ? AND ${isHead("v")}) AS news
       FROM graph_conflicts c WHERE c.into_bid = ? AND c.doc = ? AND c.from_bid = ? AND c.status = 'open'`,
    )
    .all(settledUpTo(sides), into.bid, doc, from.bid)
    .map((row) => {
      const key = String(row["key"]);
      const { ends } = shapeOf(key);
      return { id: String(row["id"]), key, ...(row["news"] === 0 && ends && { ends }) };
    });
}
