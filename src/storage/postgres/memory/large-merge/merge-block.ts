import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import type { WriteKinds } from "../../../../domain/memory/steps/rows.ts";
import { nodeFacets } from "../../../../domain/memory/views/card-facets.ts";
import { parseColumn, type Row } from "../../../rows/row.ts";
import type { Connection, WriteConnection } from "../../connection/access.ts";
import { bulkInsert } from "../../connection/insert.ts";
import type { WritablePlace } from "../places.ts";
import { mergeWriters, openStaged } from "../rows/write-merges.ts";
import { supersede } from "../rows/write-versions.ts";

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

/** Call inside a write. `undefined` while another merge is staged, or published and not tidied: there is one at a time. */
export async function reserveBlock(
  { connection, wid }: WritablePlace,
  { doc, into }: { doc: number; into: number },
  { size, headroom }: { size: number; headroom: number },
  nowMs: number,
): Promise<Block | undefined> {
  if (connection.mergeFrom !== undefined || (await hasBlocks(connection))) return undefined;
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

/** All of a merge is there once the counter has moved over it. */
export function publishMerges(
  connection: WriteConnection,
  rows: readonly WriteKinds["publishedMerge"][],
): void {
  const { sql, send } = connection;
  for (const { merge, wid, doc, into, withdrawn, unsettled, opened, last } of rows) {
    withdrawVersions(connection, { doc, into }, withdrawn);
    if (unsettled.length > 0)
      send(
        sql(
          "DELETE FROM graph_settled_ahead WHERE tenant = @tenant AND mid = ? AND key = ANY (?::text[])",
        ).run(merge, unsettled),
      );
    connection.mergeFrom = undefined;
    send(sql("UPDATE graph_merges SET published = 1 WHERE tenant = @tenant AND mid = ?").run(merge));
    if (last) {
      const { liveNodes, inheritedNodes, liveEdges } = last.tally;
      send(
        sql(`UPDATE graph_versions SET live_nodes = ?, inherited_nodes = ?, live_edges = ?
          WHERE tenant = @tenant AND seq = ?`).run(liveNodes, inheritedNodes, liveEdges, last.seq),
      );
    }
    openStaged(connection, wid, opened);
  }
}

function forgetBlock(connection: WriteConnection, { mid, firstSeq }: Block): void {
  if (connection.mergeFrom === firstSeq) connection.mergeFrom = undefined;
  for (const table of ["graph_settled_ahead", "graph_merges"])
    connection.send(connection.sql(`DELETE FROM ${table} WHERE tenant = @tenant AND mid = ?`).run(mid));
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
  withdrawVersions(
    connection,
    block,
    rows.map((row) => Number(row["seq"])),
  );
  if (rows.length === mergeLimits.slice) return block.firstSeq;
  await sql("DELETE FROM graph_conflicts WHERE tenant = @tenant AND status = 'staged'").run();
  forgetBlock(connection, block);
  return undefined;
}

/** Call inside a write. No one looks at them before the merge is published. */
export function stageSettled(
  connection: WriteConnection,
  { mid }: Block,
  rows: readonly WriteKinds["settled"][],
): void {
  connection.send(
    insertAhead(
      connection,
      rows.map((row) => ({ mid, row })),
    ),
  );
}

const insertAhead = bulkInsert<{ mid: number; row: WriteKinds["settled"] }>("graph_settled_ahead", {
  mid: ({ mid }) => mid,
  key: ({ row }) => row.key,
  wid: ({ row }) => row.wid,
  bid: ({ row }) => row.child,
  doc: ({ row }) => row.doc,
  seq: ({ row }) => row.seq ?? null,
});

/** Call inside a write. */
function withdrawVersions(
  { sql, send }: WriteConnection,
  { doc, into }: Pick<Block, "doc" | "into">,
  seqs: readonly number[],
): void {
  if (seqs.length === 0) return;
  send(
    sql(
      `DELETE FROM graph_facets WHERE tenant = @tenant AND doc = ? AND bid = ? AND seq = ANY (?::bigint[])`,
    ).run(...[doc, into, seqs]),
  );
  for (const table of ["graph_words", "graph_versions"])
    send(sql(`DELETE FROM ${table} WHERE tenant = @tenant AND seq = ANY (?::bigint[])`).run(seqs));
}

/** What `tidySome` starts with if nothing is superseded. */
export const supersededAll = -1;
const settledAtOnce = 1_000;

/**
 * Call inside a write, each time with the number that it returned before, until it returns none. Readers see no
 * difference.
 */
export async function tidySome(
  { connection }: WritablePlace,
  block: Block,
  after: number,
): Promise<number | undefined> {
  if (after !== supersededAll) return (await supersedeSome(connection, block, after)) ?? supersededAll;
  if (await settleSome(connection, block)) return supersededAll;
  forgetBlock(connection, block);
  return undefined;
}

/** Rows that a published merge has settled go where all are, which takes them out of the staged ones. */
async function settleSome(connection: WriteConnection, { mid }: Block): Promise<boolean> {
  const rows = await connection
    .sql("SELECT wid, bid, doc, key, seq FROM {graph_settled_ahead} a WHERE mid = ? ORDER BY key LIMIT ?")
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
async function supersedeSome(
  connection: WriteConnection,
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
