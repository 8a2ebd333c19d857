import { isContradicted } from "./beliefs.ts";
import { type Columns, NONE } from "./columns.ts";
import { CONCLUSION, EVIDENCE, REJECTED } from "./thought-types.ts";

/** One of two compared lines, starting with the thought after their fork. */
export type Side = {
  chain: number;
  thoughts: readonly number[];
  /**
   * The line's last rejection, or its last conclusion that still applies, whichever is later. `NONE` if the
   * line has neither.
   */
  fate: number;
  evidence: readonly number[];
  revised: number;
  /** Milliseconds from the fork to the line's last thought. */
  took: number;
};

export type Comparison = {
  /** The last thought that both lines share, or `NONE`. */
  fork: number;
  left: Side;
  right: Side;
  /** One row for each step after the fork. If a line is shorter, its side is `NONE` in the remaining rows. */
  rows: readonly { left: number; right: number }[];
  /** Evidence before the fork, newest first. */
  shared: readonly number[];
};

/** Returns the path from the session's first thought to a chain's last thought at a moment. */
export function lineOf(columns: Columns, chain: number, moment: number): number[] {
  const line: number[] = [];
  let i = columns.chains[chain]?.thoughts.findLast((thought) => thought <= moment) ?? NONE;
  for (; i >= 0; i = columns.parent[i] ?? NONE) line.push(i);
  return line.reverse();
}

export function compareLines(columns: Columns, left: number, right: number, moment: number): Comparison {
  const a = lineOf(columns, left, moment);
  const b = lineOf(columns, right, moment);
  let common = 0;
  while (common < a.length && a[common] === b[common]) common++;
  const fork = a[common - 1] ?? NONE;
  const sides = [
    sideOf(columns, left, { line: a, common, moment }),
    sideOf(columns, right, { line: b, common, moment }),
  ] as const;
  const steps = Math.max(sides[0].thoughts.length, sides[1].thoughts.length);
  return {
    fork,
    left: sides[0],
    right: sides[1],
    rows: Array.from({ length: steps }, (_, k) => ({
      left: sides[0].thoughts[k] ?? NONE,
      right: sides[1].thoughts[k] ?? NONE,
    })),
    shared: a
      .slice(0, common)
      .filter((i) => columns.type[i] === EVIDENCE)
      .reverse(),
  };
}

/** Returns a line, starting with its first thought. */
export const wholeSide = (columns: Columns, chain: number, moment: number): Side =>
  sideOf(columns, chain, { line: lineOf(columns, chain, moment), common: 0, moment });

type Line = { line: readonly number[]; common: number; moment: number };

function sideOf(columns: Columns, chain: number, { line, common, moment }: Line): Side {
  const { type, time, revises, revisedBy, rejectedBy } = columns;
  const isBefore = (by: number | undefined) => by !== undefined && by >= 0 && by <= moment;
  const isDropped = (i: number) =>
    isBefore(revisedBy[i]) || isBefore(rejectedBy[i]) || isContradicted(columns, i, moment);
  const thoughts = line.slice(common);
  const from = line[common - 1] ?? thoughts[0] ?? NONE;
  const last = thoughts.at(-1);
  return {
    chain,
    thoughts,
    fate: thoughts.findLast((i) => (type[i] === CONCLUSION && !isDropped(i)) || type[i] === REJECTED) ?? NONE,
    evidence: thoughts.filter((i) => type[i] === EVIDENCE),
    revised: thoughts.filter((i) => (revises[i] ?? NONE) >= 0).length,
    took: last === undefined ? 0 : (time[last] ?? 0) - (time[from] ?? 0),
  };
}
