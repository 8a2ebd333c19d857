import { sha256Hex } from "../../../kernel/sha256.ts";
import type { Steps } from "../../../kernel/steps.ts";
import { sealCritique } from "../chain/critique-chain.ts";
import { genesisHash } from "../chain/hash-chain.ts";
import { keyOf } from "./arrivals.ts";
import type { PlacedCritique } from "./critique-file.ts";
import type { PlainThought } from "./plain-thought.ts";
import type { SealedThought } from "./thought-file.ts";

/** Earlier versions kept a critique with its thought. They are chained in the order of the thoughts. */
export function* sealPlainCritiques(
  entries: readonly SealedThought[],
  thoughts: readonly Pick<PlainThought, "address" | "critique">[],
): Steps<PlacedCritique[]> {
  const critiques = new Map<string, PlainThought["critique"]>();
  for (const { address, critique } of thoughts) {
    if (critique) critiques.set(keyOf(address), critique);
    yield;
  }
  const sealed: PlacedCritique[] = [];
  for (const { sessionId, position: thoughtPosition, data, hash: thoughtHash } of entries) {
    yield;
    const critique = critiques.get(keyOf(data));
    if (!critique) continue;
    const { text, model, timestamp = data.timestamp } = critique;
    const position = sealed.length + 1;
    const salt = sha256Hex(`import critique\n${thoughtHash}\n${text}`).slice(0, 32);
    const prevHash = sealed.at(-1)?.hash ?? genesisHash;
    const unsealed = { sessionId, position, prevHash, salt, thoughtHash, text, model, timestamp };
    sealed.push({ ...unsealed, hash: sealCritique(unsealed), thoughtPosition });
  }
  return sealed;
}
