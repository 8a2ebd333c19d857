import { type Columns, MAIN, NONE } from "./model/columns.ts";
import { neighbouringConclusion } from "./model/story.ts";

/** Returns the thought to move to, or `NONE` if there is none. Thoughts after `until` do not exist yet. */
export type Move = (columns: Columns, from: number, until: number) => number;

const reached = (index: number | undefined, until: number): number =>
  index !== undefined && index >= 0 && index <= until ? index : NONE;

const next: Move = ({ chain, chains, place }, from, until) =>
  reached(chains[chain[from] ?? MAIN]?.thoughts[(place[from] ?? 0) + 1], until);

const previous: Move = ({ parent }, from) => parent[from] ?? NONE;

/** Moves into the first branch that forks here, or from the first thought of a branch to the next sibling branch. */
const intoBranch: Move = (columns, from, until) => {
  const { chain, chains, place } = columns;
  const begun = (at: number) =>
    columns.forksOf(at).filter((branch) => reached(chains[branch]?.thoughts[0], until) !== NONE);
  const here = begun(from);
  if (here.length > 0) return chains[here[0] ?? 0]?.thoughts[0] ?? NONE;
  const own = chain[from] ?? MAIN;
  if (own === MAIN || place[from] !== 0) return NONE;
  const siblings = begun(chains[own]?.fork ?? NONE);
  const beside = siblings[(siblings.indexOf(own) + 1) % siblings.length];
  return beside === undefined ? NONE : (chains[beside]?.thoughts[0] ?? NONE);
};

const toFork: Move = ({ chain, chains }, from) => chains[chain[from] ?? MAIN]?.fork ?? NONE;

const revision: Move = ({ revises, revisedBy }, from, until) => {
  const replaced = revises[from] ?? NONE;
  return replaced >= 0 ? replaced : reached(revisedBy[from], until);
};

const first: Move = ({ size }) => (size > 0 ? 0 : NONE);
const last: Move = ({ size }, _, until) => Math.min(size - 1, until);

export const moves = {
  next,
  previous,
  "into-branch": intoBranch,
  "to-fork": toFork,
  revision,
  first,
  last,
  "previous-conclusion": (columns, from, until) => neighbouringConclusion(columns, from, -1, until),
  "next-conclusion": (columns, from, until) => neighbouringConclusion(columns, from, 1, until),
} satisfies Record<string, Move>;

/** Returns the next or previous hit, wrapping around at the end. */
export function neighbouringHit(hits: readonly number[], from: number, step: 1 | -1): number {
  const found = step > 0 ? hits.find((hit) => hit > from) : hits.findLast((hit) => hit < from);
  return found ?? (step > 0 ? hits[0] : hits.at(-1)) ?? NONE;
}
