import { endOfTime } from "../../../../domain/memory/lineage.ts";
import type { Commit, Ref, Tag } from "../../../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type { RefMove } from "../../../../ports/memory/memory-store.ts";
import { decodeEntry, decodeTag } from "../../../rows/memory-rows.ts";
import type { Row } from "../../../rows/row.ts";
import { findDoc, loadLineage, type Place } from "../places.ts";
import { loadRef } from "../rows/graph-facts.ts";
import { selectEntry } from "./entries.ts";

/** Where the branch's ref stands; a branch without moves of its own inherits what its base had when it was made. */
export async function readRef(place: Place, branch: BranchRow, doc: string): Promise<Ref | undefined> {
  const [number, lineage] = await Promise.all([findDoc(place, doc), loadLineage(place, branch.bid)]);
  if (number === undefined) return undefined;
  const seq = await loadRef(place.connection, lineage, number);
  return seq === undefined ? undefined : { branch: branch.name, doc, seq };
}

const decodeCommit = (row: Row): Commit => ({
  ...decodeEntry(row),
  parent: typeof row["parent"] === "number" ? row["parent"] : undefined,
});

const ofWorkspace = "d.wid = ? AND b.deleted_at_ms IS NULL";
const selectCommit = selectEntry
  .replace("SELECT e.*", "SELECT e.*, c.parent")
  .concat(" JOIN {memory_commits} c ON c.seq = e.seq");

export async function readCommit({ connection, wid }: Place, seq: number): Promise<Commit | undefined> {
  const row = await connection.sql(`${selectCommit} WHERE e.seq = ? AND ${ofWorkspace}`).get(seq, wid);
  return row && decodeCommit(row);
}

/** Along the parents from `start`, newest first. */
export async function readLog(
  { connection, wid }: Place,
  start: number,
  before: number | undefined,
  limit: number,
): Promise<{ commits: Commit[]; hasMore: boolean }> {
  const found = await connection
    .sql(`WITH RECURSIVE chain (seq, parent) AS (
        SELECT c.seq, c.parent FROM {memory_commits} c WHERE c.seq = ?
        UNION ALL SELECT c.seq, c.parent FROM chain JOIN {memory_commits} c ON c.seq = chain.parent
      ) SELECT seq FROM chain WHERE seq < ? LIMIT ?`)
    .all(start, before ?? endOfTime, limit + 1);
  const seqs = found.slice(0, limit).map((row) => Number(row["seq"]));
  const rows = await connection
    .sql(`${selectCommit} WHERE e.seq = ANY (?::bigint[]) AND ${ofWorkspace} ORDER BY e.seq DESC`)
    .all(seqs, wid);
  return { commits: rows.map(decodeCommit), hasMore: found.length > limit };
}

export async function readReflog(
  { connection }: Place,
  branch: BranchRow,
  before: number | undefined,
  limit: number,
): Promise<{ moves: RefMove[]; hasMore: boolean }> {
  const rows = await connection
    .sql(`SELECT m.*, d.name AS doc_name FROM {memory_ref_moves} m JOIN {memory_docs} d ON d.doc = m.doc
      WHERE m.bid = ? AND m.seq < ? ORDER BY m.seq DESC LIMIT ?`)
    .all(branch.bid, before ?? endOfTime, limit + 1);
  const moves = rows.slice(0, limit).map(
    (row): RefMove => ({
      seq: Number(row["seq"]),
      ts_ms: Number(row["ts_ms"]),
      branch: branch.name,
      doc: String(row["doc_name"]),
      action: row["action"] === "reset" ? "reset" : "commit",
      previous: typeof row["previous"] === "number" ? row["previous"] : undefined,
      current: Number(row["current"]),
      message: String(row["message"]),
    }),
  );
  return { moves, hasMore: rows.length > limit };
}

/** Those of deleted branches too, which only decisions about names look at. */
export const selectAnyTag = `SELECT t.name AS k, t.name, t.seq, t.ordinal, t.created_at_ms, b.name AS branch, d.name AS doc,
  b.deleted_at_ms FROM {memory_tags} t JOIN {memory_entries} e ON e.seq = t.seq
  JOIN {memory_branches} b ON b.bid = e.bid JOIN {memory_docs} d ON d.doc = e.doc`;
const selectTag = `${selectAnyTag} AND b.deleted_at_ms IS NULL`;

export async function readTag({ connection, wid }: Place, name: string): Promise<Tag | undefined> {
  const row = await connection.sql(`${selectTag} WHERE t.wid = ? AND t.name = ?`).get(wid, name);
  return row && decodeTag(row);
}

export async function listTags({ connection, wid }: Place, before: number | undefined, limit: number) {
  const rows = await connection
    .sql(`${selectTag} WHERE t.wid = ? AND t.ordinal < ? ORDER BY t.ordinal DESC LIMIT ?`)
    .all(wid, before ?? endOfTime, limit + 1);
  const tags = rows.slice(0, limit).map((row) => ({ ...decodeTag(row), order: Number(row["ordinal"]) }));
  return { tags, hasMore: rows.length > limit };
}
