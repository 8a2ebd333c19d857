import { addressKey } from "../../../domain/ledger/chain/append.ts";
import type { Address, ChainedThought } from "../../../domain/ledger/thought.ts";
import type { ThoughtSelection } from "../../../ports/ledger-store.ts";
import { decodeAddress, decodeThought, thoughtColumns, toColumn } from "../../rows/ledger-rows.ts";
import type { Row } from "../../rows/row.ts";
import type { Connection } from "../connection/access.ts";
import { withCritiques } from "./critiques.ts";

export async function sidOf({ sql }: Connection, sessionId: string): Promise<number | undefined> {
  const row = await sql("SELECT sid FROM {sessions} s WHERE id = ? AND deleted_at IS NULL").get(sessionId);
  return row && Number(row["sid"]);
}

export async function sidInTrash({ sql }: Connection, sessionId: string): Promise<number | undefined> {
  const row = await sql("SELECT sid FROM {sessions} s WHERE id = ? AND deleted_at IS NOT NULL").get(
    sessionId,
  );
  return row && Number(row["sid"]);
}

export async function selectThoughts(
  connection: Connection,
  sessionId: string,
  selection: ThoughtSelection,
): Promise<ChainedThought[]> {
  const sid = await sidOf(connection, sessionId);
  if (sid === undefined) return [];
  const rows = await selectRows(connection, sid, selection);
  return complete(
    connection,
    sid,
    rows.map((row) => decodeThought(sessionId, row)),
  );
}

/** Adds each thought's later revisions and critiques. */
async function complete(
  connection: Connection,
  sid: number,
  found: ChainedThought[],
): Promise<ChainedThought[]> {
  const [revisions, criticised] = await Promise.all([
    selectRevisions(
      connection,
      found.map(({ data }) => ({ sid, address: data })),
    ),
    withCritiques(connection, sid, found),
  ]);
  return criticised.map((entry) => {
    const revisedBy = revisions.get(revisionKey(sid, entry.data)) ?? [];
    return revisedBy.length === 0 ? entry : { ...entry, data: { ...entry.data, revisedBy } };
  });
}

export async function selectThoughtAt(
  connection: Connection,
  seq: number,
): Promise<ChainedThought | undefined> {
  const row = await connection
    .sql(`SELECT s.id, t.sid, ${thoughtColumns} FROM {thoughts} t JOIN {sessions} s ON s.sid = t.sid
          WHERE t.seq = ? AND s.deleted_at IS NULL`)
    .get(seq);
  if (!row) return undefined;
  const [found] = await complete(connection, Number(row["sid"]), [decodeThought(String(row["id"]), row)]);
  return found;
}

async function selectRows({ sql }: Connection, sid: number, selection: ThoughtSelection): Promise<Row[]> {
  const branch = toColumn(selection.branchId);
  const type = selection.type ?? "";
  const select = `SELECT ${thoughtColumns} FROM {thoughts} t WHERE t.sid = ?1 AND t.branch_id = ?2
    AND (?3::text = '' OR strpos(t.cipher_types, ?3) > 0)`;
  switch (selection.select) {
    case "one":
      return sql(`${select} AND t.number = ?4`).all(sid, branch, type, selection.thoughtNumber);
    case "last":
      return (
        await sql(`${select} ORDER BY t.position DESC LIMIT ?4`).all(sid, branch, type, selection.count)
      ).reverse();
    case "range":
      return (
        await sql(`${select} AND t.number BETWEEN ?4 AND ?5 ORDER BY t.number DESC LIMIT ?6`).all(
          ...[sid, branch, type, selection.from, selection.to, selection.count],
        )
      ).reverse();
  }
}

export type PlacedThought = { sid: number; address: Address };

export const revisionKey = (sid: number, address: Address): string => `${sid} ${addressKey(address)}`;

