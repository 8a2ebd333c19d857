import type { Tally } from "../../../../domain/memory/graph/plan-versions.ts";
import { stateOf } from "../../../../domain/memory/graph.ts";
import { cutoffs, type Lineage, type Link, sees } from "../../../../domain/memory/lineage.ts";
import type {
  BranchFacts,
  KnownDifference,
  MergeAnswers,
  MergeNeeds,
  MergeQuestions,
  NodeMarks,
  Replacement,
} from "../../../../domain/memory/merge/merge-questions.ts";
import { type Mark, nothing } from "../../../../domain/memory/merge/three-way.ts";
import { decodeEntry } from "../../../rows/memory-rows.ts";
import { parseColumn, type Row } from "../../connection/driver.ts";
import { lastSeq } from "../../connection/sequence.ts";
import { currentOf, isHead, lineageTable, readVersions } from "../graph/graph-view.ts";
import type { Place } from "../places.ts";
import { loadSources } from "../rows/graph-facts.ts";
import { findConflict } from "./conflicts.ts";

type Asked<Name extends keyof MergeQuestions> = MergeQuestions[Name][0];
type Answer<Name extends keyof MergeQuestions> = MergeQuestions[Name][1];

const answers: { [Name in keyof MergeQuestions]: (place: Place, asked: Asked<Name>) => Answer<Name> } = {
  sides: readSides,
  changed: listChanged,
  counted: countChanged,
  open: listOpen,
  marks: readMarks,
  edges: edgesAt,
  replacements: readReplacements,
  conflict: (place, { id }) => findConflict(place, id),
  states: (place, { seqs }) =>
    new Map([...readVersions(place, seqs)].map(([seq, { version }]) => [seq, stateOf(version)])),
  isStaged: ({ connection: { sql } }, { merge }) =>
    sql("SELECT 1 FROM graph_merges WHERE mid = ? AND published = 0").get(merge) !== undefined,
  tally: readTally,
  written: keysWritten,
  leaving: readLeaving,
  notes: listNotes,
  copies: findCopies,
};

/** What a merge has to know, read with one statement for each question; `sides` takes two. */
export function answerMerge(place: Place, needs: MergeNeeds): MergeAnswers {
  const told: Record<string, unknown> = {};
  for (const [name, asked] of Object.entries(needs))
    if (asked) told[name] = answers[name as keyof MergeQuestions](place, asked as never);
  return told as MergeAnswers;
}

const json = (value: unknown): string => JSON.stringify(value);
const views = (lineage: Lineage): string => json(lineage.map(({ branch, upTo }) => [branch, upTo]));
const optional = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const branchColumns = "b.bid, b.base, b.base_seq, b.uid, b.name, b.deleted_at_ms";

