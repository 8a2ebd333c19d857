import { memoryFailure } from "../../../../domain/memory/failures.ts";
import { cutoffs, endOfTime, sees } from "../../../../domain/memory/lineage.ts";
import { checkReset, decideTag } from "../../../../domain/memory/ref-rules.ts";
import type { Commit, Ref, Tag } from "../../../../domain/memory/steps/outcomes.ts";
import type { StepInput, StepOutcome } from "../../../../domain/memory/steps/step.ts";
import type { RefMove } from "../../../../ports/memory/refs.ts";
import type { Row } from "../../connection/driver.ts";
import { nextSeq } from "../../connection/sequence.ts";
import { insertEntry, readEntry } from "../documents/entries.ts";
import {
  type BranchRow,
  branchOrCheckout,
  docName,
  findBranch,
  findDoc,
  loadLineage,
  openStream,
  type Place,
  requireBranch,
} from "../places.ts";

/** Where the branch's ref stands; a branch without moves of its own inherits what its base had when it was made. */
export function readRef(place: Place, branch: BranchRow, doc: string): Ref | undefined {
  const number = findDoc(place, doc);
  if (number === undefined) return undefined;
  for (const segment of loadLineage(place, branch.bid)) {
    const row = place.connection
      .sql(
        "SELECT current FROM memory_ref_moves WHERE bid = ? AND doc = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
      )
      .get(segment.branch, number, segment.upTo);
    if (row) return { branch: branch.name, doc, seq: Number(row["current"]) };
  }
  return undefined;
}

/** Call inside a write. */
export function commitEntry(
  place: Place,
  { branch: named, doc, entry }: StepInput<"commit">,
  at: Date,
): StepOutcome<"commit"> {
  const branch = branchOrCheckout(place, named);
  const parent = readRef(place, branch, doc)?.seq;
  const stored = insertEntry(place, branch, doc, entry, at);
  place.connection
    .sql("INSERT INTO memory_commits (seq, parent) VALUES (?, ?)")
    .run(stored.seq, parent ?? null);
  moveRef(
    place,
    branch,
    doc,
    { action: "commit", previous: parent, current: stored.seq, message: entry.title ?? "" },
    at,
  );
  return { ...stored, parent };
}

type Move = Pick<RefMove, "action" | "previous" | "current" | "message">;

function moveRef(place: Place, branch: BranchRow, docName: string, move: Move, at: Date): void {
  const seq = nextSeq(place.connection);
  const doc = openStream(place, branch.bid, docName, "log", seq);
  place.connection
    .sql(`INSERT INTO memory_ref_moves (seq, bid, doc, action, previous, current, message, ts_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(seq, branch.bid, doc, move.action, move.previous ?? null, move.current, move.message, at.getTime());
}

/** Call inside a write. */
export function resetRef(
  place: Place,
  { branch: named, doc, seq }: StepInput<"reset">,
  at: Date,
): StepOutcome<"reset"> {
  const branch = branchOrCheckout(place, named);
  const commit = readCommit(place, seq);
  const view = cutoffs(loadLineage(place, branch.bid));
  const isShown = commit !== undefined && sees(view, requireBranch(place, commit.branch).bid, seq);
  checkReset({ workspace: place.workspace, branch: branch.name, commit, isShown }, { doc, seq });
  const previous = readRef(place, branch, doc);
  if (previous?.seq !== seq)
    moveRef(place, branch, doc, { action: "reset", previous: previous?.seq, current: seq, message: "" }, at);
  return { previous, current: { branch: branch.name, doc, seq } };
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

const selectTag = `SELECT t.name, t.seq, t.ordinal, t.created_at_ms, b.name AS branch, d.name AS doc FROM memory_tags t
  JOIN memory_entries e ON e.seq = t.seq JOIN memory_branches b ON b.bid = e.bid AND b.deleted_at_ms IS NULL JOIN memory_docs d ON d.doc = e.doc`;

function decodeTag(row: Row): Tag & { order: number } {
  return {
    order: Number(row["ordinal"]),
    name: String(row["name"]),
    seq: Number(row["seq"]),
    branch: String(row["branch"]),
    doc: String(row["doc"]),
    created_at_ms: Number(row["created_at_ms"]),
  };
}

export function readTag({ connection, wid }: Place, name: string): Tag | undefined {
  const row = connection.sql(`${selectTag} WHERE t.wid = ? AND t.name = ?`).get(wid, name);
  if (!row) return undefined;
  const { order: _order, ...tag } = decodeTag(row);
  return tag;
}

export function listTags({ connection, wid }: Place, before: number | undefined, limit: number) {
  const rows = connection
    .sql(`${selectTag} WHERE t.wid = ? AND t.ordinal < ? ORDER BY t.ordinal DESC LIMIT ?`)
    .all(wid, before ?? endOfTime, limit + 1);
  return { tags: rows.slice(0, limit).map(decodeTag), hasMore: rows.length > limit };
}

/** Call inside a write. */
export function createTag(
  place: Place,
  { name, seq, force }: StepInput<"create_tag">,
  at: Date,
): StepOutcome<"create_tag"> {
  const { workspace, connection, wid } = place;
  const known = readTag(place, name);
  const isBranch = findBranch(place, name) !== undefined;
  const facts = { workspace, isCommit: readCommit(place, seq) !== undefined, isBranch, known };
  if (!decideTag(facts, { name, seq, force }) && known) return known;
  connection
    .sql("INSERT OR REPLACE INTO memory_tags (wid, name, seq, ordinal, created_at_ms) VALUES (?, ?, ?, ?, ?)")
    .run(wid, name, seq, nextSeq(connection), at.getTime());
  const tag = readTag(place, name);
  if (!tag) throw new Error(`the tag ${name} was not written`);
  return tag;
}

/** Call inside a write. */
export function deleteTag(place: Place, { name }: StepInput<"delete_tag">): StepOutcome<"delete_tag"> {
  const { workspace } = place;
  if (!readTag(place, name)) throw memoryFailure("unknown_tag", { workspace, name });
  place.connection.sql("DELETE FROM memory_tags WHERE wid = ? AND name = ?").run(place.wid, name);
  return { deleted: true };
}
