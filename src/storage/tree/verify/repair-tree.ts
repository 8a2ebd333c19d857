import type { RepairReport } from "../../../ports/tree.ts";
import type { LedgerSource } from "../ledger-source.ts";
import { explain } from "../tree-trouble.ts";
import type { Quarantine } from "./quarantine.ts";

const pageSize = 200;

type RepairOne = (sessionId: string, quarantine: Quarantine, signal?: AbortSignal) => Promise<boolean>;

/** Goes through one session, or through all that the store knows. Trouble with one does not stop the rest. */
export async function repairSessions(
  source: LedgerSource,
  repairOne: RepairOne,
  quarantine: Quarantine,
  sessionId: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RepairReport> {
  const report: RepairReport = { checked: 0, repaired: [], quarantined: quarantine.moved, failed: [] };
  for await (const id of sessionId === undefined ? allSessions(source) : [sessionId]) {
    signal?.throwIfAborted();
    report.checked += 1;
    try {
      if (await repairOne(id, quarantine, signal)) report.repaired.push(id);
      await source.projection.settleDeferred(id);
    } catch (thrown) {
      signal?.throwIfAborted();
      report.failed.push({ sessionId: id, reason: explain(thrown) });
    }
  }
  return report;
}

/** Sessions that are created meanwhile come last, so pages do not shift. */
async function* allSessions(source: LedgerSource): AsyncGenerator<string> {
  for (let offset = 0; ; offset += pageSize) {
    const { sessions } = await source.ledger.listSessions({
      tagMode: "all",
      limit: pageSize,
      offset,
      sortBy: "createdAt",
      sortOrder: "asc",
    });
    for (const { id } of sessions) yield id;
    if (sessions.length < pageSize) return;
  }
}
