import type { Rejections } from "../../domain/analysis/rejections.ts";
import type { CipherType } from "../../domain/cipher/notation.ts";
import { parseCipher } from "../../domain/cipher/parse.ts";
import type { CritiqueChain } from "../../domain/ledger/chain/critique-chain.ts";
import type { ChainedThought } from "../../domain/ledger/thought.ts";
import { decodeAddress } from "./ledger-rows.ts";
import { parseColumn, type Row } from "./row.ts";

/** Adds the newest critique to each thought. The rows must be sorted from oldest to newest. */
export function addCritiques(entries: ChainedThought[], rows: readonly Row[]): ChainedThought[] {
  if (rows.length === 0) return entries;
  const bySeq = new Map(rows.map((row) => [Number(row["thought_seq"]), row]));
  return entries.map((entry) => {
    const row = bySeq.get(entry.seq);
    if (!row) return entry;
    const critique = {
      text: String(row["text"]),
      model: String(row["model"]),
      timestamp: String(row["timestamp"]),
    };
    return { ...entry, data: { ...entry.data, critique } };
  });
}

export const critiqueColumns =
  "c.position, c.text, c.model, c.timestamp, c.salt, c.prev_hash, c.hash, t.hash AS thought_hash";

/** Decodes critiques. `head` is the session's row, which contains the length and the head hash. */
export function decodeCritiques(
  sessionId: string,
  head: Row | undefined,
  rows: readonly Row[],
): CritiqueChain {
  return {
    length: Number(head?.["amendment_count"] ?? 0),
    headHash: String(head?.["amendment_head"] ?? ""),
    entries: rows.map((row) => ({
      sessionId,
      position: Number(row["position"]),
      text: String(row["text"]),
      model: String(row["model"]),
      timestamp: String(row["timestamp"]),
      salt: String(row["salt"]),
      prevHash: String(row["prev_hash"]),
      hash: String(row["hash"]),
      thoughtHash: String(row["thought_hash"]),
    })),
  };
}

/** Adds a thought's rejections. The row's `rejecting` is the text of a thought that rejects something. */
export function addRejecting({ add }: Rejections, row: Row): void {
  const steps = parseColumn<{ number: number; type: CipherType }[]>(row["cipher"] ?? "[]");
  const rejecting = row["rejecting"];
  const fork = decodeAddress(row["from_branch"], row["from_number"]);
  const thought = {
    thoughtNumber: Number(row["number"]),
    ...decodeAddress(row["branch_id"], row["number"]),
    ...(fork && { branchFromThought: fork.thoughtNumber }),
    ...(fork?.branchId !== undefined && { branchFromBranch: fork.branchId }),
  };
  add(thought, steps, typeof rejecting === "string" ? (parseCipher(rejecting)?.steps ?? []) : []);
}
