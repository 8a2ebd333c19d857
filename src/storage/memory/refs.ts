import { endOfTime } from "../../domain/memory/lineage.ts";
import type { Commit, Ref, Tag } from "../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../domain/memory/steps/rows.ts";
import type { RefMove } from "../../ports/memory/memory-store.ts";
import { decodeEntry, decodeTag } from "../rows/memory-rows.ts";
import type { Row } from "../rows/row.ts";
import { selectEntry } from "./entries.ts";
import { findDoc, loadLineage, type Place } from "./places.ts";
import { all, get, type Query, together } from "./query.ts";
import { loadRef } from "./rows/graph-facts.ts";

/**
 * Returns the branch's ref. If the branch never moved its ref, returns the ref that its base had when the
 * branch was created.
 */
export function* readRef(place: Place, { bid, name }: BranchRow, doc: string): Query<Ref | undefined> {
  const [number, lineage] = yield* together(findDoc(place, doc), loadLineage(bid));
  if (number === undefined) return undefined;
  const seq = yield* loadRef(lineage, number);
  return seq === undefined ? undefined : { branch: name, doc, seq };
}

const decodeCommit = (row: Row): Commit => ({
  ...decodeEntry(row),
  parent: typeof row["parent"] === "number" ? row["parent"] : undefined,
});

const ofWorkspace = "d.wid = ? AND b.deleted_at_ms IS NULL";
const selectCommit = selectEntry
  .replace("SELECT ", "SELECT c.parent, ")
  .concat(" JOIN {memory_commits} c ON c.seq = e.seq");

export function* readCommit({ wid }: Place, seq: number): Query<Commit | undefined> {
  const row = yield* get(`${selectCommit} WHERE e.seq = ? AND ${ofWorkspace}`, seq, wid);
  return row && decodeCommit(row);
}

/** Reads the log from `start` along the parents, newest first. */
export function* readLog({ wid }: Place, start: number, before: number | undefined, limit: number) {
  const found = yield* all(
    `WITH RECURSIVE chain (seq, parent) AS (
       SELECT c.seq, c.parent FROM {memory_commits} c WHERE c.seq = ?
       UNION ALL SELECT c.seq, c.parent FROM chain JOIN {memory_commits} c ON c.seq = chain.parent
     ) SELECT seq FROM chain WHERE seq < ? LIMIT ?`,
    ...[start, before ?? endOfTime, limit + 1],
  );
  const rows = yield* all(
    `${selectCommit} WHERE e.seq IN NUMBERS(?) AND ${ofWorkspace} ORDER BY e.seq DESC`,
    ...[found.slice(0, limit).map((row) => Number(row["seq"])), wid],
  );
  return { commits: rows.map(decodeCommit), hasMore: found.length > limit };
}

export function* readReflog(_place: Place, branch: BranchRow, before: number | undefined, limit: number) {
  const rows = yield* all(
    `SELECT m.*, d.name AS doc_name FROM {memory_ref_moves} m JOIN {memory_docs} d ON d.doc = m.doc
     WHERE m.bid = ? AND m.seq < ? ORDER BY m.seq DESC LIMIT ?`,
    ...[branch.bid, before ?? endOfTime, limit + 1],
  );
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

/** SQL: tags, including those on deleted branches, which matter only for deciding whether a name is free. */
export const selectAnyTag = `SELECT t.name AS k, t.name, t.seq, t.ordinal, t.created_at_ms, b.name AS branch, d.name AS doc,
  b.deleted_at_ms FROM {memory_tags} t
  JOIN {memory_entries} e ON e.seq = t.seq JOIN {memory_branches} b ON b.bid = e.bid JOIN {memory_docs} d ON d.doc = e.doc`;
const selectTag = `${selectAnyTag} AND b.deleted_at_ms IS NULL`;

export function* readTag({ wid }: Place, name: string): Query<Tag | undefined> {
  const row = yield* get(`${selectTag} WHERE t.wid = ? AND t.name = ?`, wid, name);
  return row && decodeTag(row);
}

export function* listTags({ wid }: Place, before: number | undefined, limit: number) {
  const rows = yield* all(
    `${selectTag} WHERE t.wid = ? AND t.ordinal < ? ORDER BY t.ordinal DESC LIMIT ?`,
    ...[wid, before ?? endOfTime, limit + 1],
  );
  const tags = rows.slice(0, limit).map((row) => ({ ...decodeTag(row), order: Number(row["ordinal"]) }));
  return { tags, hasMore: rows.length > limit };
}
