import type { Address, ChainedThought } from "../../../domain/ledger/thought.ts";
import type { ThoughtSelection } from "../../../ports/ledger-store.ts";
import { decodeAddress, decodeThought, thoughtColumns, toColumn } from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { withCritiques } from "./critiques.ts";

export function sidOf({ sql }: Connection, sessionId: string): number | undefined {
  const row = sql("SELECT sid FROM sessions WHERE id = ? AND deleted_at IS NULL").get(sessionId);
  return row && Number(row["sid"]);
}

export function sidInTrash({ sql }: Connection, sessionId: string): number | undefined {
  const row = sql("SELECT sid FROM sessions WHERE id = ? AND deleted_at IS NOT NULL").get(sessionId);
  return row && Number(row["sid"]);
}

/** Selects thoughts in one step and reads long text in several turns, because thoughts never change. */
export async function readSelection(
  read: WithConnection,
  sessionId: string,
  selection: ThoughtSelection,
): Promise<ChainedThought[]> {
  const places = await read((connection) => selectPlaces(connection, sessionId, selection));
  const found: ChainedThought[] = [];
  for (let start = 0; start < places.length; ) {
    if (start > 0) await new Promise(setImmediate);
    const end = endOfStride(places, start);
    const stride = places.slice(start, end);
    for (const entry of await read((connection) => selectAt(connection, sessionId, stride)))
      found.push(entry);
    start = end;
  }
  return found;
}

type Place = { position: number; size: number };

/** Returns where the stride that starts at `start` ends. A stride contains at least one place. */
function endOfStride(places: readonly Pick<Place, "size">[], start: number): number {
  let [end, bytes] = [start, 0];
  for (const { size } of places.slice(start)) {
    bytes += size;
    if (end > start && bytes > strideBytes) break;
    end += 1;
  }
  return end;
}

function selectPlaces(connection: Connection, sessionId: string, selection: ThoughtSelection): Place[] {
  const sid = sidOf(connection, sessionId);
  if (sid === undefined) return [];
  return selectRows(connection, sid, selection, "t.position, octet_length(t.thought) AS size").map((row) => ({
    position: Number(row["position"]),
    size: Number(row["size"]),
  }));
}

function selectAt(connection: Connection, sessionId: string, places: readonly Place[]): ChainedThought[] {
  const sid = sidOf(connection, sessionId);
  if (sid === undefined) return [];
  const at = connection.sql(`SELECT ${thoughtColumns} FROM thoughts t WHERE t.sid = ? AND t.position = ?`);
  const found = places.flatMap(({ position }) => {
    const row = at.get(sid, position);
    return row ? [withRevisedBy(connection, sid, decodeThought(sessionId, row))] : [];
  });
  return withCritiques(connection, sid, found);
}

export function selectThoughtAt(connection: Connection, seq: number): ChainedThought | undefined {
  const row = connection
    .sql(`SELECT s.id, t.position FROM thoughts t JOIN sessions s ON s.sid = t.sid
          WHERE t.seq = ? AND s.deleted_at IS NULL`)
    .get(seq);
  if (!row) return undefined;
  return selectAt(connection, String(row["id"]), [{ position: Number(row["position"]), size: 0 }])[0];
}

function selectRows({ sql }: Connection, sid: number, selection: ThoughtSelection, columns: string): Row[] {
  const branch = toColumn(selection.branchId);
  const type = selection.type ?? "";
  const select = `SELECT ${columns} FROM thoughts t WHERE t.sid = ? AND t.branch_id = ?
    AND (? = '' OR instr(t.cipher_types, ?) > 0)`;
  switch (selection.select) {
    case "one":
      return sql(`${select} AND t.number = ?`).all(sid, branch, type, type, selection.thoughtNumber);
    case "last":
      return sql(`${select} ORDER BY t.position DESC LIMIT ?`)
        .all(sid, branch, type, type, selection.count)
        .reverse();
    case "range":
      return sql(`${select} AND t.number BETWEEN ? AND ? ORDER BY t.number DESC LIMIT ?`)
        .all(sid, branch, type, type, selection.from, selection.to, selection.count)
        .reverse();
  }
}

function withRevisedBy(connection: Connection, sid: number, entry: ChainedThought): ChainedThought {
  const revisedBy = selectRevisedBy(connection, sid, entry.data);
  return revisedBy.length === 0 ? entry : { ...entry, data: { ...entry.data, revisedBy } };
}

