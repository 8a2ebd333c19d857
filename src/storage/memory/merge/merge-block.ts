import { isHidden } from "../../../domain/memory/graph/plan-versions.ts";
import { mergeLimits } from "../../../domain/memory/limits.ts";
import type { WriteKinds } from "../../../domain/memory/steps/rows.ts";
import { nodeFacets } from "../../../domain/memory/views/selection.ts";
import { parseColumn, type Row } from "../../rows/row.ts";
import type { Place } from "../places.ts";
import { all, get, type Insert, insertRows, type Query, readSequence, run, send, tell } from "../query.ts";
import { openStaged, settle, supersede, writeFacets } from "../rows/write-graph.ts";
import { isStagedMerge } from "./answer-merge.ts";

/** Numbers ahead of the counter, reserved for one merge while it is staged. */
export type Block = {
  mid: number;
  wid: number;
  doc: number;
  into: number;
  firstSeq: number;
  lastSeq: number;
};

/**
 * A merge counts as killed if its row has not changed for this long. A running merge updates its row often.
 */
export const abandonedAfterMs = 3_000;

const decodeBlock = (row: Row): Block => ({
  mid: Number(row["mid"]),
  wid: Number(row["wid"]),
  doc: Number(row["doc"]),
  into: Number(row["into_bid"]),
  firstSeq: Number(row["first_seq"]),
  lastSeq: Number(row["last_seq"]),
});

/**
 * Reserves numbers for a merge. Returns `undefined` if another merge is staged, or published but not tidied.
 */
export function* reserveBlock(
  { wid }: Place,
  { doc, into }: { doc: number; into: number },
  { size, headroom }: { size: number; headroom: number },
  nowMs: number,
): Query<Block | undefined> {
  const { last, mergeFrom } = yield* readSequence();
  if (mergeFrom !== undefined || (yield* hasBlocks())) return undefined;
  const firstSeq = last + headroom;
  const row = yield* get(
    `INSERT INTO graph_merges (wid, doc, into_bid, first_seq, last_seq, touched_ms) VALUES (?, ?, ?, ?, ?, ?)
     RETURNING *`,
    ...[wid, doc, into, firstSeq, firstSeq + size, nowMs],
  );
  yield* tell({ keeps: firstSeq });
  return row && decodeBlock(row);
}

/** Marks the merge as running. Returns false if another writer needed its numbers, so the merge must start again. */
export function* touchBlock({ mid }: Block, nowMs: number): Query<boolean> {
  const text = "UPDATE graph_merges SET touched_ms = ? WHERE mid = ? AND published = 0";
  return (yield* run(text, nowMs, mid)) > 0;
}

/** Publishes merges. A whole merge becomes visible when the counter moves past its block. */
export function* publishMerges(rows: readonly WriteKinds["publishedMerge"][]): Query<void> {
  for (const { merge, wid, doc, into, withdrawn, unsettled, opened, last } of rows) {
    yield* withdrawVersions({ doc, into }, withdrawn);
    if (unsettled.length > 0)
      yield* send("DELETE FROM graph_settled_ahead WHERE mid = ? AND key IN TEXTS(?)", merge, unsettled);
    yield* tell({ keeps: undefined });
    yield* send("UPDATE graph_merges SET published = 1 WHERE mid = ?", merge);
    if (last) {
      const { liveNodes, inheritedNodes, liveEdges } = last.tally;
      yield* send(
        "UPDATE graph_versions SET live_nodes = ?, inherited_nodes = ?, live_edges = ? WHERE seq = ?",
        ...[liveNodes, inheritedNodes, liveEdges, last.seq],
      );
    }
    yield* openStaged(wid, opened);
  }
}

function* forgetBlock({ mid, firstSeq }: Block): Query<void> {
  const { mergeFrom } = yield* readSequence();
  if (mergeFrom === firstSeq) yield* tell({ keeps: undefined });
  yield* send("DELETE FROM graph_settled_ahead WHERE mid = ?", mid);
  yield* send("DELETE FROM graph_merges WHERE mid = ?", mid);
}

/** Returns what killed merges left behind, partly staged or published but not tidied. */
export function* leftBehind(nowMs: number): Query<{ staged: Block[]; published: Block[] }> {
  const text = "SELECT m.* FROM {graph_merges} m WHERE m.touched_ms < ?";
  const rows = yield* all(text, nowMs - abandonedAfterMs);
  const blocks = (published: 0 | 1) => rows.filter((row) => row["published"] === published).map(decodeBlock);
  return { staged: blocks(0), published: blocks(1) };
}

export function* hasBlocks(): Query<boolean> {
  return (yield* get("SELECT 1 AS there FROM {graph_merges} m LIMIT 1")) !== undefined;
}

/**
 * Deletes part of a staged merge. Call this repeatedly, each time in a separate write, until it returns `undefined`.
 */
export function* discardSome(block: Block): Query<number | undefined> {
  if (!(yield* get(isStagedMerge, block.mid))) return undefined;
  const rows = yield* all(
    "SELECT v.seq FROM {graph_versions} v WHERE v.seq BETWEEN ? AND ? ORDER BY v.seq LIMIT ?",
    ...[block.firstSeq, block.lastSeq, mergeLimits.slice],
  );
  yield* withdrawVersions(
    block,
    rows.map((row) => Number(row["seq"])),
  );
  if (rows.length === mergeLimits.slice) return block.firstSeq;
  yield* send("DELETE FROM graph_conflicts WHERE status = 'staged'");
  yield* forgetBlock(block);
  return undefined;
}

