import { checkSameWrite, type Once } from "../../../domain/ledger/requests.ts";
import { parseColumn } from "./driver.ts";
import type { Connection } from "./open-database.ts";

/** Call inside a write. Returns the first outcome for this key, or `undefined` if the key is new. */
export function recallOutcome<Outcome>(
  { sql }: Connection,
  scope: string,
  once: Once | undefined,
): Outcome | undefined {
  if (!once) return undefined;
  const row = sql("SELECT fingerprint, outcome FROM idempotency WHERE scope = ? AND key = ?").get(
    scope,
    once.key,
  );
  if (!row) return undefined;
  checkSameWrite(once, { fingerprint: row["fingerprint"] });
  return parseColumn<Outcome>(row["outcome"]);
}

export function rememberOutcome(
  { sql }: Connection,
  scope: string,
  once: Once | undefined,
  outcome: unknown,
  at: string,
): void {
  if (!once) return;
  sql("INSERT INTO idempotency (scope, key, fingerprint, outcome, at) VALUES (?, ?, ?, ?, ?)").run(
    scope,
    once.key,
    once.fingerprint,
    JSON.stringify(outcome),
    at,
  );
}
