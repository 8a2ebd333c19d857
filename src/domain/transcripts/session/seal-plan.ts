import { isSameButSecrets } from "../../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { genesisHash, sealThought } from "../../ledger/chain/hash-chain.ts";
import type { Thought } from "../../ledger/thought.ts";
import { type Address, describeAddress } from "../../ledger/thought.ts";
import { keyOf } from "../../ledger/tree/arrivals.ts";
import { toThought } from "../../ledger/tree/plain-thought.ts";
import { type SealedThought, withCipher } from "../../ledger/tree/thought-file.ts";
import type { PlannedThought } from "./plan-thoughts.ts";

type Stored = { position: number; hash: string; data: Thought };

/** Maps addresses to the thoughts of a session. */
export const indexStored = (stored: readonly Stored[]): ReadonlyMap<string, Thought> =>
  new Map(stored.map(({ data }) => [keyOf(addressOf(data)), data]));

/** Returns whether the session has the planned thought, lacks it, or has a different one at its address. */
export function compareWithStored(
  known: ReadonlyMap<string, Thought>,
  { address, text }: PlannedThought,
): "same" | "missing" | { differs: string } {
  const held = known.get(keyOf(address));
  if (!held) return "missing";
  // Ignores masked secrets, because the setting for masking may have changed since the import.
  return isSameButSecrets(held.thought, text) ? "same" : { differs: describeAddress(address) };
}

const addressOf = ({ branchId, thoughtNumber }: Thought): Address =>
  branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };

/** Adds thoughts to a chain. The same transcript always gives the same hashes. */
export function sealPlan(
  sessionId: string,
  planned: readonly PlannedThought[],
  { position: length, hash: head }: { position: number; hash: string } = { position: 0, hash: genesisHash },
  sessionStart: string,
): SealedThought[] {
  let prevHash = head;
  let time = sessionStart;
  return planned.map(({ address, fork, revises, text, at, agentId }, index) => {
    time = at ?? time;
    const plain = {
      address,
      text,
      timestamp: time,
      totalThoughts: address.thoughtNumber,
      nextThoughtNeeded: true,
      agentId,
    };
    const data = withCipher(toThought(plain, { ...(revises && { revises }), ...(fork && { fork }) }, time));
    const position = length + index + 1;
    const salt = sha256Hex(`transcript\n${sessionId}\n${position}\n${text}`).slice(0, 32);
    const hash = sealThought({ sessionId, position, salt, prevHash, data });
    const sealed = { sessionId, position, salt, prevHash, hash, data };
    prevHash = hash;
    return sealed;
  });
}
