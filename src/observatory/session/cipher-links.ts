import { type Link, resolveLinks } from "../../domain/analysis/rejections.ts";
import { createStepChains } from "../../domain/analysis/step-chains.ts";
import { parseCipher } from "../../domain/cipher/parse.ts";
import type { Address } from "../../domain/ledger/address.ts";
import type { Thought } from "../../domain/ledger/thought.ts";
import type { LinkRelation, ThoughtLink } from "../wire.ts";

/** A hostile text can name thousands; nobody follows more. */
const maxLinks = 64;

/** Revisions have a field of their own on the wire. */
const relations: Record<Link["relation"], LinkRelation | undefined> = {
  rests_on: "supports",
  supports: "supports",
  against: "contradicts",
  rejects: "rejects",
  revises: undefined,
};

/**
 * What the cipher of each thought says of earlier ones, by the rule that the whole ledger reads it with. Thoughts are
 * given in the order they arrived; `find` turns an address into a position, 0 where there is none.
 */
export function createCipherLinks(find: (address: Address) => number) {
  const chains = createStepChains();
  return (data: Thought): ThoughtLink[] => {
    const steps = data.cipher ? (parseCipher(data.thought)?.steps ?? []) : [];
    chains.open(data);
    const types = new Map(steps.map(({ number, type }) => [number, type]));
    const links = new Map<number, LinkRelation>();
    for (const { from, to, relation } of resolveLinks(data, steps, types, chains.find)) {
      if (links.size === maxLinks) break;
      const isOwn = from.branchId === data.branchId && from.thoughtNumber === data.thoughtNumber;
      const [target, named] = [isOwn ? find(to) : 0, relations[relation]];
      if (target > 0 && named !== undefined) links.set(target, named);
    }
    chains.add(data, steps);
    return [...links].map(([to, relation]) => ({ relation, to }));
  };
}
