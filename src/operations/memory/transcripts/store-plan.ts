import { setImmediate as breathe } from "node:timers/promises";
import type { Address } from "../../../domain/ledger/address.ts";
import type { SessionRecord } from "../../../domain/ledger/session.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import type { SealedThought } from "../../../domain/ledger/tree/thought-file.ts";
import type { PlannedThought } from "../../../domain/transcripts/session/plan-thoughts.ts";
import { findMissing, sealPlan } from "../../../domain/transcripts/session/seal-plan.ts";
import type { BaseContext } from "../../pipeline/context.ts";

const pageSize = 1_000;
const sealedAtOnce = 500;

/** All that the ledger holds of a session, in the order of arrival. */
export async function readStored(
  { ledger }: Pick<BaseContext, "ledger">,
  sessionId: string,
): Promise<ChainedThought[]> {
  const stored: ChainedThought[] = [];
  for (;;) {
    const page = await ledger.readEntries(sessionId, stored.at(-1)?.position ?? 0, pageSize);
    stored.push(...page);
    if (page.length < pageSize) return stored;
  }
}

export function forksOf(stored: readonly ChainedThought[]): Map<string, Address> {
  const forks = new Map<string, Address>();
  for (const { data } of stored) {
    const { branchId, branchFromThought: thoughtNumber, branchFromBranch } = data;
    if (branchId === undefined || thoughtNumber === undefined) continue;
    forks.set(branchId, {
      ...(branchFromBranch !== undefined && { branchId: branchFromBranch }),
      thoughtNumber,
    });
  }
  return forks;
}

/** What the ledger lacks of a plan; a sentence's end where it holds something else in its place. */
export function missingOf(
  stored: readonly ChainedThought[],
  planned: readonly PlannedThought[],
): PlannedThought[] | string {
  const missing = findMissing(stored, planned);
  return Array.isArray(missing) ? missing : `${missing.differs} is not the one of the transcript`;
}

/** One transaction: all that is missing, or nothing. Returns why nothing was taken, as a sentence's end. */
export async function storePlan(
  { imports, signal }: Pick<BaseContext, "imports" | "signal">,
  record: SessionRecord,
  missing: readonly PlannedThought[],
  last: ChainedThought | undefined,
): Promise<string | undefined> {
  const { id, createdAt } = record.session;
  const entries: SealedThought[] = [];
  for (let from = 0; from < missing.length; from += sealedAtOnce) {
    const slice = missing.slice(from, from + sealedAtOnce);
    entries.push(...sealPlan(id, slice, entries.at(-1) ?? last, slice[0]?.at ?? createdAt));
    await breathe();
    signal.throwIfAborted();
  }
  const [outcome] = await imports.importParts([{ record, entries, critiques: [] }]);
  return outcome?.refused;
}
