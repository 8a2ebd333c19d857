import * as z from "zod";
import { type CipherParse, parseCipher } from "../cipher/parse.ts";
import { addressSchema } from "./address.ts";

/** What the parser read in a thought, kept beside the text for filters, structure and analysis. */
export const storedStepSchema = z.strictObject({
  number: z.int(),
  type: z.string(),
  references: z.array(
    z.strictObject({ number: z.int(), to: z.int().optional(), revises: z.literal(true).optional() }),
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
  /** It was recorded with `critique: true`, whether or not anybody answered. */
  critiqueRequested: z.literal(true).optional(),
  critique: z.strictObject({ text: z.string(), model: z.string(), timestamp: z.string() }).optional(),
});
export type Thought = z.infer<typeof thoughtSchema>;

/** A thought of the main line that asks for no other one is the last, as its author said. */
export const endsSession = ({
  branchId,
  nextThoughtNeeded,
}: Pick<Thought, "branchId" | "nextThoughtNeeded">): boolean => branchId === undefined && !nextThoughtNeeded;

/** A thought with its place in the session's hash chain. `position` counts arrivals from 1. */
export type ChainedThought = {
  sessionId: string;
  seq: number;
  position: number;
  salt: string;
  prevHash: string;
  hash: string;
  data: Thought;
};

/** A hostile text can name a quarter of a million references; nobody reads more than these. */
const max = { steps: 200, references: 64 };

/** The steps of a thought written in cipher, `undefined` for prose. The contents stay in the text itself. */
export function readCipher(text: string): StoredStep[] | undefined {
  const parsed = parseCipher(text);
  return parsed && keepSteps(parsed);
}

/** What is stored of a parse. */
export function keepSteps({ steps }: CipherParse): StoredStep[] {
  return steps.slice(0, max.steps).map(({ number, type, references }) => ({
    number,
    type,
    references: references.slice(0, max.references).map(({ number: target, to, revises }) => ({
      number: target,
      ...(to !== undefined && { to }),
      ...(revises && { revises: true as const }),
    })),
  }));
}