/** Selects the first hundred thoughts that revise this one. */
export function selectRevisedBy({ sql }: Connection, sid: number, thought: Address): Address[] {
  return sql(`SELECT branch_id, number FROM thoughts WHERE sid = ? AND revises_branch = ? AND revises_number = ?
    ORDER BY seq LIMIT 100`)
    .all(sid, toColumn(thought.branchId), thought.thoughtNumber)
    .flatMap((row) => decodeAddress(row["branch_id"], row["number"]) ?? []);
}

/** How many bytes of text are read before other work runs. */
const strideBytes = 1024 * 1024;

/** Reads a page of thoughts, in several turns if their text is long. */
export async function readInStrides(
  read: WithConnection,
  sessionId: string,
  after: number,
  limit: number,
): Promise<ChainedThought[]> {
  const page: ChainedThought[] = [];
  for (;;) {
    const position = page.at(-1)?.position ?? after;
    const { entries, isLast } = await read((connection) =>
      selectStride(connection, sessionId, position, limit - page.length),
    );
    for (const entry of entries) page.push(entry);
    if (isLast || page.length >= limit) return page;
    await new Promise(setImmediate);
  }
}

export function selectStride(
  connection: Connection,
  sessionId: string,
  after: number,
  limit: number,
  find = sidOf,
): { entries: ChainedThought[]; isLast: boolean } {
  const sid = find(connection, sessionId);
  if (sid === undefined) return { entries: [], isLast: true };
  const count = countInStride(connection, "sid = ? AND position > ? ORDER BY position", [sid, after], limit);
  const entries = connection
    .sql(
      `SELECT ${thoughtColumns} FROM thoughts t WHERE t.sid = ? AND t.position > ? ORDER BY t.position LIMIT ?`,
    )
    .all(sid, after, count)
    .map((row) => decodeThought(sessionId, row));
  return { entries: withCritiques(connection, sid, entries), isLast: entries.length < count };
}

/** Returns how many of the next thoughts fit into a stride, at least one. Does not read their text. */
export function countInStride(
  { sql }: Connection,
  next: "seq > ? ORDER BY seq" | "sid = ? AND position > ? ORDER BY position",
  values: readonly number[],
  limit: number,
): number {
  const sizes = `SELECT octet_length(thought) AS size FROM thoughts WHERE ${next} LIMIT ?`;
  const all = sql(`SELECT sum(size) AS bytes FROM (${sizes})`);
  if (Number(all.get(...values, limit)?.["bytes"] ?? 0) <= strideBytes) return limit;
  const places = sql(sizes)
    .all(...values, limit)
    .map((row) => ({ size: Number(row["size"]) }));
  return endOfStride(places, 0);
}

/** Selects the newest thoughts. Sorts them by position, which rises with `seq` and has an index. */
export function selectLatest(
  connection: Connection,
  sessionId: string,
  beforeSeq: number | undefined,
  limit: number,
): ChainedThought[] {
  const sid = sidOf(connection, sessionId);
  if (sid === undefined) return [];
  const { sql } = connection;
  const end =
    beforeSeq === undefined
      ? Number.MAX_SAFE_INTEGER
      : Number(
          sql("SELECT position FROM thoughts WHERE seq = ? AND sid = ?").get(beforeSeq, sid)?.["position"] ??
            Number(
              sql("SELECT max(position) AS last FROM thoughts WHERE sid = ? AND seq < ?").get(
                sid,
                beforeSeq,
              )?.["last"] ?? 0,
            ) + 1,
        );
  const found = sql(
    `SELECT ${thoughtColumns} FROM thoughts t WHERE t.sid = ? AND t.position < ? ORDER BY t.position DESC LIMIT ?`,
  )
    .all(sid, end, limit)
    .reverse()
    .map((row) => decodeThought(sessionId, row));
  return withCritiques(connection, sid, found);
}

export function selectHead(
  { sql }: Connection,
  sessionId: string,
): { length: number; hash: string } | undefined {
  const row = sql("SELECT chain_length, chain_head FROM sessions WHERE id = ? AND deleted_at IS NULL").get(
    sessionId,
  );
  return row && { length: Number(row["chain_length"]), hash: String(row["chain_head"]) };
}
