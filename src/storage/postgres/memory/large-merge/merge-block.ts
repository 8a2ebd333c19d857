import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import { nodeFacets } from "../../../../domain/memory/views/card-facets.ts";
import { parseColumn, type Row } from "../../../rows/row.ts";
import type { Connection, WriteConnection } from "../../connection/access.ts";
import type { WritablePlace } from "../places.ts";
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

const decodeBlock = (row: Row): Block => ({
  mid: Number(row["mid"]),
  wid: Number(row["wid"]),
  doc: Number(row["doc"]),
  into: Number(row["into_bid"]),
  firstSeq: Number(row["first_seq"]),
  lastSeq: Number(row["last_seq"]),
});

/** Call inside a write. `undefined` while another merge is staged: there is one at a time. */
export async function reserveBlock(
  { connection, wid }: WritablePlace,
  { doc, into }: { doc: number; into: number },
  { size, headroom }: { size: number; headroom: number },
  nowMs: number,
): Promise<Block | undefined> {
  if (connection.mergeFrom !== undefined) return undefined;
  const firstSeq = connection.last + headroom;
  const row = await connection
    .sql(`INSERT INTO graph_merges (tenant, wid, doc, into_bid, first_seq, last_seq, touched_ms)
      VALUES (@tenant, ?, ?, ?, ?, ?, ?) RETURNING *`)
    .get(wid, doc, into, firstSeq, firstSeq + size, nowMs);
  connection.mergeFrom = firstSeq;
  return row && decodeBlock(row);
}

/** Call inside a write: the merge goes on. False where it had to give way. */
export async function touchBlock({ sql }: WriteConnection, { mid }: Block, nowMs: number): Promise<boolean> {
  const changed = await sql(`UPDATE graph_merges SET touched_ms = ? WHERE tenant = @tenant AND mid = ?
    AND published = 0`).run(nowMs, mid);
  return changed > 0;
}

/** Call inside a write that moves the counter there. */
export function publishBlock(connection: WriteConnection, { mid }: Block): void {
  connection.mergeFrom = undefined;
  connection.send(
    connection.sql("UPDATE graph_merges SET published = 1 WHERE tenant = @tenant AND mid = ?").run(mid),
  );
}

export function forgetBlock(connection: WriteConnection, { mid, firstSeq }: Block): void {
  if (connection.mergeFrom === firstSeq) connection.mergeFrom = undefined;
  connection.send(connection.sql("DELETE FROM graph_merges WHERE tenant = @tenant AND mid = ?").run(mid));
}

/** What merges left behind that were killed: staged in part, or published and not tidied. */
export async function leftBehind(
  { sql }: Connection,
  nowMs: number,
): Promise<{ staged: Block[]; published: Block[] }> {
  const rows = await sql("SELECT * FROM {graph_merges} m WHERE touched_ms < ?").all(nowMs - abandonedAfterMs);
  const blocks = (published: 0 | 1) => rows.filter((row) => row["published"] === published).map(decodeBlock);
  return { staged: blocks(0), published: blocks(1) };
}

export const hasBlocks = async ({ sql }: Connection): Promise<boolean> =>
  (await sql("SELECT 1 AS there FROM {graph_merges} m LIMIT 1").get()) !== undefined;

/** Call inside a write, again and again until it returns nothing. */
export async function discardSome(place: WritablePlace, block: Block): Promise<number | undefined> {
  const { connection } = place;
  const { sql } = connection;
  const isStaged = await sql("SELECT 1 AS there FROM {graph_merges} m WHERE mid = ? AND published = 0").get(
    block.mid,
  );
  if (!isStaged) return undefined;
  const rows = await sql(
    "SELECT seq FROM {graph_versions} v WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?",
  ).all(...[block.firstSeq, block.lastSeq, mergeLimits.slice]);
  await withdrawVersions(
    place,
    block,
    rows.map((row) => Number(row["seq"])),
  );
  if (rows.length === mergeLimits.slice) return block.firstSeq;
  await sql("DELETE FROM graph_conflicts WHERE tenant = @tenant AND status = 'staged'").run();
  forgetBlock(connection, block);
  return undefined;
}

/** Call inside a write. */
export async function withdrawVersions(
  { connection }: WritablePlace,
  { doc, into }: Block,
  seqs: readonly number[],
): Promise<void> {
  if (seqs.length === 0) return;
  const { sql, send } = connection;
  const rows = await sql(`SELECT v.seq, v.kind, v.deleted, v.type, v.status, v.tags FROM {graph_versions} v
    WHERE v.seq = ANY (?::bigint[])`).all(seqs);
  deleteFacets(
    connection,
    rows.map((row) => ({ seq: Number(row["seq"]), doc, bid: into, facets: facetsOf(row) })),
  );
  for (const table of ["graph_words", "graph_versions"])
    send(sql(`DELETE FROM ${table} WHERE tenant = @tenant AND seq = ANY (?::bigint[])`).run(seqs));
}

/**
 * Call inside a write, each time with the number that it returned before, until it returns none. What the versions of a
 * published merge have replaced on their branch is marked, and leaves the indexes if no branch shows it. Readers see no
 * difference.
 */
export async function tidySome(
  { connection }: WritablePlace,
  block: Block,
  after: number,
): Promise<number | undefined> {
  const { doc, into: bid, firstSeq, lastSeq } = block;
  const { sql } = connection;
  const seen = await sql(`SELECT max(base_seq) AS at FROM {memory_branches} b WHERE base = ? AND erased = 0
    AND base_seq < ?`).get(bid, firstSeq);
  const rows =
    await sql(`SELECT v.seq AS by, o.seq, o.kind, o.deleted, o.type, o.status, o.tags FROM {graph_versions} v
    LEFT JOIN LATERAL (SELECT p.* FROM {graph_versions} p WHERE p.doc = v.doc AND p.key = v.key AND p.seq < v.seq
      AND p.visible = 1 AND p.bid = v.bid AND p.superseded IS NULL LIMIT 1) o ON true
    WHERE v.seq > ? AND v.seq BETWEEN ? AND ? AND v.bid = ? ORDER BY v.seq LIMIT ?`).all(
      ...[after, firstSeq, lastSeq, bid, mergeLimits.slice],
    );
  const superseded = rows.flatMap((row) => {
    const { seq, by } = row;
    if (typeof seq !== "number") return [];
    const hidden = seq > Number(seen?.["at"] ?? 0);
    return [{ seq, by: Number(by), hidden, doc, bid, facets: hidden ? facetsOf(row) : [] }];
  });
  if (superseded.length > 0) supersede(connection, superseded);
  const last = rows.at(-1)?.["by"];
  if (rows.length === mergeLimits.slice && typeof last === "number") return last;
  forgetBlock(connection, block);
  return undefined;
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
