import { endOfTime } from "../../../../domain/memory/lineage.ts";
import type { Commit, Ref, Tag } from "../../../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type { RefMove } from "../../../../ports/memory/memory-store.ts";
import { decodeTag } from "../../../rows/memory-rows.ts";
import { readEntry } from "../documents/entries.ts";
import { docName, findDoc, loadLineage, type Place } from "../places.ts";
import { loadRef } from "../rows/graph-facts.ts";

/** Where the branch's ref stands; a branch without moves of its own inherits what its base had when it was made. */
export function readRef(place: Place, branch: BranchRow, doc: string): Ref | undefined {
  const number = findDoc(place, doc);
  if (number === undefined) return undefined;
  const { bid } = branch;
  const seq = loadRef(place.connection, { bid, lineage: loadLineage(place, bid) }, number);
  return seq === undefined ? undefined : { branch: branch.name, doc, seq };
}

export function readCommit(place: Place, seq: number): Commit | undefined {
  const row = place.connection.sql("SELECT parent FROM memory_commits WHERE seq = ?").get(seq);
  const entry = row && readEntry(place, seq);
  return entry && { ...entry, parent: typeof row["parent"] === "number" ? row["parent"] : undefined };
}

/** Along the parents from `start`, newest first. */
export function readLog(place: Place, start: number, before: number | undefined, limit: number) {
  const rows = place.connection
    .sql(`WITH RECURSIVE chain (seq, parent) AS (
            SELECT seq, parent FROM memory_commits WHERE seq = ?
            UNION ALL
            SELECT c.seq, c.parent FROM chain JOIN memory_commits c ON c.seq = chain.parent
          ) SELECT seq FROM chain WHERE seq < ? LIMIT ?`)
    .all(start, before ?? endOfTime, limit + 1);
  const commits = rows
    .slice(0, limit)
    .map(({ seq }) => readCommit(place, Number(seq)))
    .filter((commit): commit is Commit => commit !== undefined);
  return { commits, hasMore: rows.length > limit };
}

export function readReflog(place: Place, branch: BranchRow, before: number | undefined, limit: number) {
  const rows = place.connection
    .sql("SELECT * FROM memory_ref_moves WHERE bid = ? AND seq < ? ORDER BY seq DESC LIMIT ?")
    .all(branch.bid, before ?? endOfTime, limit + 1);
  const moves = rows.slice(0, limit).map(
    (row): RefMove => ({
      seq: Number(row["seq"]),
      ts_ms: Number(row["ts_ms"]),
      branch: branch.name,
      doc: docName(place, Number(row["doc"])),
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
  b.deleted_at_ms FROM memory_tags t
  JOIN memory_entries e ON e.seq = t.seq JOIN memory_branches b ON b.bid = e.bid JOIN memory_docs d ON d.doc = e.doc`;
const selectTag = `${selectAnyTag} AND b.deleted_at_ms IS NULL`;

export function readTag({ connection, wid }: Place, name: string): Tag | undefined {
  const row = connection.sql(`${selectTag} WHERE t.wid = ? AND t.name = ?`).get(wid, name);
  return row && decodeTag(row);
}

export function listTags({ connection, wid }: Place, before: number | undefined, limit: number) {
  const rows = connection
    .sql(`${selectTag} WHERE t.wid = ? AND t.ordinal < ? ORDER BY t.ordinal DESC LIMIT ?`)
    .all(wid, before ?? endOfTime, limit + 1);
  const tags = rows.slice(0, limit).map((row) => ({ ...decodeTag(row), order: Number(row["ordinal"]) }));
  return { tags, hasMore: rows.length > limit };
}
