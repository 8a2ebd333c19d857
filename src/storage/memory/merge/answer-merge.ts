import { deletedFingerprint, stateOf } from "../../../domain/memory/graph.ts";
import { cutoffs, type Link, sees } from "../../../domain/memory/lineage.ts";
import type { Mark } from "../../../domain/memory/merge/decide-merge.ts";
import type {
  BranchFacts,
  KnownDifference,
  MergeAnswers,
  MergeNeeds,
  MergeQuestions,
  MergeRounds,
  NodeMarks,
  Replacement,
} from "../../../domain/memory/merge/merge-questions.ts";
import { type AskedMerge, planMerge, previewOf } from "../../../domain/memory/merge/plan-merge.ts";
import type { GraphMerge, GraphMergeOutcome } from "../../../domain/memory/steps/outcomes.ts";
import { decodeEntry } from "../../rows/memory-rows.ts";
import { parseColumn, type Row } from "../../rows/row.ts";
import {
  currentOf,
  edgesAtNodes,
  isHead,
  keysWritten,
  lineageJson,
  lineageTable,
  readVersions,
} from "../graph/graph-view.ts";
import type { Place } from "../places.ts";
import { all, each, get, just, type Query, together } from "../query.ts";
import { loadSources, loadTally } from "../rows/graph-facts.ts";
import { findConflict } from "./conflicts.ts";

type Asked<Name extends keyof MergeQuestions> = MergeQuestions[Name][0];
type Answer<Name extends keyof MergeQuestions> = Query<MergeQuestions[Name][1]>;

const answers: { [Name in keyof MergeQuestions]: (place: Place, asked: Asked<Name>) => Answer<Name> } = {
  sides: readSides,
  changed: listChanged,
  counted: countChanged,
  open: listOpen,
  marks: readMarks,
  edges: edgesAt,
  replacements: readReplacements,
  conflict: (place, { id }) => findConflict(place, id),
  *states(_, { seqs }) {
    const versions = yield* readVersions(seqs);
    return new Map([...versions].map(([seq, { version }]) => [seq, stateOf(version)]));
  },
  *isStaged(_, { merge }) {
    return (yield* get(isStagedMerge, merge)) !== undefined;
  },
  tally: (_, { doc, view }) => loadTally(view, doc),
  written: (_, { doc, ranges, limit }) => keysWritten(doc, ranges, limit),
  leaving: readLeaving,
  notes: listNotes,
  copies: findCopies,
};

export const isStagedMerge = "SELECT 1 AS there FROM {graph_merges} m WHERE m.mid = ? AND m.published = 0";

/**
 * Runs the queries of a merge. Each query takes one statement (`sides` takes two), and all queries in a round
 * are sent in one batch.
 */
export function* answerMerge(place: Place, needs: MergeNeeds): Query<MergeAnswers> {
  const asked = Object.entries(needs).filter(([, needed]) => needed);
  const told = yield* each(asked, ([name, needed]) =>
    (answers[name as keyof MergeQuestions] as AnyAnswer)(place, needed),
  );
  return Object.fromEntries(asked.map(([name], n) => [name, told[n]])) as MergeAnswers;
}

type AnyAnswer = (place: Place, asked: unknown) => Query<unknown>;

/** Runs the whole merge in one transaction. */
export function* inPlace<Result>(place: Place, rounds: MergeRounds<Result>): Query<Result> {
  for (let round = rounds.next(); ; round = rounds.next(yield* answerMerge(place, round.value.needs)))
    if (round.done) return round.value;
}

export const askedOf = (workspace: string, { from, into, ...rest }: GraphMerge): AskedMerge => ({
  ...rest,
  workspace,
  from: { name: from },
  into: { name: into },
});

/** Previews a merge. Returns `undefined` if the merge has more keys than `atOnce`. */
export function* previewMerge(
  place: Place,
  merge: GraphMerge,
  at: Date,
  atOnce: number,
): Query<GraphMergeOutcome | undefined> {
  const plan = yield* inPlace(place, planMerge(askedOf(place.workspace, merge), at, { atOnce }));
  return plan && previewOf(plan);
}

const optional = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const branchColumns = "b.bid, b.base, b.base_seq, b.uid, b.name, b.deleted_at_ms";

