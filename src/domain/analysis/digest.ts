import * as z from "zod";
import { clip } from "../../kernel/text.ts";
import { parseCipher } from "../cipher/parse.ts";
import { nodeId } from "../ledger/address.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";
import { type CipherGraph, cipherGraphOf } from "./cipher-graph.ts";

const lineSchema = z.strictObject({
  thoughtNumber: z.int(),
  branchId: z.string().optional(),
  text: z.string(),
});

export const digestSchema = z.strictObject({
  conclusions: z.array(lineSchema),
  openQuestions: z.array(lineSchema),
  rejected: z.array(lineSchema.extend({ why: z.string().optional() })),
  branches: z.array(lineSchema.extend({ branchId: z.string(), rejected: z.literal(true).optional() })),
  /** Thoughts before these are not summed up. */
  since: z.int().optional(),
});
export type Digest = z.infer<typeof digestSchema>;
type Line = z.infer<typeof lineSchema>;

/** The newest of each kind. */
const most = 8;
const longest = 160;

/** Where a line of reasoning stands: what was concluded, what is open, what was given up, where its branches got to. */
export function digestOf(thoughts: readonly ChainedThought[]): Digest {
  const graph = cipherGraphOf(thoughts);
  const all = thoughts.map(({ data }) => data);
  const texts = new Map(all.map((data) => [nodeId("", data), data]));
  const stands = (data: Thought) =>
    !graph.isRejected(data) && !graph.edgesTo(data).some(({ relation }) => relation === "revises");
  const concludes = (data: Thought) =>
    hasType(data, "C") || (!data.cipher && !data.nextThoughtNeeded && data.branchId === undefined);
  const first = thoughts[0]?.position ?? 1;
  return {
    conclusions: newest(all.filter((data) => concludes(data) && stands(data))),
    openQuestions: newest(
      all.filter((data) => hasType(data, "Q") && stands(data) && graph.edgesTo(data).length === 0),
    ),
    rejected: all
      .filter((data) => graph.isRejected(data) || isRefuted(data, graph))
      .slice(-most)
      .map((data) => ({ ...lineOf(data), ...reasonOf(data, graph, texts) })),
    branches: lastOfBranches(all).map((data) => ({
      ...lineOf(data),
      branchId: data.branchId ?? "",
      ...((hasType(data, "X") || graph.isRejected(data)) && { rejected: true as const }),
    })),
    ...(first > 1 && { since: first }),
  };
}

const hasType = ({ cipher }: Thought, type: string): boolean =>
  cipher?.some((step) => step.type === type) ?? false;

const isRefuted = (data: Thought, graph: CipherGraph): boolean =>
  hasType(data, "H") && graph.edgesTo(data).some(({ relation }) => relation === "against");

function reasonOf(data: Thought, graph: CipherGraph, texts: ReadonlyMap<string, Thought>): { why?: string } {
  const against = graph
    .edgesTo(data)
    .findLast(({ relation }) => relation === "rejects" || relation === "against");
  const by = against && texts.get(nodeId("", against.from));
  return by ? { why: lineOf(by).text } : {};
}

const newest = (thoughts: readonly Thought[]): Line[] => thoughts.slice(-most).map(lineOf);

function lineOf(data: Thought): Line {
  const { thoughtNumber, branchId, thought } = data;
  const words = (data.cipher && parseCipher(thought)?.steps[0]?.content) || thought;
  const line = words.trim().replaceAll(/\s+/g, " ");
  const text = line.length <= longest ? line : `${clip(line, longest - 1)}…`;
  return { thoughtNumber, ...(branchId !== undefined && { branchId }), text };
}

function lastOfBranches(thoughts: readonly Thought[]): Thought[] {
  const last = new Map<string, Thought>();
  for (const data of thoughts) {
    if (data.branchId === undefined) continue;
    last.delete(data.branchId);
    last.set(data.branchId, data);
  }
  return [...last.values()].slice(-most);
}
