import { type Columns, MAIN } from "./columns.ts";
import { REJECTED } from "./thought-types.ts";

/** The state of a thought at a moment. */
export const STATE = { believed: 0, replaced: 1, rejected: 2, deadEnd: 3, later: 4 } as const;

/** A moment that always means the newest thought. */
export const NOW = Number.POSITIVE_INFINITY;

/** The state of each thought after thought `moment` was recorded. `NOW` follows the live session. */
export type Beliefs = {
  readonly moment: number;
  /** One of `STATE` for each thought. Read the array again after calling `at`. */
  readonly state: Uint8Array;
  /** 1 for chains whose last thought at that moment is a rejection. */
  readonly deadChain: Uint8Array;
  /** Computes everything for a moment. Call this again after appending thoughts. */
  at(moment: number): void;
};

/** Returns a chain's last thought at a moment, or `-1` if none existed. Chains are in order of arrival. */
export function lastAt(thoughts: readonly number[], moment: number): number {
  let low = 0;
  let high = thoughts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((thoughts[middle] ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? -1 : (thoughts[low - 1] ?? -1);
}

/** Returns whether a thought that is neither replaced nor rejected at a moment contradicts this one. */
export function isContradicted(columns: Columns, thought: number, moment: number): boolean {
  const { links, revisedBy, rejectedBy } = columns;
  const isBefore = (by: number | undefined) => by !== undefined && by >= 0 && by <= moment;
  return links
    .to(thought)
    .some(
      ({ relation, thought: by }) =>
        relation === "contradicts" && by <= moment && !isBefore(revisedBy[by]) && !isBefore(rejectedBy[by]),
    );
}

export function createBeliefs(columns: Columns): Beliefs {
  let moment = NOW;
  let state = new Uint8Array(0);
  let deadChain = new Uint8Array(0);
  /** The number of thoughts in the last computation. */
  let known = -1;

  function at(wanted: number): void {
    // Beliefs change with the moment and with new thoughts, but not with text that loads later.
    if (wanted === moment && columns.size === known) return;
    moment = wanted;
    known = columns.size;
    const { size, chain, chains, type, revisedBy, rejectedBy } = columns;
    if (state.length < size) state = new Uint8Array(Math.max(256, size * 2));
    if (deadChain.length < chains.length) deadChain = new Uint8Array(Math.max(16, chains.length * 2));
    for (let c = 0; c < chains.length; c++) {
      const last = c === MAIN ? -1 : lastAt(chains[c]?.thoughts ?? [], wanted);
      deadChain[c] = last >= 0 && type[last] === REJECTED ? 1 : 0;
    }
    for (let i = 0; i < size; i++) {
      const revised = revisedBy[i] as number;
      const rejected = rejectedBy[i] as number;
      if (i > wanted) state[i] = STATE.later;
      else if (deadChain[chain[i] as number] === 1) state[i] = STATE.deadEnd;
      else if (revised >= 0 && revised <= wanted) state[i] = STATE.replaced;
      else if (rejected >= 0 && rejected <= wanted) state[i] = STATE.rejected;
      else state[i] = STATE.believed;
    }
  }
  at(NOW);

  return {
    get moment() {
      return moment;
    },
    get state() {
      return state;
    },
    get deadChain() {
      return deadChain;
    },
    at,
  };
}