const chains = `WITH RECURSIVE chain (side, step, bid, base, base_seq, uid, name, deleted) AS (
    SELECT a.nth, 0, ${branchColumns} FROM LIST(?2, name text, bid number) a JOIN {memory_branches} b
      ON b.wid = ?1 AND b.name = a.name AND b.deleted_at_ms IS NULL
    UNION ALL SELECT a.nth, 0, ${branchColumns} FROM LIST(?2, name text, bid number) a JOIN {memory_branches} b
      ON b.wid = ?1 AND b.bid = a.bid
    UNION ALL SELECT side, step + 1, ${branchColumns} FROM chain JOIN {memory_branches} b ON b.bid = chain.base
  ) SELECT * FROM chain ORDER BY side, step`;

const known = (bid: string): string =>
  `(SELECT k.seq || ' ' || k.keys FROM {graph_known_differences} k WHERE k.bid = ${bid} AND k.doc = (SELECT doc FROM d))`;

const commonFacts = `WITH d (doc) AS MATERIALIZED (SELECT n.doc FROM {memory_docs} n WHERE n.wid = ?1 AND n.name = ?2)
  SELECT (SELECT doc FROM d) AS doc, @last AS last,
  (SELECT max(b.base_seq) FROM {memory_branches} b WHERE b.base = ?4 AND b.erased = 0) AS branched,
  (SELECT max(m.seq) FROM {graph_merged} m WHERE m.bid IN (?3, ?4) AND m.doc = (SELECT doc FROM d) AND m.from_bid = ?3) AS mark,
  ${known("?3")} AS known_from, ${known("?4")} AS known_into,
  EXISTS (SELECT 1 FROM {memory_streams} s WHERE s.bid = ?4 AND s.doc = (SELECT doc FROM d) AND s.form = 'graph') AS streamed`;

function* readSides({ wid }: Place, { from, into, doc }: Asked<"sides">): Answer<"sides"> {
  const wanted = [from, into].map((ref) => ("name" in ref ? [ref.name, null] : [null, ref.branch]));
  const rows = yield* all(chains, wid, JSON.stringify(wanted));
  const [theirs, ours] = [0, 1].map((side) => decodeBranch(rows.filter((row) => row["side"] === side)));
  const [one, other] = [theirs?.branch ?? 0, ours?.branch ?? 0];
  const row = yield* get(commonFacts, wid, doc, one, other);
  return {
    wid,
    from: theirs,
    into: ours,
    doc: optional(row?.["doc"]),
    lastSeq: Number(row?.["last"] ?? 0),
    branchedAt: Number(row?.["branched"] ?? 0),
    mark: Number(row?.["mark"] ?? 0),
    hasGraph: row?.["streamed"] === 1,
    known: new Map([...decodeKnown(one, row?.["known_from"]), ...decodeKnown(other, row?.["known_into"])]),
  };
}

function decodeKnown(bid: number, column: unknown): [number, KnownDifference][] {
  if (typeof column !== "string") return [];
  const end = column.indexOf(" ");
  return [[bid, { seq: Number(column.slice(0, end)), keys: parseColumn<string[]>(column.slice(end + 1)) }]];
}

function decodeBranch(rows: readonly Row[]): BranchFacts | undefined {
  const [own] = rows;
  if (!own) return undefined;
  return {
    branch: Number(own["bid"]),
    uid: String(own["uid"]),
    name: String(own["name"]),
    isDeleted: own["deleted"] !== null,
    links: rows.map(
      (row): Link => ({
        branch: Number(row["bid"]),
        base: optional(row["base"]),
        baseSeq: Number(row["base_seq"]),
      }),
    ),
  };
}

const headsWritten = `FROM {graph_versions} v WHERE v.doc = ? AND v.bid = ? AND v.visible = 1 AND v.seq > ?
  AND v.seq <= ? AND ${isHead("v")}`;

function* listChanged(_: Place, { doc, branch, after, upTo, limit }: Asked<"changed">): Answer<"changed"> {
  const text = `SELECT v.key, v.seq ${headsWritten} ORDER BY v.seq LIMIT ?`;
  const rows = yield* all(text, doc, branch, after, upTo, limit);
  return rows.map((row) => ({ key: String(row["key"]), seq: Number(row["seq"]) }));
}

function* countChanged(_: Place, { doc, branch, after, upTo }: Asked<"counted">): Answer<"counted"> {
  const text = `SELECT count(*) AS keys, max(v.seq) AS last ${headsWritten}`;
  const row = yield* get(text, doc, branch, after, upTo);
  return { keys: Number(row?.["keys"] ?? 0), lastSeq: Number(row?.["last"] ?? after) };
}

const openConflicts = `SELECT c.id, c.key, EXISTS (SELECT 1 FROM {graph_versions} v WHERE v.doc = c.doc AND v.key = c.key
    AND v.bid = c.from_bid AND v.visible = 1 AND v.seq > ? AND ${isHead("v")}) AS news
  FROM {graph_conflicts} c WHERE c.into_bid = ? AND c.doc = ? AND c.from_bid = ? AND c.status = 'open' ORDER BY c.key`;

