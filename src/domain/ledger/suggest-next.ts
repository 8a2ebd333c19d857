import { deriveEdges } from "../cipher/edges.ts";
import { parseCipher } from "../cipher/parse.ts";

export type Suggestion = { hint: string; fields: Record<string, string | number> };

/** Cues stand at the start: in the middle of a sentence the same words are ordinary prose. */
const correctionCues =
  /^(?:actually,|correction[:,]|on second thoughts?\b|scratch that\b|i was wrong\b|wait,? (?:no\b|that)|(?:that|this)(?:'s| is| was) (?:wrong|incorrect|not right|mistaken)(?![\w-]))/i;
const forkCues =
  /^(?:alternatively\b|what if (?:we |i |it )?.{0,60}\binstead\b|another (?:option|approach|way)\b.{0,20}(?:is|would be|could be|:)|option [b-z]\b ?[:–-]|a different approach\b)/i;

type Recorded = {
  thought: string;
  thoughtNumber: number;
  branchId?: string | undefined;
  revisesThought?: number | undefined;
  branchFromThought?: number | undefined;
};

/**
 * Agents rarely use the fields for correcting and forking, though their words do both. Where a text plainly does and
 * the fields are not set, the answer can say which ones to set next time.
 */
export function suggestNext({
  thought,
  thoughtNumber,
  branchId,
  revisesThought,
  branchFromThought,
}: Recorded): Suggestion | undefined {
  if (revisesThought !== undefined || branchFromThought !== undefined) return undefined;
  const step = parseCipher(thought)?.steps;
  const corrected = step && deriveEdges(step).find(({ relation }) => relation === "revises");
  if (corrected && corrected.to < thoughtNumber && branchId === undefined) {
    return {
      hint: `Reads as a correction of ${corrected.to}: set revisesThought next time.`,
      fields: { revisesThought: corrected.to },
    };
  }
  const text = (step?.[0]?.content ?? thought).trimStart();
  const previous = thoughtNumber - 1;
  if (previous < 1) return undefined;
  if (correctionCues.test(text)) {
    return {
      hint: "Reads as a correction: set revisesThought to the thought it corrects next time.",
      fields: { revisesThought: previous },
    };
  }
  if (forkCues.test(text)) {
    return {
      hint: "Reads as an alternative: fork it next time, and the main line stays clean.",
      fields: { branchFromThought: previous, branchId: `alternative-${previous}` },
    };
  }
  return undefined;
}
