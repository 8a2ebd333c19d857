import { type Beliefs, isContradicted, STATE } from "./beliefs.ts";
import { type Columns, MAIN, NONE } from "./columns.ts";
import { CONCLUSION, PROSE, REJECTED, TYPES } from "./thought-types.ts";

/** A session in two sentences and four figures, at the moment of the given beliefs. */
export type Story = {
  /** The first thought, or `NONE` in an empty session. */
  began: number;
  /** The newest conclusion that had not been replaced or contradicted, on the main line if possible, or `NONE`. */
  stands: number;
  /** The last thought, if it is prose and the session has no conclusion, or `NONE`. */
  prose: number;
  thoughts: number;
  branches: number;
  revised: number;
  /** Number of abandoned thoughts. */
  deadEnds: number;
  /** Number of thoughts by type code. */
  ofType: Uint32Array;
};

export function storyAt(columns: Columns, beliefs: Beliefs): Story {
  const { chains, revises, type } = columns;
  const thoughts = Math.min(beliefs.moment + 1, columns.size);
  const ofType = new Uint32Array(TYPES.length);
  let revised = 0;
  let deadEnds = 0;
  for (let i = 0; i < thoughts; i++) {
    const code = type[i] as number;
    ofType[code] = (ofType[code] as number) + 1;
    if ((revises[i] as number) >= 0) revised++;
    if (isGivenUp(columns, i, thoughts)) deadEnds++;
  }
  let branches = 0;
  for (let c = 1; c < chains.length; c++) {
    if ((chains[c]?.thoughts[0] ?? columns.size) < thoughts) branches++;
  }
  const stands = newestConclusion(columns, beliefs, thoughts);
  const isProse = stands === NONE && thoughts > 0 && type[thoughts - 1] === PROSE;
  const prose = isProse ? thoughts - 1 : NONE;
  return { began: thoughts > 0 ? 0 : NONE, stands, prose, thoughts, branches, revised, deadEnds, ofType };
}

/** Returns whether a later thought rejects this one, or it is a rejection that refers to no other thought. */
function isGivenUp({ rejectedBy, revises, type, links }: Columns, i: number, thoughts: number): boolean {
  const by = rejectedBy[i] as number;
  if (by >= 0 && by < thoughts) return true;
  if (type[i] !== REJECTED || (revises[i] as number) >= 0) return false;
  return !links.from(i).some(({ relation }) => relation === "rejects" || relation === "contradicts");
}

function newestConclusion(columns: Columns, { state }: Beliefs, thoughts: number): number {
  const { chain, type } = columns;
  let elsewhere = NONE;
  for (let i = thoughts - 1; i >= 0; i--) {
    if (type[i] !== CONCLUSION || state[i] !== STATE.believed) continue;
    if (isContradicted(columns, i, thoughts - 1)) continue;
    if (chain[i] === MAIN) return i;
    if (elsewhere === NONE) elsewhere = i;
  }
  return elsewhere;
}

/** Returns the next or previous conclusion in order of arrival, or `NONE` at the end. */
export function neighbouringConclusion(columns: Columns, from: number, step: 1 | -1, until: number): number {
  const last = Math.min(until, columns.size - 1);
  for (let i = from + step; i >= 0 && i <= last; i += step) if (columns.type[i] === CONCLUSION) return i;
  return NONE;
}
