import * as z from "zod";
import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import type { CipherStep } from "../cipher/notation.ts";
import { parseCipher } from "../cipher/parse.ts";
import { branchOutcomes, closingsIn } from "../ledger/branch-closing.ts";
import { type ChainedThought, endsSession, nodeId, type Thought } from "../ledger/thought.ts";
import { type CipherGraph, cipherGraphOf, isDeadEnd } from "./cipher-graph.ts";

const lineSchema = z.strictObject({
  thoughtNumber: z.int(),
  branchId: z.string().optional(),
  text: z.string(),
});

export const digestSchema = z.strictObject({
  conclusions: z.array(lineSchema),
  openQuestions: z.array(lineSchema),
  rejected: z.array(lineSchema.extend({ why: z.string().optional() })),
  branches: z.array(
    lineSchema.extend({
      branchId: z.string(),
      rejected: z.literal(true).optional(),
      closed: z.enum(branchOutcomes).optional(),
    }),
  ),
  /** How many older items of each kind were omitted. */
  notShown: z
    .strictObject({
      conclusions: z.int().optional(),
      openQuestions: z.int().optional(),
      rejected: z.int().optional(),
      branches: z.int().optional(),
    })
    .optional(),
  /** The first thought in the summary. Set only if there are earlier thoughts. */
  since: z.int().optional(),
});
export type Digest = z.infer<typeof digestSchema>;
type Line = z.infer<typeof lineSchema>;

const maxLines = 8;
const longest = 160;

/** Summarises a line of reasoning: its conclusions, open questions, rejected thoughts and branches. */
export function digestOf(
  thoughts: readonly ChainedThought[],
  graph: CipherGraph = cipherGraphOf(thoughts),
): Digest {
  const all = thoughts.map(({ data }) => data);
  const texts = new Map(all.map((data) => [nodeId("", data), data]));
  const stands = (data: Thought) => graph.standingOf(data) === "stands";
  const concludes = (data: Thought) => hasType(data, "C") || (!data.cipher && endsSession(data));
  const closings = closingsIn(thoughts);
  const first = thoughts[0]?.position ?? 1;
  const conclusions = all.filter((data) => concludes(data) && stands(data));
  const openQuestions = all.filter(
    (data) => hasType(data, "Q") && stands(data) && graph.edgesTo(data).length === 0,
  );
  const rejected = all.flatMap((data) => rejectedOf(data, graph));
  const branches = lastOfBranches(all);
  const notShown = countNotShown({ conclusions, openQuestions, rejected, branches });
  return {
    conclusions: newest(conclusions, "C"),
    openQuestions: newest(openQuestions, "Q"),
    rejected: rejected
      .slice(-maxLines)
      .map(({ data, isIt }) => ({ ...lineOf(data, isIt), ...reasonOf(data, graph, texts) })),
    branches: branches.slice(-maxLines).map((data) => {
      const branchId = data.branchId ?? "";
      const closed = closings.get(branchId)?.outcome;
      const isRejected = isDeadEnd(graph, data) || closed === "abandoned";
      return {
        ...lineOf(data, () => true),
        branchId,
        ...(isRejected && { rejected: true as const }),
        ...(closed && { closed }),
      };
    }),
    ...(notShown && { notShown }),
    ...(first > 1 && { since: first }),
  };
}

function countNotShown(kinds: Record<string, readonly unknown[]>): Digest["notShown"] {
  const cut = Object.entries(kinds).flatMap(([kind, { length }]) =>
    length > maxLines ? [[kind, length - maxLines] as const] : [],
  );
  return cut.length > 0 ? Object.fromEntries(cut) : undefined;
}

const hasType = ({ cipher }: Thought, type: string): boolean =>
  cipher?.some((step) => step.type === type) ?? false;

type IsStep = (step: CipherStep) => boolean;

/**
 * Returns the whole thought if it was rejected. For any other thought, returns its rejected steps, its
 * contradicted conclusion or its refuted hypothesis.
 */
function rejectedOf(data: Thought, graph: CipherGraph): { data: Thought; isIt?: IsStep }[] {
  if (graph.isRejected(data)) return [{ data }];
  const steps = graph.rejectedSteps(data);
  if (steps.length > 0) return steps.map((number) => ({ data, isIt: (step) => step.number === number }));
  if (graph.standingOf(data) !== "contradicted") return [];
  if (hasType(data, "C")) return [{ data, isIt: ({ type }) => type === "C" }];
  return isRefuted(data, graph) ? [{ data, isIt: ({ type }) => type === "H" }] : [];
}

/** True for a hypothesis that evidence contradicts. */
const isRefuted = (data: Thought, graph: CipherGraph): boolean =>
  hasType(data, "H") &&
  graph
    .edgesTo(data)
    .some(({ relation, from }) => relation === "against" && graph.typesOf(from).includes("E"));

function reasonOf(data: Thought, graph: CipherGraph, texts: ReadonlyMap<string, Thought>): { why?: string } {
  const against = graph
    .edgesTo(data)
    .findLast(({ relation }) => relation === "rejects" || relation === "against");
  const by = against && texts.get(nodeId("", against.from));
  return by ? { why: lineOf(by).text } : {};
}

const newest = (thoughts: readonly Thought[], type: string): Line[] =>
  thoughts.slice(-maxLines).map((data) => lineOf(data, (step) => step.type === type));

/** Returns the last step for which `isIt` is true, or the first step if there is none. */
function lineOf(data: Thought, isIt: IsStep = () => false): Line {
  const { thoughtNumber, branchId, thought } = data;
  const steps = data.cipher ? (parseCipher(thought)?.steps ?? []) : [];
  const words = (steps.findLast(isIt) ?? steps[0])?.content || thought;
  const line = words.trim().replaceAll(/\s+/g, " ");
  const text = line.length <= longest ? line : `${clipWhole(line, longest - 1)}…`;
  return { thoughtNumber, ...(branchId !== undefined && { branchId }), text };
}

function lastOfBranches(thoughts: readonly Thought[]): Thought[] {
  const last = new Map<string, Thought>();
  for (const data of thoughts) {
    if (data.branchId === undefined) continue;
    last.delete(data.branchId);
    last.set(data.branchId, data);
  }
  return [...last.values()];
}
