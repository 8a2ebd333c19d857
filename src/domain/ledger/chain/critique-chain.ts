import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { count } from "../../../kernel/numbers.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import type { Steps } from "../../../kernel/steps.ts";
import { genesisHash } from "./hash-chain.ts";

export type SealedCritique = {
  sessionId: string;
  position: number;
  prevHash: string;
  salt: string;
  /** The hash of the criticised thought. A critique that is moved to another thought no longer matches its own hash. */
  thoughtHash: string;
  text: string;
  model: string;
  timestamp: string;
};

/** Returns the hash of a critique. As for a thought, the hash covers a salted digest of the text. */
export function sealCritique(critique: SealedCritique): string {
  const { sessionId, position, prevHash, salt, thoughtHash, text, model, timestamp } = critique;
  const fields = { sessionId, position, prevHash, thoughtHash, model, timestamp };
  return sha256Hex(canonicalJson({ ...fields, text: sha256Hex(`${salt}\n${text}`) }));
}

export type CritiqueChain = {
  length: number;
  headHash: string;
  entries: readonly (SealedCritique & { hash: string })[];
};

/** Describes the first missing or changed critique. `undefined` if the chain is intact. */
export function* findCritiqueFault({ length, headHash, entries }: CritiqueChain): Steps<string | undefined> {
  let prevHash = genesisHash;
  for (const [index, { hash, ...sealed }] of entries.entries()) {
    if (sealed.position !== index + 1) return `Critique ${index + 1} is missing.`;
    if (sealed.prevHash !== prevHash) return `Critique ${index + 1} does not follow the one before it.`;
    if (sealCritique(sealed) !== hash) return `Critique ${index + 1} was changed after it was recorded.`;
    prevHash = hash;
    yield;
  }
  if (entries.length !== length)
    return `The session records ${count(length, "critique")}, but the chain has ${entries.length}.`;
  return headHash === prevHash
    ? undefined
    : "The session's critique head hash differs from the hash of its last critique.";
}
