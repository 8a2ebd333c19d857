import { stateOf } from "../../../../domain/memory/graph.ts";
import { cutoffs, type Link, sees } from "../../../../domain/memory/lineage.ts";
import type {
  BranchFacts,
  KnownDifference,
  MergeAnswers,
  MergeNeeds,
  MergeQuestions,
  MergeRounds,
  NodeMarks,
  Replacement,
} from "../../../../domain/memory/merge/merge-questions.ts";
import { type AskedMerge, planMerge, previewOf } from "../../../../domain/memory/merge/plan-merge.ts";
import { type Mark, nothing } from "../../../../domain/memory/merge/three-way.ts";
import type { GraphMerge, GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import { decodeEntry } from "../../../rows/memory-rows.ts";
import { parseColumn, type Row } from "../../../rows/row.ts";
import {
  currentOf,
  isHead,
  keysWritten,
  lineageJson,
  lineageTable,
  readVersions,
} from "../graph/graph-view.ts";
import type { Place } from "../places.ts";
import { edgesAtNodes, loadSources, loadTally } from "../rows/graph-facts.ts";
import { findConflict } from "./conflicts.ts";

type Asked<Name extends keyof MergeQuestions> = MergeQuestions[Name][0];
type Answer<Name extends keyof MergeQuestions> = Promise<MergeQuestions[Name][1]>;

const answers: { [Name in keyof MergeQuestions]: (place: Place, asked: Asked<Name>) => Answer<Name> } = {
  sides: readSides,
  changed: listChanged,
  counted: countChanged,
  open: listOpen,
  marks: readMarks,
  edges: edgesAt,
  replacements: readReplacements,
  conflict: (place, { id }) => findConflict(place, id),
  states: async (place, { seqs }) =>
    new Map([...(await readVersions(place, seqs))].map(([seq, { version }]) => [seq, stateOf(version)])),
  isStaged: async ({ connection: { sql } }, { merge }) =>
    (await sql("SELECT 1 AS there FROM {graph_merges} m WHERE mid = ? AND published = 0").get(merge)) !==
    undefined,
  tally: ({ connection }, { doc, view }) => loadTally(connection, view, doc),
  written: ({ connection }, { doc, ranges, limit }) => keysWritten(connection, doc, ranges, limit),
  leaving: readLeaving,
  notes: listNotes,
  copies: findCopies,
};

/** What a merge has to know: a statement for each question, all of a round sent together; `sides` takes two. */
export async function answerMerge(place: Place, needs: MergeNeeds): Promise<MergeAnswers> {
  const told: Record<string, unknown> = {};
  await Promise.all(
    Object.entries(needs).map(async ([name, asked]) => {
      if (asked) told[name] = await answers[name as keyof MergeQuestions](place, asked as never);
    }),
  );
  return told as MergeAnswers;
}

/** Everything in one transaction. */
export async function inPlace<Result>(place: Place, rounds: MergeRounds<Result>): Promise<Result> {
  for (let round = rounds.next(); ; round = rounds.next(await answerMerge(place, round.value.needs)))
    if (round.done) return round.value;
}

export const askedOf = (workspace: string, { from, into, ...rest }: GraphMerge): AskedMerge => ({
  ...rest,
  workspace,
  from: { name: from },
  into: { name: into },
});

/** What merging would do. `undefined` if there are more keys than `atOnce`. */
export async function previewMerge(
  place: Place,
  merge: GraphMerge,
  at: Date,
  atOnce: number,
): Promise<GraphMergeOutcome | undefined> {
  const plan = await inPlace(place, planMerge(askedOf(place.workspace, merge), at, { atOnce }));
  return plan && previewOf(plan);
}

const optional = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const branchColumns = "b.bid, b.base, b.base_seq, b.uid, b.name, b.deleted_at_ms";

async function readSides(
  { connection: { sql }, wid }: Place,
  { from, into, doc }: Asked<"sides">,
): Answer<"sides"> {
  const asked = "jsonb_array_elements(?2::jsonb) WITH ORDINALITY a (value, nth)";
  const rows = await sql(`WITH RECURSIVE chain (side, step, bid, base, base_seq, uid, name, deleted) AS (
      (SELECT a.nth, 0, ${branchColumns} FROM ${asked} JOIN {memory_branches} b ON b.wid = ?1
        AND (b.name = a.value ->> 'name' AND b.deleted_at_ms IS NULL OR b.bid = (a.value ->> 'branch')::bigint))
      UNION ALL SELECT side, step + 1, ${branchColumns}
      FROM chain JOIN {memory_branches} b ON b.bid = chain.base
    ) SELECT * FROM chain ORDER BY side, step`).all(wid, JSON.stringify([from, into]));
  const [theirs, ours] = [1, 2].map((side) => decodeBranch(rows.filter((row) => row["side"] === side)));
  const row =
    await sql(`WITH d (doc) AS MATERIALIZED (SELECT doc FROM {memory_docs} d WHERE wid = ?1 AND name = ?2)
    SELECT (SELECT doc FROM d) AS doc, (SELECT seq FROM {tenants} t) AS last,
    (SELECT max(base_seq) FROM {memory_branches} b WHERE base = ?4 AND erased = 0) AS branched,
    (SELECT max(seq) FROM {graph_merged} m WHERE bid IN (?3, ?4) AND doc = (SELECT doc FROM d) AND from_bid = ?3) AS mark,
    (SELECT json_agg(json_build_array(bid, seq, keys::json))::text FROM {graph_known_differences} k
     WHERE bid IN (?3, ?4) AND doc = (SELECT doc FROM d)) AS known,
    EXISTS (SELECT 1 FROM {memory_streams} s WHERE bid = ?4 AND doc = (SELECT doc FROM d) AND form = 'graph') AS streamed`).get(
      wid,
      doc,
      theirs?.branch ?? 0,
      ours?.branch ?? 0,
    );
  const known = parseColumn<[number, number, string[]][]>(row?.["known"] ?? "[]");
  return {
    wid,
    from: theirs,
    into: ours,
    doc: optional(row?.["doc"]),
    lastSeq: Number(row?.["last"] ?? 0),
    branchedAt: Number(row?.["branched"] ?? 0),
    mark: Number(row?.["mark"] ?? 0),
    hasGraph: row?.["streamed"] === 1,
    known: new Map(known.map(([bid, seq, keys]): [number, KnownDifference] => [bid, { seq, keys }])),
  };
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

async function listChanged({ connection: { sql } }: Place, asked: Asked<"changed">): Answer<"changed"> {
  const { doc, branch, after, upTo, limit } = asked;
  const rows =
    await sql(`SELECT v.key, v.seq FROM {graph_versions} v WHERE v.doc = ? AND v.bid = ? AND v.visible = 1
    AND v.seq > ? AND v.seq <= ? AND ${isHead("v")} ORDER BY v.seq LIMIT ?`).all(
      doc,
      branch,
      after,
      upTo,
      limit,
    );
  return rows.map((row) => ({ key: String(row["key"]), seq: Number(row["seq"]) }));
}

async function countChanged({ connection: { sql } }: Place, asked: Asked<"counted">): Answer<"counted"> {
  const { doc, branch, after, upTo } = asked;
  const row =
    await sql(`SELECT count(*) AS keys, max(v.seq) AS last FROM {graph_versions} v WHERE v.doc = ? AND v.bid = ?
    AND v.visible = 1 AND v.seq > ? AND v.seq <= ? AND ${isHead("v")}`).get(doc, branch, after, upTo);
  return { keys: Number(row?.["keys"] ?? 0), lastSeq: Number(row?.["last"] ?? after) };
}

async function listOpen(
  { connection: { sql } }: Place,
  { doc, from, into, after }: Asked<"open">,
): Answer<"open"> {
  const rows =
    await sql(`SELECT c.id, c.key, EXISTS (SELECT 1 FROM {graph_versions} v WHERE v.doc = c.doc AND v.key = c.key
      AND v.bid = c.from_bid AND v.visible = 1 AND v.seq > ? AND ${isHead("v")}) AS news
    FROM {graph_conflicts} c WHERE c.into_bid = ? AND c.doc = ? AND c.from_bid = ? AND c.status = 'open'
    ORDER BY c.key`).all(after, into, doc, from);
  return rows.map((row) => ({ id: String(row["id"]), key: String(row["key"]), hasNews: row["news"] === 1 }));
}

/** What a published merge has staged counts before what was settled earlier. */
const settledSeq = "CASE WHEN a.mid IS NULL THEN s.seq ELSE a.seq END";

/** What the two last agreed on, else what both showed when the one was made from the other. */
const agreedOn = `CASE WHEN s.sid IS NULL AND a.mid IS NULL THEN ${currentOf("mark", "k", "base")}
  ELSE ${settledSeq} || ' ' || coalesce(v.fingerprint, '${nothing}') END`;

async function readMarks({ connection: { sql } }: Place, asked: Asked<"marks">): Answer<"marks"> {
  const { doc, child, keys } = asked;
  const { theirs, ours, base } = asked.views;
  const rows = await sql(`WITH ${lineageTable("theirs")}, ${lineageTable("ours")}, ${lineageTable("base")},
    k (key, doc) AS MATERIALIZED (SELECT key, ?::bigint FROM unnest(?::text[]) u (key))
    SELECT k.key, ${currentOf("mark", "k", "theirs")} AS theirs, ${currentOf("mark", "k", "ours")} AS ours,
    ${agreedOn} AS base FROM k LEFT JOIN {graph_settled} s ON s.bid = ? AND s.doc = k.doc AND s.key = k.key
    LEFT JOIN {graph_settled_ahead} a ON a.mid IN (SELECT m.mid FROM {graph_merges} m WHERE m.published = 1)
      AND a.key = k.key AND a.bid = ? AND a.doc = k.doc
    LEFT JOIN {graph_versions} v ON v.seq = ${settledSeq}`).all(
    ...[lineageJson(theirs), lineageJson(ours), lineageJson(base), doc, keys, child, child],
  );
  return rows.map((row) => ({
    key: String(row["key"]),
    theirs: decodeMark(row["theirs"]),
    ours: decodeMark(row["ours"]),
    base: decodeMark(row["base"]),
  }));
}

function decodeMark(mark: unknown): Mark | undefined {
  if (typeof mark !== "string") return undefined;
  const [seq, fingerprint = nothing] = mark.split(" ");
  return { seq: Number(seq), fingerprint };
}

async function edgesAt(
  { connection: { sql } }: Place,
  { doc, view, nodes }: Asked<"edges">,
): Answer<"edges"> {
  const rows =
    await sql(`WITH ${lineageTable("lineage", "?1")}, c (seq) AS MATERIALIZED (${edgesAtNodes("?2", "?3")})
    SELECT v.key FROM c JOIN {graph_versions} v ON v.seq = c.seq WHERE v.seq = ${currentOf("seq", "v", "lineage")}
    ORDER BY v.seq DESC`).all(lineageJson(view), nodes, doc);
  return rows.map((row) => String(row["key"]));
}

const fields = ["title", "text", "status", "tags", "deleted"] as const;
const differs = (column: string): string => `(t.${column} IS DISTINCT FROM o.${column})`;
const differences = fields.map((field) => `${differs(field)} AS other_${field}`).join(", ");

/** Compares where the rows are: their texts, most of what a graph contains, are not carried over for it. */
async function readReplacements(
  { connection: { sql } }: Place,
  { pairs }: Asked<"replacements">,
): Answer<"replacements"> {
  const rows =
    await sql(`SELECT t.kind, t.deleted, t.type, t.status, t.tags, o.seq AS held, o.bid AS held_bid,
    o.deleted AS held_deleted, o.replaces AS held_replaces, o.type AS held_type, o.status AS held_status,
    o.tags AS held_tags, ${differences}, t.kind = 'node' AND ${differs("type")} AS other_type, ${differs("meta")} AS other_meta,
    CASE WHEN ${differs("meta")} THEN t.meta END AS meta, CASE WHEN ${differs("meta")} THEN o.meta END AS held_meta
    FROM unnest(?::bigint[], ?::bigint[]) WITH ORDINALITY p (theirs, ours, nth)
    JOIN {graph_versions} t ON t.seq = p.theirs LEFT JOIN {graph_versions} o ON o.seq = p.ours ORDER BY p.nth`).all(
      pairs.map(({ theirs }) => theirs),
      pairs.map(({ ours }) => ours ?? 0),
    );
  return rows.map((row): Replacement => {
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

async function readLeaving(
  { connection: { sql }, wid }: Place,
  { branch }: Asked<"leaving">,
): Answer<"leaving"> {
  const living = "deleted_at_ms IS NULL ORDER BY bid LIMIT 1";
  const [row, streams] = await Promise.all([
    sql(`SELECT (SELECT o.name FROM {memory_branches} o WHERE o.bid = b.base) AS base,
      (SELECT name FROM {memory_branches} c WHERE c.base = b.bid AND c.${living}) AS child,
      (SELECT name FROM {memory_branches} o WHERE o.wid = ?1 AND o.bid <> b.bid AND o.${living}) AS other,
      (SELECT max(d.deleted_at_ms) FROM {memory_branches} d WHERE d.wid = ?1 AND d.name = b.name) AS deleted
      FROM {memory_branches} b WHERE b.bid = ?2`).get(wid, branch),
    sql(`SELECT d.name, s.form FROM {memory_streams} s JOIN {memory_docs} d ON d.doc = s.doc WHERE s.bid = ?
      ORDER BY d.name`).all(branch),
  ]);
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

async function listNotes(
  { connection: { sql } }: Place,
  { doc, missing, limit }: Asked<"notes">,
): Answer<"notes"> {
  const rows = await sql(`SELECT e.*, b.name AS branch_name, d.name AS doc_name
    FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) WITH ORDINALITY s (bid, after, up_to, nth)
    JOIN {memory_entries} e ON e.doc = ? AND e.bid = s.bid AND e.seq > s.after AND e.seq <= s.up_to AND e.kind = 'note'
    JOIN {memory_branches} b ON b.bid = e.bid JOIN {memory_docs} d ON d.doc = e.doc ORDER BY s.nth, e.seq LIMIT ?`).all(
    missing.map(({ branch }) => branch),
    missing.map(({ after }) => after),
    missing.map(({ upTo }) => upTo),
    doc,
    limit,
  );
  return rows.map((row) => ({ entry: decodeEntry(row), origin: Number(row["origin"]) }));
}

async function findCopies(
  { connection }: Place,
  { doc, view, origins, sources }: Asked<"copies">,
): Answer<"copies"> {
  const shown = cutoffs(view);
  const [copies, known] = await Promise.all([
    connection
      .sql(`SELECT e.origin, e.bid, e.seq FROM {memory_entries} e WHERE e.doc = ?2
          AND (e.seq = ANY (?1::bigint[]) AND e.origin = e.seq OR e.origin = ANY (?1::bigint[]) AND e.origin <> e.seq)`)
      .all(origins, doc),
    sources.length > 0 ? loadSources(connection, { lineage: view, doc }, sources) : [],
  ]);
  return {
    origins: copies
      .filter((row) => sees(shown, Number(row["bid"]), Number(row["seq"])))
      .map((row) => Number(row["origin"])),
    sources: sources.filter((_, n) => known[n] !== undefined),
  };
}
