import { ledgerFailure } from "../../../domain/ledger/failures.ts";
import { toIndexed } from "../../../domain/search/words/words.ts";
import type { SessionChange } from "../../../ports/feed.ts";
import type { SessionEdit } from "../../../ports/ledger-store.ts";
import { parseColumn } from "../connection/json-column.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";

/** Thoughts are never edited; what a session is called may be. */
export function editSession(connection: Connection, sessionId: string, edit: SessionEdit, at: string): void {
  const { sql } = connection;
  const row = sql(
    "SELECT sid, project, title, description, tags FROM sessions WHERE id = ? AND deleted_at IS NULL",
  ).get(sessionId);
  if (!row) throw ledgerFailure("session_missing", { sessionId });
  const sid = Number(row["sid"]);
  const title = edit.title ?? String(row["title"]);
  const description = edit.description ?? row["description"] ?? null;
  const project = edit.project ?? String(row["project"]);
  const moves = project !== row["project"];
  const tags = (edit.tags ?? parseColumn<string[]>(row["tags"])).map((tag) =>
    moves && tag === `project:${row["project"]}` ? `project:${project}` : tag,
  );
  sql(
    "UPDATE sessions SET title = ?, description = ?, tags = ?, updated_at = max(updated_at, ?) WHERE sid = ?",
  ).run(title, description, JSON.stringify(tags), at, sid);
  sql("DELETE FROM session_tags WHERE sid = ?").run(sid);
  for (const tag of new Set(tags)) sql("INSERT INTO session_tags (tag, sid) VALUES (?, ?)").run(tag, sid);
  sql("UPDATE session_words SET title = ?, description = ?, tags = ? WHERE rowid = ?").run(
    ...[title, String(description ?? ""), tags.join(" ")].map(toIndexed),
    sid,
  );
  if (moves)
    sql(
      "UPDATE sessions SET project = ?1, navigation = json_replace(navigation, '$.project', ?1) WHERE sid = ?2",
    ).run(project, sid);
  noteChange(connection, sid, moves ? "moved" : "updated", at);
}

/** To the trash: it leaves every listing and search, and nothing of it is lost. */
export function trashSession(connection: Connection, sessionId: string, at: string): void {
  setDeleted(connection, sessionId, "deleted_at IS NULL", at, "deleted", at);
}

export function untrashSession(
  connection: Connection,
  sessionId: string,
  at: string,
  onlyProject: string | undefined,
): void {
  const { project } = connection.sql("SELECT project FROM sessions WHERE id = ?").get(sessionId) ?? {};
  if (onlyProject !== undefined && project !== onlyProject)
    throw ledgerFailure("session_not_in_trash", { sessionId });
  setDeleted(connection, sessionId, "deleted_at IS NOT NULL", null, "restored", at);
}

function setDeleted(
  connection: Connection,
  sessionId: string,
  condition: "deleted_at IS NULL" | "deleted_at IS NOT NULL",
  deletedAt: string | null,
  change: SessionChange,
  at: string,
): void {
  const row = connection
    .sql(`UPDATE sessions SET deleted_at = ? WHERE id = ? AND ${condition} RETURNING sid`)
    .get(deletedAt, sessionId);
  if (!row) {
    throw ledgerFailure(change === "restored" ? "session_not_in_trash" : "session_missing", { sessionId });
  }
  noteChange(connection, Number(row["sid"]), change, at);
}

function noteChange(connection: Connection, sid: number, kind: SessionChange, at: string): void {
  connection
    .sql("INSERT INTO session_changes (seq, sid, kind, at) VALUES (?, ?, ?, ?)")
    .run(nextSeq(connection), sid, kind, at);
}
