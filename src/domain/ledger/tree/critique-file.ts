import * as z from "zod";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { type Steps, sortInSteps } from "../../../kernel/steps.ts";
import { type SealedCritique, sealCritique } from "../chain/critique-chain.ts";
import { genesisHash } from "../chain/hash-chain.ts";
import { limits } from "../limits.ts";
import { keyOf } from "./arrivals.ts";
import type { PlainThought } from "./plain-thought.ts";
import type { SealedThought } from "./thought-file.ts";

/** A critique with its hash, in the form in which stores exchange it. */
export type ChainedCritique = SealedCritique & { hash: string };

/** `thoughtPosition` saves a lookup when the critique is stored. The hash alone identifies the thought. */
export type PlacedCritique = ChainedCritique & { thoughtPosition?: number };

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const text = z
  .string()
  .min(1)
  .refine((given) => Buffer.byteLength(given) <= limits.thoughtBytes && !given.includes("\0"));
const fileSchema = z.strictObject({
  text,
  model: z.string().min(1).max(500),
  timestamp: z.iso.datetime({ offset: true }),
  /** The hash of the criticised thought. */
  thoughtHash: hash,
  chain: z.strictObject({
    position: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    salt: z.string().regex(/^[!-~]{1,200}$/),
    prevHash: hash,
    hash,
  }),
});

/** Renders a critique's own file. Critiques have their own chain, so the thought's file never changes. */
export function renderCritiqueFile({
  text,
  model,
  timestamp,
  thoughtHash,
  position,
  salt,
  prevHash,
  hash,
}: ChainedCritique): string {
  const chain = { position, salt, prevHash, hash };
  return `${JSON.stringify({ text, model, timestamp, thoughtHash, chain }, null, 2)}\n`;
}

/** Returns the critique. If the file is invalid or was changed, returns the problem as the end of a sentence. */
export function parseCritiqueFile(sessionId: string, content: string): ChainedCritique | string {
  const parsed = fileSchema.safeParse(parseJson(content));
  if (!parsed.success) return "is not a critique";
  const { chain, ...fields } = parsed.data;
  const { hash: seal, ...place } = chain;
  const sealed = { sessionId, ...fields, ...place };
  return sealCritique(sealed) === seal ? { ...sealed, hash: seal } : "was changed after it was recorded";
}

/** Returns the critiques from the first one up to the first gap. Critiques after a gap cannot be verified. */
export function* connectCritiques(critiques: readonly ChainedCritique[]): Steps<ChainedCritique[]> {
  const connected: ChainedCritique[] = [];
  for (const critique of yield* sortInSteps(critiques, (a, b) => a.position - b.position)) {
    yield;
    const last = connected.at(-1);
    const follows =
      critique.position === connected.length + 1 && critique.prevHash === (last?.hash ?? genesisHash);
    if (follows) connected.push(critique);
  }
  return connected;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/**
 * Builds a chain from critiques that earlier versions stored with their thoughts. The chain follows the order
 * of the thoughts.
 */
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