function readSides(
  { connection: { sql }, wid }: Place,
  { from, into, doc }: Asked<"sides">,
): Answer<"sides"> {
  const rows = sql(`WITH RECURSIVE chain (side, step, bid, base, base_seq, uid, name, deleted) AS (
      SELECT a.key, 0, ${branchColumns} FROM json_each(?2) a JOIN memory_branches b
        ON b.wid = ?1 AND b.name = a.value ->> 'name' AND b.deleted_at_ms IS NULL
      UNION ALL SELECT a.key, 0, ${branchColumns} FROM json_each(?2) a JOIN memory_branches b
        ON b.wid = ?1 AND b.bid = a.value ->> 'branch'
      UNION ALL SELECT side, step + 1, ${branchColumns}
      FROM chain JOIN memory_branches b ON b.bid = chain.base
    ) SELECT * FROM chain ORDER BY side, step`).all(wid, json([from, into]));
  const [theirs, ours] = [0, 1].map((side) => decodeBranch(rows.filter((row) => row["side"] === side)));
  const bids = [theirs?.branch ?? 0, ours?.branch ?? 0] as const;
  const row = sql(`WITH d (doc) AS MATERIALIZED (SELECT doc FROM memory_docs WHERE wid = ?1 AND name = ?2)
    SELECT (SELECT doc FROM d) AS doc, ${lastSeq} AS last,
    (SELECT max(base_seq) FROM memory_branches WHERE base = ?4 AND erased = 0) AS branched,
    (SELECT max(seq) FROM graph_merged WHERE bid IN (?3, ?4) AND doc = (SELECT doc FROM d) AND from_bid = ?3) AS mark,
    (SELECT json_group_array(json_array(bid, seq, json(keys))) FROM graph_known_differences
     WHERE bid IN (?3, ?4) AND doc = (SELECT doc FROM d)) AS known,
    EXISTS (SELECT 1 FROM memory_streams WHERE bid = ?4 AND doc = (SELECT doc FROM d) AND form = 'graph') AS streamed`).get(
    wid,
    doc,
    ...bids,
  );
  const known = parseColumn<[number, number, string[]][]>(row?.["known"]);
  return {
    wid,
    from: theirs,
    into: ours,
    doc: optional(row?.["doc"]),
    lastSeq: Number(row?.["last"]),
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

function listChanged({ connection: { sql } }: Place, asked: Asked<"changed">): Answer<"changed"> {
  const { doc, branch, after, upTo, limit } = asked;
  return sql(
    `SELECT v.key, v.seq FROM graph_versions v WHERE v.doc = ? AND v.bid = ? AND v.visible = 1 AND v.seq > ?
     AND v.seq <= ? AND ${isHead("v")} ORDER BY v.seq LIMIT ?`,
  )
    .all(doc, branch, after, upTo, limit)
    .map((row) => ({ key: String(row["key"]), seq: Number(row["seq"]) }));
}

function countChanged({ connection: { sql } }: Place, asked: Asked<"counted">): Answer<"counted"> {
  const { doc, branch, after, upTo } = asked;
  const row = sql(
    `SELECT count(*) AS keys, max(v.seq) AS last FROM graph_versions v WHERE v.doc = ? AND v.bid = ? AND v.visible = 1
     AND v.seq > ? AND v.seq <= ? AND ${isHead("v")}`,
  ).get(doc, branch, after, upTo);
  return { keys: Number(row?.["keys"] ?? 0), lastSeq: Number(row?.["last"] ?? after) };
}

function listOpen({ connection: { sql } }: Place, { doc, from, into, after }: Asked<"open">): Answer<"open"> {
  return sql(
    `SELECT c.id, c.key, EXISTS (SELECT 1 FROM graph_versions v WHERE v.doc = c.doc AND v.key = c.key
       AND v.bid = c.from_bid AND v.visible = 1 AND v.seq > ? AND ${isHead("v")}) AS news
     FROM graph_conflicts c WHERE c.into_bid = ? AND c.doc = ? AND c.from_bid = ? AND c.status = 'open'`,
  )
    .all(after, into, doc, from)
    .map((row) => ({ id: String(row["id"]), key: String(row["key"]), hasNews: row["news"] === 1 }));
}

/** What the two last agreed on, else what both showed when the one was made from the other. */
const settledSeq = "CASE WHEN a.mid IS NULL THEN s.seq ELSE a.seq END";
const agreedOn = `CASE WHEN s.sid IS NULL AND a.mid IS NULL THEN ${currentOf("mark", "k", "base")}
  ELSE ${settledSeq} || ' ' || coalesce(v.fingerprint, '${nothing}') END`;

function readMarks({ connection: { sql } }: Place, asked: Asked<"marks">): Answer<"marks"> {
  const { doc, child, keys } = asked;
  const { theirs, ours, base } = asked.views;
  return sql(
    `WITH ${lineageTable("theirs")}, ${lineageTable("ours")}, ${lineageTable("base")},
     k (key, doc) AS MATERIALIZED (SELECT value, ? FROM json_each(?))
     SELECT k.key, ${currentOf("mark", "k", "theirs")} AS theirs, ${currentOf("mark", "k", "ours")} AS ours,
     ${agreedOn} AS base FROM k LEFT JOIN graph_settled s ON s.bid = ? AND s.doc = k.doc AND s.key = k.key
     LEFT JOIN graph_settled_ahead a ON a.mid IN (SELECT mid FROM graph_merges WHERE published = 1) AND a.key = k.key
       AND a.bid = ? AND a.doc = k.doc
     LEFT JOIN graph_versions v ON v.seq = ${settledSeq}`,
  )
    .all(views(theirs), views(ours), views(base), doc, json(keys), child, child)
    .map((row) => ({
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

function edgesAt({ connection: { sql } }: Place, { doc, view, nodes }: Asked<"edges">): Answer<"edges"> {
  const at = (end: "source" | "target") =>
    `SELECT v.seq FROM json_each(?2) n CROSS JOIN graph_versions v
     ON v.doc = ?3 AND v.${end} = n.value AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0`;
  return sql(
    `WITH view (bid, up_to) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?1)),
     c (seq) AS MATERIALIZED (${at("source")} UNION ${at("target")})
     SELECT v.key FROM c JOIN graph_versions v ON v.seq = c.seq WHERE v.seq = ${currentOf("seq", "v", "view")}
     ORDER BY v.seq DESC`,
  )
    .all(views(view), json(nodes), doc)
    .map((row) => String(row["key"]));
}

const fields = ["title", "text", "status", "tags", "deleted"] as const;
const differs = (column: string): string => `(t.${column} IS NOT o.${column})`;
const differences = fields.map((field) => `${differs(field)} AS other_${field}`).join(", ");

/** Compares where the rows are: their texts, most of what a graph contains, are not carried over for it. */
function readReplacements(
  { connection: { sql } }: Place,
  asked: Asked<"replacements">,
): Answer<"replacements"> {
  const rows = sql(
    `SELECT t.kind, t.deleted, t.type, t.status, t.tags, o.seq AS held, o.bid AS held_bid, o.deleted AS held_deleted,
     o.replaces AS held_replaces, o.type AS held_type, o.status AS held_status, o.tags AS held_tags, ${differences},
     t.kind = 'node' AND ${differs("type")} AS other_type, ${differs("meta")} AS other_meta,
     CASE WHEN ${differs("meta")} THEN t.meta END AS meta, CASE WHEN ${differs("meta")} THEN o.meta END AS held_meta
     FROM json_each(?) p CROSS JOIN graph_versions t ON t.seq = p.value ->> 0
     LEFT JOIN graph_versions o ON o.seq = p.value ->> 1 ORDER BY p.key`,
  ).all(json(asked.pairs.map(({ theirs, ours }) => [theirs, ours ?? 0])));
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

/** The newest version up to a branch's end is always visible, and carries what the branch counted then. */
function readTally({ connection: { sql } }: Place, { doc, view }: Asked<"tally">): Tally {
  const row = sql(
    `SELECT s.key AS n, v.live_nodes, v.inherited_nodes, v.live_edges FROM json_each(?1) s CROSS JOIN graph_versions v
     ON v.seq = (SELECT o.seq FROM graph_versions o WHERE o.doc = ?2 AND o.bid = s.value ->> 0 AND o.visible = 1
       AND o.seq <= s.value ->> 1 ORDER BY o.seq DESC LIMIT 1) ORDER BY s.key LIMIT 1`,
  ).get(views(view), doc);
  if (!row) return { liveNodes: 0, inheritedNodes: 0, liveEdges: 0 };
  const liveNodes = Number(row["live_nodes"]);
  return {
    liveNodes,
    inheritedNodes: row["n"] === 0 ? Number(row["inherited_nodes"]) : liveNodes,
    liveEdges: Number(row["live_edges"]),
  };
}

function keysWritten({ connection: { sql } }: Place, { doc, ranges, limit }: Asked<"written">): string[] {
  return sql(
    `SELECT DISTINCT v.key FROM json_each(?) r CROSS JOIN graph_versions v INDEXED BY graph_by_seq
     ON v.doc = ? AND v.bid = r.value ->> 0 AND v.visible = 1 AND v.seq > r.value ->> 1 AND v.seq <= r.value ->> 2 LIMIT ?`,
  )
    .all(json(ranges.map(({ branch, after, upTo }) => [branch, after, upTo])), doc, limit)
    .map((row) => String(row["key"]));
}

function readLeaving({ connection: { sql }, wid }: Place, { branch }: Asked<"leaving">): Answer<"leaving"> {
  const row = sql(
    `SELECT (SELECT o.name FROM memory_branches o WHERE o.bid = b.base) AS base,
     (SELECT name FROM memory_branches WHERE base = b.bid AND deleted_at_ms IS NULL ORDER BY bid LIMIT 1) AS child,
     (SELECT name FROM memory_branches WHERE wid = ?1 AND bid <> b.bid AND deleted_at_ms IS NULL ORDER BY bid LIMIT 1) AS other,
     (SELECT max(d.deleted_at_ms) FROM memory_branches d WHERE d.wid = ?1 AND d.name = b.name) AS deleted
     FROM memory_branches b WHERE b.bid = ?2`,
  ).get(wid, branch);
  const streams = sql(
    `SELECT d.name, s.form FROM memory_streams s JOIN memory_docs d ON d.doc = s.doc WHERE s.bid = ? ORDER BY d.name`,
  ).all(branch);
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

function listNotes({ connection: { sql } }: Place, { doc, missing, limit }: Asked<"notes">): Answer<"notes"> {
  return sql(
    `SELECT e.*, b.name AS branch_name, d.name AS doc_name FROM json_each(?1) s
     CROSS JOIN memory_entries e ON e.doc = ?2 AND e.bid = s.value ->> 0 AND e.seq > s.value ->> 1
       AND e.seq <= s.value ->> 2 AND e.kind = 'note'
     JOIN memory_branches b ON b.bid = e.bid JOIN memory_docs d ON d.doc = e.doc ORDER BY s.key, e.seq LIMIT ?3`,
  )
    .all(json(missing.map(({ branch, after, upTo }) => [branch, after, upTo])), doc, limit)
    .map((row) => ({ entry: decodeEntry(row), origin: Number(row["origin"]) }));
}

function findCopies(
  { connection }: Place,
  { doc, view, origins, sources }: Asked<"copies">,
): Answer<"copies"> {
  const shown = cutoffs(view);
  const copies = connection
    .sql(
      `SELECT e.origin, e.bid, e.seq FROM json_each(?1) o
         CROSS JOIN memory_entries e ON e.seq = o.value AND e.origin = e.seq AND e.doc = ?2
       UNION ALL SELECT e.origin, e.bid, e.seq FROM json_each(?1) o
         CROSS JOIN memory_entries e INDEXED BY memory_copies ON e.origin = o.value AND e.origin <> e.seq AND e.doc = ?2`,
    )
    .all(json(origins), doc);
  const known = sources.length > 0 ? loadSources(connection, { lineage: view, doc, bid: 0 }, sources) : [];
  return {
    origins: copies
      .filter((row) => sees(shown, Number(row["bid"]), Number(row["seq"])))
      .map((row) => Number(row["origin"])),
    sources: sources.filter((_, n) => known[n] !== undefined),
  };
}