const settledAhead: Insert<{ mid: number; row: WriteKinds["settled"] }> = {
  table: "graph_settled_ahead",
  columns: {
    mid: ({ mid }) => mid,
    key: ({ row }) => row.key,
    wid: ({ row }) => row.wid,
    bid: ({ row }) => row.child,
    doc: ({ row }) => row.doc,
    seq: ({ row }) => row.seq ?? null,
  },
};

/** Stages settled keys. Their rows are not read before the merge is published. */
export const stageSettled = ({ mid }: Block, rows: readonly WriteKinds["settled"][]): Query<void> =>
  insertRows(
    settledAhead,
    rows.map((row) => ({ mid, row })),
  );

function* withdrawVersions({ doc, into }: Pick<Block, "doc" | "into">, seqs: readonly number[]): Query<void> {
  if (seqs.length === 0) return;
  const rows = yield* all(
    `SELECT v.seq, v.kind, v.deleted, v.type, v.status, v.tags FROM NUMBERS(?) s
     CROSS JOIN {graph_versions} v ON v.seq = s.value`,
    seqs,
  );
  yield* writeFacets(
    ":deleteFacets",
    rows.map((row) => ({ seq: Number(row["seq"]), doc, bid: into, facets: facetsOf(row) })),
  );
  yield* tell({ wrote: "hidden", seqs });
  yield* send("DELETE FROM graph_versions WHERE seq IN NUMBERS(?)", seqs);
}

/** The start value for `tidySome` if the merge supersedes nothing. */
export const supersededAll = -1;
const settledAtOnce = 1_000;

/**
 * Finishes part of a published merge. Call this repeatedly with the number it last returned, until it returns
 * `undefined`. Readers see no difference.
 */
export function* tidySome(block: Block, after: number): Query<number | undefined> {
  if (after !== supersededAll) return (yield* supersedeSome(block, after)) ?? supersededAll;
  if (yield* settleSome(block)) return supersededAll;
  yield* forgetBlock(block);
  return undefined;
}

/** Moves settled rows of a published merge to the main table. Returns true if more rows may be left. */
function* settleSome({ mid }: Block): Query<boolean> {
  const rows = yield* all(
    "SELECT a.wid, a.bid, a.doc, a.key, a.seq FROM {graph_settled_ahead} a WHERE a.mid = ? ORDER BY a.key LIMIT ?",
    ...[mid, settledAtOnce],
  );
  if (rows.length === 0) return false;
  yield* settle(
    rows.map(({ wid, bid, doc, key, seq }) => ({
      wid: Number(wid),
      child: Number(bid),
      doc: Number(doc),
      key: String(key),
      seq: typeof seq === "number" ? seq : undefined,
    })),
  );
  return rows.length === settledAtOnce;
}

const replacedOnes = `WITH n AS MATERIALIZED (SELECT v.seq, (SELECT p.seq FROM {graph_versions} p INDEXED BY graph_by_key
      WHERE p.doc = v.doc AND p.key = v.key AND p.seq < v.seq AND p.visible = 1 AND p.bid = v.bid
      AND p.superseded IS NULL LIMIT 1) AS old
    FROM {graph_versions} v WHERE v.seq > ? AND v.seq BETWEEN ? AND ? AND v.bid = ? ORDER BY v.seq LIMIT ?)
  SELECT n.seq AS follower, o.seq, o.kind, o.deleted, o.type, o.status, o.tags FROM n
  LEFT JOIN {graph_versions} o ON o.seq = n.old ORDER BY n.seq`;

/**
 * Marks the versions that a published merge has replaced on its branch. If a version is no longer visible on
 * any branch, removes it from the indexes.
 */
function* supersedeSome(block: Block, after: number): Query<number | undefined> {
  const { doc, into: bid, firstSeq, lastSeq } = block;
  const seen = yield* get(
    `SELECT max(b.base_seq) AS at FROM {memory_branches} b WHERE b.base = ? AND b.erased = 0 AND b.base_seq < ?`,
    ...[bid, firstSeq],
  );
  const rows = yield* all(replacedOnes, after, firstSeq, lastSeq, bid, mergeLimits.slice);
  const superseded = rows.flatMap((row) => {
    const { seq, follower } = row;
    if (typeof seq !== "number") return [];
    const hidden = isHidden(seq, Number(seen?.["at"] ?? 0));
    return [{ seq, by: Number(follower), hidden, doc, bid, facets: hidden ? facetsOf(row) : [] }];
  });
  if (superseded.length > 0) yield* supersede(superseded);
  const last = rows.at(-1)?.["follower"];
  return rows.length === mergeLimits.slice && typeof last === "number" ? last : undefined;
}

function facetsOf({ kind, deleted, type, status, tags }: Row): string[] {
  if (kind !== "node" || deleted === 1) return [];
  const marks = {
    id: "",
    type: String(type),
    status: status === null ? undefined : String(status),
    tags: tags === null ? undefined : parseColumn<string[]>(tags),
  };
  return [...new Set(nodeFacets(marks))];
}
