import { cipherGraphOf } from "../../../domain/analysis/cipher-graph.ts";
import type { ThoughtRelation } from "../../../domain/analysis/thought-relations.ts";
import type { Address } from "../../../domain/ledger/address.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";

/** What a thought says of others, and whether it was given up, by which. */
export type ThoughtLinks = {
  links: { relation: ThoughtRelation; to: Address }[];
  rejected?: true;
  rejectedBy?: Address[];
};

/** For those who draw a whole session: the links of each thought, in the order of the thoughts. */
export function linkThoughts(thoughts: readonly ChainedThought[]): ThoughtLinks[] {
  const graph = cipherGraphOf(thoughts);
  return thoughts.map(({ data }) => {
    const rejectedBy = graph
      .edgesTo(data)
      .flatMap(({ relation, from }) => (relation === "rejects" ? [from] : []));
    return {
      links: graph.edgesFrom(data).map(({ relation, to }) => ({ relation, to })),
      ...(graph.isRejected(data) && { rejected: true as const }),
      ...(rejectedBy.length > 0 && { rejectedBy }),
    };
  });
}
