import { ledgerFailure } from "../../../domain/ledger/failures.ts";
import { onceScopes } from "../../../domain/ledger/once.ts";
import type { SessionRecord } from "../../../domain/ledger/session.ts";
import type { AppendReceipt, AppendRequest, Opening, SentAgain } from "../../../ports/ledger-store.ts";
import type { Row } from "../connection/driver.ts";
import { parseColumn } from "../connection/json-column.ts";
import type { Connection } from "../connection/open-database.ts";
import type { AppendRun } from "./append-thought.ts";
import { setActive } from "./conversations.ts";
import { selectSession } from "./session-reads.ts";
import { insertSession } from "./session-writes.ts";

type Recorded = { sessionId: string; seq: number };

/** Stores a session and its first thought, or neither. The same opening sent again gets the first receipt. */
export function openByThought(
  connection: Connection,
  appends: AppendRun,
  request: AppendRequest,
  opens: Opening,
  now: Date,
): AppendReceipt {
  const { once, origin, again } = request;
  const earlier = once ? undefined : findOpening(connection, appends, again, now);
  if (earlier) return earlier;
  try {
    const sessionId = insertSession(connection, opens.session);
    const receipt = appends.append(connection, {
      ...request,
      draft: { ...request.draft, sessionId },
      opens: undefined,
    });
    appends.finish(connection);
    if (!once && again)
      rememberOpening(connection, again, { sessionId, seq: receipt.entry.seq }, request.timestamp);
    if (origin) setActive(connection, origin, sessionId, request.timestamp);
    return { ...receipt, opened: sessionOf(connection, sessionId, now) };
  } catch (thrown) {
    appends.forget();
    throw thrown;
  }
}

function sessionOf(connection: Connection, sessionId: string, now: Date): SessionRecord {
  const record = selectSession(connection, sessionId, now);
  if (record) return record;
  throw ledgerFailure("session_of_key_deleted", {});
}

const scope = onceScopes.opening;

export const wasOpened = ({ sql }: Connection, { key, since }: SentAgain): Row | undefined =>
  sql("SELECT outcome FROM idempotency WHERE scope = ? AND key = ? AND at >= ?").get(scope, key, since);

/** Call inside a write. The receipt of the same opening, if it was recorded a moment ago. */
export function findOpening(
  connection: Connection,
  appends: AppendRun,
  again: SentAgain | undefined,
  now: Date,
): AppendReceipt | undefined {
  const row = again && wasOpened(connection, again);
  if (!row) return undefined;
  const { sessionId, seq } = parseColumn<Recorded>(row["outcome"]);
  const opened = selectSession(connection, sessionId, now);
  if (!opened) return undefined;
  const receipt = appends.replay(connection, sessionId, seq);
  appends.forget();
  return { ...receipt, opened };
}

function rememberOpening({ sql }: Connection, { key }: SentAgain, recorded: Recorded, at: string): void {
  sql(
    `INSERT OR REPLACE INTO idempotency (scope, key, fingerprint, outcome, at) VALUES (?, ?, '', ?, ?)`,
  ).run(scope, key, JSON.stringify(recorded), at);
}
