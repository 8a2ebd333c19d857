import { deriveEdges } from "../../domain/cipher/edges.ts";
import { parseCipher } from "../../domain/cipher/parse.ts";
import type { Thought } from "../../domain/ledger/thought.ts";
import type { LinkRelation, ThoughtLink } from "../wire.ts";

/** A hostile text can name thousands; nobody follows more. */
const maxLinks = 64;

/** What a thought's cipher says of other thoughts; `find` turns a step number into a position, 0 where there is none. */
export function cipherLinks(
  { thought, cipher }: Thought,
  position: number,
  find: (number: number) => number,
): ThoughtLink[] {
  if (!cipher) return [];
  const steps = parseCipher(thought)?.steps ?? [];
  const own = new Set(steps.map(({ number }) => number));
  const links = new Map<number, LinkRelation>();
  for (const { from, to, relation } of deriveEdges(steps)) {
    if (links.size === maxLinks) break;
    const target = own.has(from) && !own.has(to) && relation !== "revises" ? find(to) : 0;
    if (target > 0 && target !== position) links.set(target, relation as LinkRelation);
  }
  return [...links].map(([to, relation]) => ({ relation, to }));
}