function* listOpen(_: Place, { doc, from, into, after }: Asked<"open">): Answer<"open"> {
  const rows = yield* all(openConflicts, after, into, doc, from);
  return rows.map((row) => ({ id: String(row["id"]), key: String(row["key"]), hasNews: row["news"] === 1 }));
}

/** SQL: the settled version. If a published merge has staged the key, the staged version takes precedence. */
const settledSeq = "CASE WHEN a.mid IS NULL THEN s.seq ELSE a.seq END";

/**
 * SQL: the version on which the two branches last agreed. If they never agreed, this is the version that both
 * had when one was created from the other.
 */
const agreedOn = `CASE WHEN s.sid IS NULL AND a.mid IS NULL THEN ${currentOf("mark", "k", "base")}
  ELSE ${settledSeq} || ' ' || coalesce(v.fingerprint, '${deletedFingerprint}') END`;

const marksOfKeys = `WITH ${lineageTable("theirs")}, ${lineageTable("ours")}, ${lineageTable("base")},
  k (key, doc) AS MATERIALIZED (SELECT d.value, n.value FROM NUMBERS(?) n CROSS JOIN TEXTS(?) d)
  SELECT k.key, ${currentOf("mark", "k", "theirs")} AS theirs, ${currentOf("mark", "k", "ours")} AS ours,
  ${agreedOn} AS base FROM k LEFT JOIN {graph_settled} s ON s.bid = ? AND s.doc = k.doc AND s.key = k.key
  LEFT JOIN {graph_settled_ahead} a ON a.mid IN (SELECT m.mid FROM {graph_merges} m WHERE m.published = 1)
    AND a.key = k.key AND a.bid = ? AND a.doc = k.doc
  LEFT JOIN {graph_versions} v ON v.seq = ${settledSeq}`;

function* readMarks(_: Place, { doc, child, keys, views }: Asked<"marks">): Answer<"marks"> {
  const lineages = [views.theirs, views.ours, views.base].map(lineageJson);
  const rows = yield* all(marksOfKeys, ...lineages, [doc], keys, child, child);
  return rows.map((row) => ({
    key: String(row["key"]),
    theirs: decodeMark(row["theirs"]),
    ours: decodeMark(row["ours"]),
    base: decodeMark(row["base"]),
  }));
}

function decodeMark(mark: unknown): Mark | undefined {
  if (typeof mark !== "string") return undefined;
  const [seq, fingerprint = deletedFingerprint] = mark.split(" ");
  return { seq: Number(seq), fingerprint };
}

const edgesInView = `WITH ${lineageTable("lineage", "?1")}, c (seq) AS MATERIALIZED (${edgesAtNodes("?2", "?3")})
  SELECT v.key FROM c JOIN {graph_versions} v ON v.seq = c.seq WHERE v.seq = ${currentOf("seq", "v", "lineage")}
  ORDER BY v.seq DESC`;

function* edgesAt(_: Place, { doc, view, nodes }: Asked<"edges">): Answer<"edges"> {
  return (yield* all(edgesInView, lineageJson(view), nodes, doc)).map((row) => String(row["key"]));
}

const fields = ["title", "text", "status", "tags", "deleted"] as const;
const differs = (column: string): string => `(t.${column} IS DISTINCT FROM o.${column})`;
const differences = fields.map((field) => `${differs(field)} AS other_${field}`).join(", ");

const pairsCompared = `SELECT t.kind, t.deleted, t.type, t.status, t.tags, o.seq AS held, o.bid AS held_bid,
  o.deleted AS held_deleted, o.replaces AS held_replaces, o.type AS held_type, o.status AS held_status,
  o.tags AS held_tags, ${differences}, t.kind = 'node' AND ${differs("type")} AS other_type, ${differs("meta")} AS other_meta,
  CASE WHEN ${differs("meta")} THEN t.meta END AS meta, CASE WHEN ${differs("meta")} THEN o.meta END AS held_meta
  FROM LIST(?, theirs number, ours number) p CROSS JOIN {graph_versions} t ON t.seq = p.theirs
  LEFT JOIN {graph_versions} o ON o.seq = p.ours ORDER BY p.nth`;

