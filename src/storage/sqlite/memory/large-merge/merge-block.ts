import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import type { WriteKinds } from "../../../../domain/memory/steps/rows.ts";
import { nodeFacets } from "../../../../domain/memory/views/card-facets.ts";
import { parseColumn, type Row } from "../../connection/driver.ts";
import type { Connection } from "../../connection/open-database.ts";
import { currentSeq } from "../../connection/sequence.ts";
import type { Place } from "../places.ts";
import { mergeWriters, openStaged } from "../rows/write-merges.ts";
import { deleteFacets, supersede } from "../rows/write-versions.ts";

/** Numbers ahead of the counter, kept for one merge while it is staged. */
export type Block = {
  mid: number;
  wid: number;
  doc: number;
  into: number;
  firstSeq: number;
  lastSeq: number;
};

/** A merge moves many times a second: one that has not for so long was killed. */
export const abandonedAfterMs = 3_000;

const decodeBlock = (row: Record<string, unknown>): Block => ({
  mid: Number(row["mid"]),
  wid: Number(row["wid"]),
  doc: Number(row["doc"]),
  into: Number(row["into_bid"]),
  firstSeq: Number(row["first_seq"]),
  lastSeq: Number(row["last_seq"]),
});

/** Call inside a write. `undefined` while another merge is staged, or published and not tidied: there is one at a time. */
export function reserveBlock(
  { connection, wid }: Place,
  { doc, into }: { doc: number; into: number },
  { size, headroom }: { size: number; headroom: number },
  nowMs: number,
): Block | undefined {
  const { sql } = connection;
  if (hasBlocks(connection)) return undefined;
  const firstSeq = currentSeq(connection) + headroom;
  const row = sql(
    `INSERT INTO graph_merges (wid, doc, into_bid, first_seq, last_seq, touched_ms) VALUES (?, ?, ?, ?, ?, ?)
     RETURNING *`,
  ).get(wid, doc, into, firstSeq, firstSeq + size, nowMs);
  return row && decodeBlock(row);
}

/** Call inside a write: the merge goes on. False where it had to give way. */
export function touchBlock({ sql }: Connection, { mid }: Block, nowMs: number): boolean {
  const { changes } = sql("UPDATE graph_merges SET touched_ms = ? WHERE mid = ? AND published = 0").run(
    nowMs,
    mid,
  );
  return Number(changes) > 0;
}

/** All of a merge is there once the counter has moved over it. */
export function publishMerges(connection: Connection, rows: readonly WriteKinds["publishedMerge"][]): void {
  const { sql } = connection;
  for (const { merge, wid, doc, into, withdrawn, unsettled, opened, last } of rows) {
    withdrawVersions(connection, { doc, into }, withdrawn);
    withdrawSettled(connection, merge, unsettled);
    sql("UPDATE graph_merges SET published = 1 WHERE mid = ?").run(merge);
    if (last) {
      const { liveNodes, inheritedNodes, liveEdges } = last.tally;
      sql("UPDATE graph_versions SET live_nodes = ?, inherited_nodes = ?, live_edges = ? WHERE seq = ?").run(
        ...[liveNodes, inheritedNodes, liveEdges, last.seq],
      );
    }
    openStaged(connection, wid, opened);
  }
}

function forgetBlock({ sql }: Connection, { mid }: Block): void {
  sql("DELETE FROM graph_merges WHERE mid = ?").run(mid);
}

/** What merges left behind that were killed: staged in part, or published and not tidied. */
export function leftBehind({ sql }: Connection, nowMs: number): { staged: Block[]; published: Block[] } {
  const blocks = (published: 0 | 1) =>
    sql("SELECT * FROM graph_merges WHERE published = ? AND touched_ms < ?")
      .all(published, nowMs - abandonedAfterMs)
      .map(decodeBlock);
  return { staged: blocks(0), published: blocks(1) };
}

export const hasBlocks = ({ sql }: Connection): boolean =>
  sql("SELECT 1 FROM graph_merges LIMIT 1").get() !== undefined;

/** Call inside a write, again and again until it returns nothing. */
export function discardSome(place: Place, block: Block): number | undefined {
  const { connection } = place;
  const { sql } = connection;
  const isStaged = sql("SELECT 1 FROM graph_merges WHERE mid = ? AND published = 0").get(block.mid);
  if (!isStaged) return undefined;
  const seqs = sql("SELECT seq FROM graph_versions WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?")
    .all(block.firstSeq, block.lastSeq, mergeLimits.slice)
    .map((row) => Number(row["seq"]));
  withdrawVersions(connection, block, seqs);
  if (seqs.length === mergeLimits.slice) return block.firstSeq;
  sql("DELETE FROM graph_conflicts WHERE status = 'staged'").run();
  forgetBlock(connection, block);
  return undefined;
}

