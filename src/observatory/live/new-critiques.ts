import { nodeId } from "../../domain/ledger/address.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { type Mask, toWireCritique } from "../session/to-wire.ts";
import type { Critique, ThoughtCritiquedPayload } from "../wire.ts";

const readAtOnce = 64;
/** A critique follows its thought within minutes; whoever criticises an older one is seen at the next snapshot. */
const maxPages = 16;

/** The thoughts that critiques speak of; they name them by hash. */
export async function findNewCritiques(
  ledger: Pick<LedgerStore, "readLatest">,
  sessionId: string,
  critiques: readonly (Critique & { thoughtHash: string })[],
  mask: Mask,
): Promise<ThoughtCritiquedPayload[]> {
  const wanted = new Map(critiques.map((critique) => [critique.thoughtHash, critique]));
  const found: ThoughtCritiquedPayload[] = [];
  let before: number | undefined;
  for (let page = 0; page < maxPages && wanted.size > 0; page += 1) {
    const entries = await ledger.readLatest(sessionId, before, readAtOnce);
    for (const { hash, position, data } of entries) {
      const critique = wanted.get(hash);
      if (!critique) continue;
      wanted.delete(hash);
      found.push({ id: nodeId(sessionId, data), position, critique: toWireCritique(critique, mask) });
    }
    before = entries[0]?.seq;
    if (entries.length < readAtOnce) break;
  }
  return found.sort((a, b) => a.position - b.position);
}
