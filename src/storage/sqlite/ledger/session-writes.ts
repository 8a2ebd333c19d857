import { genesisHash } from "../../../domain/ledger/chain/hash-chain.ts";
import { ledgerFailure } from "../../../domain/ledger/failures.ts";
import { onceScopes } from "../../../domain/ledger/once.ts";
import type { StandingState } from "../../../domain/ledger/session.ts";
import { toIndexed } from "../../../domain/search/words/words.ts";
import type { SessionDraft } from "../../../ports/ledger-store.ts";
import { recallOutcome, rememberOutcome } from "../connection/idempotency.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";

/** Returns the id of the session: the draft's, or that of the first call with the same idempotency key. */
export function insertSession(connection: Connection, draft: SessionDraft): string {
  const scope = onceScopes.sessionsOf(draft.project);
  const earlier = recallOutcome<{ id: string }>(connection, scope, draft.once);
  if (earlier) return earlier.id;
  const { sql } = connection;
  const tags = JSON.stringify(draft.tags);
  const { stage, domain, boundRoot, navigation } = draft.state;
  const row =
    sql(`INSERT INTO sessions (id, project, title, description, tags, partition_path, status, created_at,
         updated_at, last_accessed_at, stage, domain, bound_root, navigation, chain_head)
       VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?, ?, ?, ?, ?) RETURNING sid`).get(
      draft.id,
      draft.project,
      draft.title,
      draft.description ?? null,
      tags,
      draft.partitionPath ?? null,
      draft.createdAt,
      draft.createdAt,
      draft.createdAt,
      stage,
      domain ?? null,
      boundRoot ?? null,
      JSON.stringify(navigation),
      genesisHash,
    );
  const sid = Number(row?.["sid"]);
  for (const tag of new Set(draft.tags))
    sql("INSERT INTO session_tags (tag, sid) VALUES (?, ?)").run(tag, sid);
  sql("INSERT INTO session_words (rowid, title, description, tags) VALUES (?, ?, ?, ?)").run(
    sid,
    ...[draft.title, draft.description ?? "", draft.tags.join(" ")].map(toIndexed),
  );
  sql("INSERT INTO session_changes (seq, sid, kind, at) VALUES (?, ?, 'created', ?)").run(
    nextSeq(connection),
    sid,
    draft.createdAt,
  );
  rememberOutcome(connection, scope, draft.once, { id: draft.id }, draft.createdAt);
  return draft.id;
}

/** A stage never falls: whoever holds the handle has seen what it opened. */
export function updateState(
  connection: Connection,
  sessionId: string,
  change: Partial<StandingState>,
  at: string,
): void {
  const { sql } = connection;
  const row = sql(
    "SELECT sid, domain, bound_root, navigation FROM sessions WHERE id = ? AND deleted_at IS NULL",
  ).get(sessionId);
  if (!row) throw ledgerFailure("session_missing", { sessionId });
  sql(
    "UPDATE sessions SET stage = max(stage, ?), domain = ?, bound_root = ?, navigation = ? WHERE sid = ?",
  ).run(
    change.stage ?? 0,
    change.domain ?? row["domain"] ?? null,
    change.boundRoot ?? row["bound_root"] ?? null,
    change.navigation ? JSON.stringify(change.navigation) : (row["navigation"] ?? "{}"),
    row["sid"] ?? 0,
  );
  sql("INSERT INTO session_changes (seq, sid, kind, at) VALUES (?, ?, 'updated', ?)").run(
    nextSeq(connection),
    row["sid"] ?? 0,
    at,
  );
}

/** Whether saving would change nothing: resuming a session then needs no commit, and works on a full disk. */
export function holdsState(
  { sql }: Connection,
  sessionId: string,
  { stage = 0, domain, boundRoot, navigation }: Partial<StandingState>,
): boolean {
  const row = sql(
    "SELECT stage, domain, bound_root, navigation FROM sessions WHERE id = ? AND deleted_at IS NULL",
  ).get(sessionId);
  if (!row) return false;
  return (
    stage <= Number(row["stage"]) &&
    (domain === undefined || domain === row["domain"]) &&
    (boundRoot === undefined || boundRoot === row["bound_root"]) &&
    (navigation === undefined || JSON.stringify(navigation) === row["navigation"])
  );
}

export function updateAccessTime({ sql }: Connection, sessionId: string, at: string): void {
  sql("UPDATE sessions SET last_accessed_at = max(last_accessed_at, ?) WHERE id = ?").run(at, sessionId);
}