/** Returns the first hundred thoughts that revise each thought, by `revisionKey`. */
export async function selectRevisions(
  { sql }: Connection,
  places: readonly PlacedThought[],
): Promise<Map<string, Address[]>> {
  const revisions = new Map<string, Address[]>();
  if (places.length === 0) return revisions;
  const rows = await sql(`SELECT j.sid, j.branch, j.number AS revised, r.branch_id, r.number
    FROM unnest(?::bigint[], ?::text[], ?::bigint[]) j (sid, branch, number) CROSS JOIN LATERAL (
      SELECT t.branch_id, t.number, t.seq FROM {thoughts} t WHERE t.sid = j.sid AND t.revises_branch = j.branch
      AND t.revises_number = j.number ORDER BY t.seq LIMIT 100) r ORDER BY r.seq`).all(
    places.map(({ sid }) => sid),
    places.map(({ address }) => toColumn(address.branchId)),
    places.map(({ address }) => address.thoughtNumber),
  );
  for (const row of rows) {
    const revised = decodeAddress(row["branch"], row["revised"]);
    const by = decodeAddress(row["branch_id"], row["number"]);
    if (!revised || !by) continue;
    const key = revisionKey(Number(row["sid"]), revised);
    const known = revisions.get(key);
    if (known) known.push(by);
    else revisions.set(key, [by]);
  }
  return revisions;
}

/** The maximum number of bytes of text to read at once, unless a single text is longer. */
const strideBytes = 1024 * 1024;

/** Selects as many of the next rows as fit into a stride, at least one. Computes lengths without reading texts. */
export const inStride = (rows: string, order: string): string =>
  `SELECT * FROM (SELECT r.*, sum(octet_length(r.thought)) OVER (ORDER BY ${order}) - octet_length(r.thought) AS before
     FROM (${rows}) r) s WHERE s.before = 0 OR s.before + octet_length(s.thought) <= ${strideBytes} ORDER BY ${order.replace("r.", "s.")}`;

export async function selectStride(
  connection: Connection,
  sessionId: string,
  after: number,
  limit: number,
  find = sidOf,
): Promise<{ entries: ChainedThought[]; isLast: boolean }> {
  const sid = await find(connection, sessionId);
  if (sid === undefined) return { entries: [], isLast: true };
  const next = `SELECT ${thoughtColumns} FROM {thoughts} t WHERE t.sid = ? AND t.position > ? ORDER BY t.position LIMIT ?`;
  const rows = await connection.sql(inStride(next, "r.position")).all(sid, after, limit);
  const entries = rows.map((row) => decodeThought(sessionId, row));
  if (entries.length >= limit)
    return { entries: await withCritiques(connection, sid, entries), isLast: false };
  const more = await connection
    .sql("SELECT 1 AS more FROM {thoughts} t WHERE t.sid = ? AND t.position > ? LIMIT 1")
    .get(sid, entries.at(-1)?.position ?? after);
  return { entries: await withCritiques(connection, sid, entries), isLast: more === undefined };
}

/** Returns a page of thoughts. Reads it in several strides if its text is long. */
export async function selectEntries(
  connection: Connection,
  sessionId: string,
  after: number,
  limit: number,
): Promise<ChainedThought[]> {
  const page: ChainedThought[] = [];
  for (;;) {
    const position = page.at(-1)?.position ?? after;
    const { entries, isLast } = await selectStride(connection, sessionId, position, limit - page.length);
    for (const entry of entries) page.push(entry);
    if (isLast || page.length >= limit) return page;
  }
}

/** Sorts by position, like the index of a session's thoughts. In a session, positions rise with `seq`. */
export async function selectLatest(
  connection: Connection,
  sessionId: string,
  beforeSeq: number | undefined,
  limit: number,
): Promise<ChainedThought[]> {
  const sid = await sidOf(connection, sessionId);
  if (sid === undefined) return [];
  const rows = await connection
    .sql(
      `SELECT ${thoughtColumns} FROM {thoughts} t WHERE t.sid = ? AND t.seq < ? ORDER BY t.position DESC LIMIT ?`,
    )
    .all(sid, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit);
  return withCritiques(
    connection,
    sid,
    rows.reverse().map((row) => decodeThought(sessionId, row)),
  );
}

export async function selectHead(
  { sql }: Connection,
  sessionId: string,
): Promise<{ length: number; hash: string } | undefined> {
  const row = await sql(
    "SELECT chain_length, chain_head FROM {sessions} s WHERE id = ? AND deleted_at IS NULL",
  ).get(sessionId);
  return row && { length: Number(row["chain_length"]), hash: String(row["chain_head"]) };
}
