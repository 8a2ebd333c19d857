import { cipherGraphInSteps, type ThoughtRelation } from "../../../domain/analysis/cipher-graph.ts";
import type { Address, ChainedThought, Thought } from "../../../domain/ledger/thought.ts";
import type { Steps } from "../../../kernel/steps.ts";

export type ThoughtLinks = {
  links: { relation: ThoughtRelation; to: Address }[];
  rejected?: true;
  rejectedBy?: Address[];
};

/** Returns the thoughts of a session in order, each with its links, for drawing the session. */
export function* linkThoughts(thoughts: readonly ChainedThought[]): Steps<(Thought & ThoughtLinks)[]> {
  const graph = yield* cipherGraphInSteps(thoughts);
  const linked: (Thought & ThoughtLinks)[] = [];
  for (const { data } of thoughts) {
    const rejectedBy = graph
      .edgesTo(data)
      .flatMap(({ relation, from }) => (relation === "rejects" ? [from] : []));
    linked.push({
      ...data,
      links: graph.edgesFrom(data).map(({ relation, to }) => ({ relation, to })),
      ...(graph.isRejected(data) && { rejected: true as const }),
      ...(rejectedBy.length > 0 && { rejectedBy }),
    });
    yield;
  }
  return linked;
}
