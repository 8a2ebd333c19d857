import { ledgerFailure } from "../../../domain/ledger/failures.ts";
import type { SessionRecord } from "../../../domain/ledger/session.ts";
import type { AppendReceipt, AppendRequest, Opening } from "../../../ports/ledger-store.ts";
import { parseColumn } from "../connection/json-column.ts";
import type { Connection } from "../connection/open-database.ts";
import type { AppendRun } from "./append-thought.ts";
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
  const { once } = request;
  const earlier = once ? undefined : recallOpening(connection, opens);
  const known = earlier && selectSession(connection, earlier.sessionId, now);
  if (earlier && known) {
    const receipt = appends.replay(connection, earlier.sessionId, earlier.seq);
    appends.forget();
    return { ...receipt, opened: known };
  }
  try {
    const sessionId = insertSession(connection, opens.session);
    const receipt = appends.append(connection, {
      ...request,
      draft: { ...request.draft, sessionId },
      opens: undefined,
    });
    appends.finish(connection);
    if (!once) rememberOpening(connection, opens, { sessionId, seq: receipt.entry.seq });
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

const scopeOf = ({ session }: Opening): string => `opening:${session.project}`;

function recallOpening({ sql }: Connection, opens: Opening): Recorded | undefined {
  const row = sql("SELECT outcome FROM idempotency WHERE scope = ? AND key = ? AND at >= ?").get(
    scopeOf(opens),
    opens.sameKey,
    opens.sameSince,
  );
  return row && parseColumn<Recorded>(row["outcome"]);
}

function rememberOpening({ sql }: Connection, opens: Opening, recorded: Recorded): void {
  sql(
    `INSERT OR REPLACE INTO idempotency (scope, key, fingerprint, outcome, at) VALUES (?, ?, '', ?, ?)`,
  ).run(scopeOf(opens), opens.sameKey, JSON.stringify(recorded), opens.session.createdAt);
}
