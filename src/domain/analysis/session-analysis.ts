import * as z from "zod";
import { largest } from "../../kernel/numbers.ts";
import { closingOf } from "../ledger/branch-closing.ts";
import type { Session } from "../ledger/session.ts";
import type { ChainedThought } from "../ledger/thought.ts";
import { cipherFiguresOf, cipherFiguresSchema } from "./cipher-graph.ts";
import { branchesOf, durationOf, mainChainOf, type SessionShape } from "./session-shape.ts";

const share = z.number().min(0).max(1);

export const sessionAnalysisSchema = z.strictObject({
  sessionId: z.string(),
  metadata: z.strictObject({
    title: z.string(),
    tags: z.array(z.string()),
    thoughtCount: z.int(),
    branchCount: z.int(),
    revisionCount: z.int(),
    duration: z.int(),
    createdAt: z.string(),
    lastUpdatedAt: z.string(),
  }),
  structure: z.strictObject({
    linearityScore: share,
    revisionRate: share,
    maxDepth: z.int(),
    thoughtDensity: z.number(),
  }),
  quality: z.strictObject({
    critiqueRequests: z.int(),
    hasConvergence: z.boolean(),
    isComplete: z.boolean(),
  }),
  linearity: share,
  density: z.number(),
  completion: share,
  branchCount: z.int(),
  cipher: cipherFiguresSchema.optional(),
});
export type SessionAnalysis = z.infer<typeof sessionAnalysisSchema>;

/**
 * True for a conclusion that nothing later revised, rejected or contradicted. Prose is a conclusion if no
 * further thought is needed, or if it closes a branch.
 */
const settles = ({ graph }: SessionShape, { data }: ChainedThought): boolean => {
  const concludes = data.cipher
    ? data.cipher.some(({ type }) => type === "C")
    : !data.nextThoughtNeeded || closingOf(data.thought) !== undefined;
  return concludes && graph.standingOf(data) === "stands";
};

/** Computes figures about the whole session, including branches. The analysis guide explains each figure. */
export function analyzeSession(
  session: Session,
  shape: SessionShape,
  critiqueRequests: number,
): SessionAnalysis {
  const count = shape.thoughts.length;
  const branches = branchesOf(shape);
  const revisions = shape.revisions.length;
  const main = mainChainOf(shape);
  const newest = main.at(-1);
  const duration = durationOf(shape);
  const linearity = count === 0 ? 1 : round(Math.max(0, 1 - (revisions + forkPoints(shape)) / count));
  const cipher = cipherFiguresOf(shape);
  const density = duration === 0 ? 0 : round(count / (duration / 60_000));
  const lastBranchPosition = largest(branches.map(({ lastPosition }) => lastPosition));
  return {
    sessionId: session.id,
    metadata: {
      title: session.title,
      tags: session.tags,
      thoughtCount: count,
      branchCount: branches.length,
      revisionCount: revisions,
      duration,
      createdAt: session.createdAt,
      lastUpdatedAt: session.updatedAt,
    },
    structure: {
      linearityScore: linearity,
      revisionRate: count === 0 ? 0 : round(revisions / count),
      maxDepth: branches.length,
      thoughtDensity: density,
    },
    quality: {
      critiqueRequests,
      hasConvergence:
        branches.length > 0 &&
        main.some((entry) => entry.position > lastBranchPosition && settles(shape, entry)),
      isComplete: newest?.data.nextThoughtNeeded === false,
    },
    linearity,
    density,
    completion: newest ? round(Math.min(1, main.length / newest.data.totalThoughts)) : 0,
    branchCount: branches.length,
    ...(cipher && { cipher }),
  };
}

/** Counts the thoughts that at least one branch forks from. */
function forkPoints(shape: SessionShape): number {
  return new Set(branchesOf(shape).map(({ fork }) => `${fork?.branchId ?? ""}:${fork?.thoughtNumber}`)).size;
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