/** Call inside a write. Nobody looks at them before the merge is published. */
export function stageSettled(
  { sql }: Connection,
  { mid }: Block,
  rows: readonly WriteKinds["settled"][],
): void {
  sql(
    `INSERT INTO graph_settled_ahead (mid, key, wid, bid, doc, seq)
     SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?2)`,
  ).run(
    mid,
    JSON.stringify(rows.map(({ key, wid, child, doc, seq }) => [key, wid, child, doc, seq ?? null])),
  );
}

/** Call inside a write. */
function withdrawSettled({ sql }: Connection, merge: number, keys: readonly string[]): void {
  if (keys.length > 0)
    sql("DELETE FROM graph_settled_ahead WHERE mid = ? AND key IN (SELECT value FROM json_each(?))").run(
      merge,
      JSON.stringify(keys),
    );
}

/** Call inside a write. */
function withdrawVersions(
  connection: Connection,
  { doc, into }: Pick<Block, "doc" | "into">,
  seqs: readonly number[],
): void {
  if (seqs.length === 0) return;
  const { sql } = connection;
  const rows = sql(
    `SELECT v.seq, v.kind, v.deleted, v.type, v.status, v.tags FROM json_each(?) s
     CROSS JOIN graph_versions v ON v.seq = s.value`,
  ).all(JSON.stringify(seqs));
  deleteFacets(
    connection,
    rows.map((row) => ({ seq: Number(row["seq"]), doc, bid: into, facets: facetsOf(row) })),
  );
  sql("DELETE FROM graph_versions WHERE seq IN (SELECT value FROM json_each(?))").run(JSON.stringify(seqs));
}

/** What `tidySome` starts with if nothing is superseded. */
export const supersededAll = -1;
const settledAtOnce = 1_000;

/**
 * Call inside a write, each time with the number that it returned before, until it returns none. Readers see no
 * difference.
 */
export function tidySome(place: Place, block: Block, after: number): number | undefined {
  if (after !== supersededAll) return supersedeSome(place, block, after) ?? supersededAll;
  if (settleSome(place.connection, block)) return supersededAll;
  forgetBlock(place.connection, block);
  return undefined;
}

/** Rows that a published merge has settled go where all are. There, a trigger takes them out of the staged ones. */
function settleSome(connection: Connection, { mid }: Block): boolean {
  const rows = connection
    .sql("SELECT wid, bid, doc, key, seq FROM graph_settled_ahead WHERE mid = ? ORDER BY key LIMIT ?")
    .all(mid, settledAtOnce);
  if (rows.length === 0) return false;
  mergeWriters.settled(
    connection,
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

/**
 * What the versions of a published merge have replaced on their branch is marked, and leaves the indexes if no branch
 * shows it.
 */
function supersedeSome(place: Place, block: Block, after: number): number | undefined {
  const { doc, into: bid, firstSeq, lastSeq } = block;
  const { sql } = place.connection;
  const seenUpTo = sql(
    "SELECT max(base_seq) AS at FROM memory_branches WHERE base = ? AND erased = 0 AND base_seq < ?",
  ).get(bid, firstSeq)?.["at"];
  const rows = sql(
    `SELECT v.seq AS by, o.seq, o.kind, o.deleted, o.type, o.status, o.tags FROM graph_versions v
     LEFT JOIN graph_versions o ON o.seq = (
       SELECT p.seq FROM graph_versions p INDEXED BY graph_by_key WHERE p.doc = v.doc AND p.key = v.key
       AND p.seq < v.seq AND p.visible = 1 AND p.bid = v.bid AND p.superseded IS NULL)
     WHERE v.seq > ? AND v.seq BETWEEN ? AND ? AND v.bid = ? ORDER BY v.seq LIMIT ?`,
  ).all(after, firstSeq, lastSeq, bid, mergeLimits.slice);
  const superseded = rows.flatMap((row) => {
    const { seq, by } = row;
    if (typeof seq !== "number") return [];
    const hidden = seq > Number(seenUpTo ?? 0);
    return [{ seq, by: Number(by), hidden, doc, bid, facets: hidden ? facetsOf(row) : [] }];
  });
  if (superseded.length > 0) supersede(place.connection, superseded);
  const last = rows.at(-1)?.["by"];
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
