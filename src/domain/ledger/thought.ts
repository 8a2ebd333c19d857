import * as z from "zod";
import { type CipherParse, parseCipher } from "../cipher/parse.ts";

/** The address of a thought: a number on the main chain or in a branch. */
export type Address = { branchId?: string | undefined; thoughtNumber: number };

export const addressSchema = z.strictObject({
  branchId: z.string().optional(),
  thoughtNumber: z.int().min(1).max(1_000_000),
});

/** Returns only the fields of the address. */
export const addressOf = ({ branchId, thoughtNumber }: Address): Address =>
  branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };

/** Returns a unique ID, because numbers repeat in branches: `{session}:{n}` or `{session}:{branch}:{n}`. */
export function nodeId(sessionId: string, { branchId, thoughtNumber }: Address): string {
  return branchId === undefined
    ? `${sessionId}:${thoughtNumber}`
    : `${sessionId}:${branchId}:${thoughtNumber}`;
}

/** Names a thought for people: "thought 4", or "thought 4 of branch redis". */
export function describeAddress({ branchId, thoughtNumber }: Address): string {
  return branchId === undefined
    ? `thought ${thoughtNumber}`
    : `thought ${thoughtNumber} of branch ${branchId}`;
}

/** The parsed notation of a thought, stored in addition to the text for filters, structure and analysis. */
export const storedStepSchema = z.strictObject({
  number: z.int(),
  type: z.string(),
  references: z.array(
    z.strictObject({
      number: z.int(),
      to: z.int().optional(),
      /** The branch in the reference, for example `alt` in `alt:S3`. */
      branchId: z.string().optional(),
      revises: z.literal(true).optional(),
    }),
  ),
});
export type StoredStep = z.infer<typeof storedStepSchema>;

/** One recorded thought. Fields that do not apply are absent, never null. */
export const thoughtSchema = z.strictObject({
  thought: z.string(),
  thoughtNumber: z.int(),
  totalThoughts: z.int(),
  nextThoughtNeeded: z.boolean(),
  timestamp: z.string(),
  isRevision: z.literal(true).optional(),
  revisesThought: z.int().optional(),
  revises: addressSchema.optional(),
  revisedBy: z.array(addressSchema).optional(),
  branchId: z.string().optional(),
  branchFromThought: z.int().optional(),
  branchFromBranch: z.string().optional(),
  needsMoreThoughts: z.literal(true).optional(),
  agentId: z.string().optional(),
  cipher: z.array(storedStepSchema).optional(),
  /** True if the caller passed `critique: true`. The thought may still have no critique. */
  critiqueRequested: z.literal(true).optional(),
  critique: z.strictObject({ text: z.string(), model: z.string(), timestamp: z.string() }).optional(),
});
export type Thought = z.infer<typeof thoughtSchema>;

/** True if the thought is on the main line and does not request another one. */
export const endsSession = ({
  branchId,
  nextThoughtNeeded,
}: Pick<Thought, "branchId" | "nextThoughtNeeded">): boolean => branchId === undefined && !nextThoughtNeeded;

/** A thought in its session's hash chain. `position` counts thoughts from 1 in order of arrival. */
export type ChainedThought = {
  sessionId: string;
  seq: number;
  position: number;
  salt: string;
  prevHash: string;
  hash: string;
  data: Thought;
};

/** Limits what is stored per thought, because a hostile text can contain 250,000 references. */
const max = { steps: 200, references: 64 };

/** Parses a thought's notation. Omits the contents of steps, which the text has. Prose gives `undefined`. */
export function readCipher(text: string): StoredStep[] | undefined {
  const parsed = parseCipher(text);
  return parsed && keepSteps(parsed);
}

export function keepSteps({ steps }: CipherParse): StoredStep[] {
  return steps.slice(0, max.steps).map(({ number, type, references }) => ({
    number,
    type,
    references: references.slice(0, max.references).map(({ number: target, to, branchId, revises }) => ({
      number: target,
      ...(to !== undefined && { to }),
      ...(branchId !== undefined && { branchId }),
      ...(revises && { revises: true as const }),
    })),
  }));
}

export type Suggestion = { hint: string; fields: Record<string, string | number> };

/** Matched only at the start of a thought. In the middle of a sentence, the same words are ordinary prose. */
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

/** Suggests the fields to set next time if the text reads like a correction or an alternative. */
export function suggestNext({
  thought,
  thoughtNumber,
  branchId,
  revisesThought,
  branchFromThought,
}: Recorded): Suggestion | undefined {
  if (revisesThought !== undefined || branchFromThought !== undefined) return undefined;
  const step = parseCipher(thought)?.steps;
  const corrected = step && firstRevised(step);
  if (corrected !== undefined && corrected < thoughtNumber && branchId === undefined) {
    return {
      hint: `This reads like a correction of thought ${corrected}. Next time, set revisesThought.`,
      fields: { revisesThought: corrected },
    };
  }
  const text = (step?.[0]?.content ?? thought).trimStart();
  const previous = thoughtNumber - 1;
  if (previous < 1) return undefined;
  if (correctionCues.test(text)) {
    return {
      hint: "This reads like a correction. Next time, set revisesThought to the number of the corrected thought.",
      fields: { revisesThought: previous },
    };
  }
  if (forkCues.test(text)) {
    return {
      hint: "This reads like an alternative. Next time, record an alternative on a branch to keep the main line clean.",
      fields: { branchFromThought: previous, branchId: `alternative-${previous}` },
    };
  }
  return undefined;
}

/**
 * Finds the first step that revises a step in the same chain. Returns the lowest number that this step
 * revises.
 */
function firstRevised(steps: CipherParse["steps"]): number | undefined {
  const revised = steps.flatMap(({ number: from, references }) =>
    references.flatMap(({ number, branchId, revises }) =>
      revises && branchId === undefined && number !== from ? { from, number } : [],
    ),
  );
  return revised.sort((a, b) => a.from - b.from || a.number - b.number)[0]?.number;
}
