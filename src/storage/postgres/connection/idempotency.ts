import { checkSameWrite, type Once } from "../../../domain/ledger/requests.ts";
import { parseColumn } from "../../rows/row.ts";
import type { WriteConnection } from "./access.ts";

/** Returns the first outcome for this key, or `undefined` if the key is new. Call inside a write. */
export async function recallOutcome<Outcome>(
  { sql }: WriteConnection,
  scope: string,
  once: Once | undefined,
): Promise<Outcome | undefined> {
  if (!once) return undefined;
  const row = await sql("SELECT fingerprint, outcome FROM {idempotency} i WHERE scope = ? AND key = ?").get(
    scope,
    once.key,
  );
  if (!row) return undefined;
  checkSameWrite(once, { fingerprint: row["fingerprint"] });
  return parseColumn<Outcome>(row["outcome"]);
}

/** Stores the outcome for a key. Call inside a write. */
export function rememberOutcome(
  { sql, send }: WriteConnection,
  scope: string,
  once: Once | undefined,
  outcome: unknown,
  at: string,
): void {
  if (!once) return;
  send(
    sql(
      "INSERT INTO idempotency (tenant, scope, key, fingerprint, outcome, at) VALUES (@tenant, ?, ?, ?, ?, ?)",
    ).run(...[scope, once.key, once.fingerprint, JSON.stringify(outcome), at]),
  );
}
