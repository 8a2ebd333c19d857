import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { count } from "../../../kernel/numbers.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import type { ChainedThought, Thought } from "../thought.ts";

/** The predecessor hash of the first thought in every session. */
export const genesisHash = "0".repeat(64);

type Sealed = { sessionId: string; position: number; prevHash: string; salt: string; data: Thought };

/**
 * Returns the hash of a thought. The hash covers a salted digest of the text, so a later redaction can drop
 * the text and keep the chain valid. The hash does not cover later links (revisedBy), the parsed notation
 * (cipher) or critiques, which have their own chain.
 */
export function sealThought({ sessionId, position, prevHash, salt, data }: Sealed): string {
  const text = sha256Hex(`${salt}\n${data.thought}`);
  // Lists the fields one by one, because object rest would take as long as computing the hashes.
  const sealed: Record<string, unknown> = { sessionId, position, prevHash, text };
  for (const field of Object.keys(data))
    if (!notSealed.has(field)) sealed[field] = data[field as keyof Thought];
  return sha256Hex(canonicalJson(sealed));
}

const notSealed: ReadonlySet<string> = new Set<keyof Thought>([
  "thought",
  "revisedBy",
  "critique",
  "critiqueRequested",
  "cipher",
]);

export type ChainFault = { position: number; thought: string; problem: string };

/** Verifies a session in order of arrival. Keeps its state, so long sessions can be verified page by page. */
export function createChainVerifier(sessionId: string) {
  let expectedPrev = genesisHash;
  let expectedPosition = 1;
  let proven = 0;
  let fault: ChainFault | undefined;

  const report = (entry: ChainedThought, problem: string) => {
    const { branchId, thoughtNumber } = entry.data;
    const name = branchId === undefined ? `${thoughtNumber}` : `${branchId}:${thoughtNumber}`;
    fault ??= { position: entry.position, thought: name, problem };
  };

  return {
    /** Returns false once the chain is broken, because no thought after the first bad one can be verified. */
    check(entry: ChainedThought): boolean {
      if (fault) return false;
      if (entry.position !== expectedPosition) {
        report(entry, `position ${expectedPosition} is missing. The next one is ${entry.position}.`);
      } else if (entry.prevHash !== expectedPrev) {
        report(entry, "it does not follow the thought before it (prevHash differs).");
      } else if (sealThought({ ...entry, sessionId }) !== entry.hash) {
        report(entry, "its fields or text were changed after it was recorded (hash differs).");
      }
      expectedPrev = entry.hash;
      expectedPosition += 1;
      if (!fault) proven += 1;
      return fault === undefined;
    },
    /** Compares the end of the chain with the head recorded in the session. */
    finish(head: { length: number; hash: string }): ChainFault | undefined {
      if (!fault && expectedPosition - 1 !== head.length) {
        fault = {
          position: Math.min(expectedPosition, head.length + 1),
          thought: "",
          problem: `the session records ${count(head.length, "entry")}, but the chain has ${expectedPosition - 1}.`,
        };
      }
      if (!fault && head.hash !== expectedPrev) {
        fault = {
          position: Math.max(1, expectedPosition - 1),
          thought: "",
          problem: "the session's head hash differs from the hash of its last entry.",
        };
      }
      return fault;
    },
    get verified(): number {
      return fault ? Math.min(proven, fault.position - 1) : proven;
    },
  };
}