/** Compares versions inside the database, which avoids transferring their text. */
function* readReplacements(_: Place, { pairs }: Asked<"replacements">): Answer<"replacements"> {
  const list = JSON.stringify(pairs.map(({ theirs, ours }) => [theirs, ours ?? 0]));
  return (yield* all(pairsCompared, list)).map((row): Replacement => {
    const isNode = row["kind"] === "node";
    return {
      fields: [...fields, "type"].filter((field) => row[`other_${field}`] === 1),
      meta: row["other_meta"] === 1 ? [metaOf(row["meta"]), metaOf(row["held_meta"])] : undefined,
      found: isNode && row["deleted"] === 0 ? decodeNode(row, "") : undefined,
      held:
        row["held"] === null
          ? undefined
          : {
              branch: Number(row["held_bid"]),
              deleted: row["held_deleted"] === 1,
              replaces: optional(row["held_replaces"]),
              found: isNode && row["held_deleted"] === 0 ? decodeNode(row, "held_") : undefined,
            },
    };
  });
}

const metaOf = (column: unknown): unknown => (column === null ? undefined : parseColumn(column));

const decodeNode = (row: Row, side: "" | "held_"): NodeMarks => ({
  type: String(row[`${side}type`]),
  status: row[`${side}status`] === null ? undefined : String(row[`${side}status`]),
  tags: row[`${side}tags`] === null ? undefined : parseColumn<string[]>(row[`${side}tags`]),
});

const living = "deleted_at_ms IS NULL ORDER BY bid LIMIT 1";
const relatives = `SELECT (SELECT o.name FROM {memory_branches} o WHERE o.bid = b.base) AS base,
  (SELECT c.name FROM {memory_branches} c WHERE c.base = b.bid AND c.${living}) AS child,
  (SELECT o.name FROM {memory_branches} o WHERE o.wid = ?1 AND o.bid <> b.bid AND o.${living}) AS other,
  (SELECT max(d.deleted_at_ms) FROM {memory_branches} d WHERE d.wid = ?1 AND d.name = b.name) AS deleted
  FROM {memory_branches} b WHERE b.bid = ?2`;

function* readLeaving({ wid }: Place, { branch }: Asked<"leaving">): Answer<"leaving"> {
  const [row, streams] = yield* together(
    get(relatives, wid, branch),
    all(
      `SELECT d.name, s.form FROM {memory_streams} s JOIN {memory_docs} d ON d.doc = s.doc WHERE s.bid = ?
       ORDER BY d.name`,
      branch,
    ),
  );
  const name = (column: "base" | "child" | "other") =>
    typeof row?.[column] === "string" ? row[column] : undefined;
  return {
    base: name("base"),
    child: name("child"),
    other: name("other"),
    lastDeletedMs: optional(row?.["deleted"]),
    streams: streams.map((stream) => ({
      doc: String(stream["name"]),
      form: stream["form"] === "log" ? "log" : "graph",
    })),
  };
}

const missingNotes = `SELECT e.*, b.name AS branch_name, d.name AS doc_name
  FROM LIST(?1, bid number, after number, up_to number) s
  CROSS JOIN {memory_entries} e ON e.doc = ?2 AND e.bid = s.bid AND e.seq > s.after AND e.seq <= s.up_to AND e.kind = 'note'
  JOIN {memory_branches} b ON b.bid = e.bid JOIN {memory_docs} d ON d.doc = e.doc ORDER BY s.nth, e.seq LIMIT ?3`;

function* listNotes(_: Place, { doc, missing, limit }: Asked<"notes">): Answer<"notes"> {
  const segments = JSON.stringify(missing.map(({ branch, after, upTo }) => [branch, after, upTo]));
  const rows = yield* all(missingNotes, segments, doc, limit);
  return rows.map((row) => ({ entry: decodeEntry(row), origin: Number(row["origin"]) }));
}

const copiesOf = `SELECT e.origin, e.bid, e.seq FROM NUMBERS(?1) o
    CROSS JOIN {memory_entries} e ON e.seq = o.value AND e.origin = e.seq AND e.doc = ?2
  UNION ALL SELECT e.origin, e.bid, e.seq FROM NUMBERS(?1) o
    CROSS JOIN {memory_entries} e INDEXED BY memory_copies ON e.origin = o.value AND e.origin <> e.seq AND e.doc = ?2`;

function* findCopies(_: Place, { doc, view, origins, sources }: Asked<"copies">): Answer<"copies"> {
  const shown = cutoffs(view);
  const [copies, known] = yield* together(
    all(copiesOf, origins, doc),
    sources.length > 0 ? loadSources({ lineage: view, doc }, sources) : just([]),
  );
  return {
    origins: copies
      .filter((row) => sees(shown, Number(row["bid"]), Number(row["seq"])))
      .map((row) => Number(row["origin"])),
    sources: sources.filter((_, n) => known[n] !== undefined),
  };
}
