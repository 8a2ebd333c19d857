import type { Change, LineHash } from "../actions/action.ts";
import type { Attribution, MatchClass } from "./attribute-lines.ts";
import type { KnownEdit } from "./known-edits.ts";

/** Lines of one commit that the same known edit, or no known edit, wrote. Line numbers start at 1. */
export type LineGroup = {
  commit: string;
  numbers: readonly number[];
  found: Attribution | undefined;
};

/** Groups the requested lines, newest edit first. Lines without an edit are last. */
export function groupLines(
  commits: readonly string[],
  found: readonly (Attribution | undefined)[],
  { from, to }: { from: number; to: number },
): LineGroup[] {
  const groups = new Map<string, { commit: string; numbers: number[]; found: Attribution | undefined }>();
  for (let number = from; number <= to; number += 1) {
    const attribution = found[number - 1];
    const commit = commits[number - 1] ?? "";
    const key = `${commit}\n${attribution?.known.id ?? ""}`;
    const group = groups.get(key);
    if (!group) groups.set(key, { commit, numbers: [number], found: attribution });
    else {
      group.numbers.push(number);
      if (attribution && sureness(attribution) > sureness(group.found)) group.found = attribution;
    }
  }
  return [...groups.values()].sort(
    (a, b) =>
      (b.found?.known.time ?? Number.NEGATIVE_INFINITY) - (a.found?.known.time ?? Number.NEGATIVE_INFINITY),
  );
}

export type Sureness = "sure" | "likely" | "by-commit";

const surenesses: Record<MatchClass, Sureness> = {
  win: "sure",
  late: "sure",
  old: "likely",
  fill: "likely",
  move: "likely",
  commit: "by-commit",
};

export const howSure = ({ class: kind, isVague }: Pick<Attribution, "class" | "isVague">): Sureness =>
  isVague && surenesses[kind] === "sure" ? "likely" : surenesses[kind];

const sureness = (found: Attribution | undefined): number =>
  found === undefined ? -1 : ["by-commit", "likely", "sure"].indexOf(howSure(found));

/** Formats `[1, 2, 3, 7]` as `1-3, 7`. */
export function describeNumbers(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  const shown = runs.slice(0, 6).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return runs.length > 6 ? `${shown.join(", ")}, …` : shown.join(", ");
}

/** Returns the lines written in each hunk that contains one of the hashes. */
export function hunkOf({ lines }: Change, hashes: ReadonlySet<LineHash>): Set<LineHash> {
  const hunk = new Set<LineHash>();
  for (let from = 0; from < lines.length; ) {
    let to = from + 1;
    while (to < lines.length && !lines[to]?.begins) to += 1;
    const part = lines.slice(from, to);
    if (part.some(({ hash }) => hashes.has(hash)))
      for (const { hash, written } of part) if (written) hunk.add(hash);
    from = to;
  }
  return hunk;
}

/** Returns the lines that an edit wrote. Omits short lines such as `}`, which are in nearly every hunk. */
const written = ({ lines }: Change): LineHash[] =>
  lines.flatMap(({ hash, written: isWritten, long }) => (isWritten && long ? [hash] : []));

export type Undone = { known: KnownEdit; lines: number };

/** Finds earlier edits in the same lineage whose lines this edit removed. Ignores lines that still exist. */
export function findUndone(
  chosen: KnownEdit,
  inFile: readonly KnownEdit[],
  existing: ReadonlySet<LineHash>,
): Undone[] {
  const { removed } = chosen.edit;
  const gone = new Set(removed);
  return inFile.flatMap((known) => {
    if (known === chosen || known.lineage !== chosen.lineage || known.time >= chosen.time) return [];
    const lines = written(known.edit).filter((hash) => gone.has(hash) && !existing.has(hash)).length;
    return lines === 0 ? [] : [{ known, lines }];
  });
}

/** Finds later edits that removed or rewrote lines of the hunk. */
export function findLater(
  chosen: KnownEdit,
  hunk: ReadonlySet<LineHash>,
  inFile: readonly KnownEdit[],
): Undone[] {
  return inFile.flatMap((known) => {
    if (known === chosen || known.time <= chosen.time) return [];
    const touched = [...known.edit.removed, ...written(known.edit)].filter((hash) => hunk.has(hash));
    return touched.length === 0 ? [] : [{ known, lines: new Set(touched).size }];
  });
}
