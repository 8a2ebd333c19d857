import { sha256Hex } from "../../../kernel/sha256.ts";
import { sealCritique } from "../chain/critique-chain.ts";
import { genesisHash } from "../chain/hash-chain.ts";
import { keyOf } from "./arrivals.ts";
import type { ChainedCritique } from "./critique-file.ts";
import type { PlainThought } from "./plain-thought.ts";
import type { SealedThought } from "./thought-file.ts";

/** Earlier versions kept a critique with its thought. They are chained in the order of the thoughts. */
export function sealPlainCritiques(
  entries: readonly SealedThought[],
  thoughts: readonly Pick<PlainThought, "address" | "critique">[],
): ChainedCritique[] {
  const critiques = new Map(thoughts.map(({ address, critique }) => [keyOf(address), critique]));
  const sealed: ChainedCritique[] = [];
  for (const { sessionId, data, hash: thoughtHash } of entries) {
    const critique = critiques.get(keyOf(data));
    if (!critique) continue;
    const { text, model, timestamp = data.timestamp } = critique;
    const position = sealed.length + 1;
    const salt = sha256Hex(`import critique\n${thoughtHash}\n${text}`).slice(0, 32);
    const prevHash = sealed.at(-1)?.hash ?? genesisHash;
    const unsealed = { sessionId, position, prevHash, salt, thoughtHash, text, model, timestamp };
    sealed.push({ ...unsealed, hash: sealCritique(unsealed) });
  }
  return sealed;
}
