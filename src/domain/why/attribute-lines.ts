import type { LineHash } from "../actions/action.ts";
import type { KnownEdit, Occurrence, Occurrences } from "./known-edits.ts";

/** The times between which a commit's lines were written, in milliseconds since 1970. */
export type CommitTimes = {
  /** The time of the first parent. Absent for a root commit. */
  parentAuthored?: number | undefined;
  authored: number;
  committed: number;
};

/** A line of a file as it is now, and the commit that git blames for it. */
export type BlamedLine = {
  /** The number of characters without white space. */
  chars: number;
  hash: LineHash;
  commit: string;
  /** The commit of the original line, if `commit` copied the line. */
  copyOf?: string | undefined;
};

export type BlamedFile = {
  lines: readonly BlamedLine[];
  commits: ReadonlyMap<string, CommitTimes>;
  /** Lines that edits to this file wrote, including under its earlier names. */
  here: Occurrences;
  /** Lines that edits to any file wrote around the time of the commits. */
  anywhere: Occurrences;
  /** The time when an edit to this file first contained each line as context. */
  shown?: ReadonlyMap<LineHash, number>;
  /** The start of a session. `undefined` if the start is unknown. */
  startOf?: (sessionId: string) => number | undefined;
};

/**
 * `win`: written between the previous commit and this one. `late`: written later, before the commit was amended or
 * rebased. `old`: written before the previous commit. `move`: written by an edit to another file. `fill`: taken from
 * the neighbouring lines. `commit`: taken from the commit's main writer.
 */
export type MatchClass = "win" | "late" | "old" | "move" | "fill" | "commit";

export type Attribution = {
  known: KnownEdit;
  class: MatchClass;
  /** How many consecutive lines match. */
  run: number;
  /** How many other edits could have written the line. */
  others: number;
  /** Set if the file repeats the line and no neighbouring line distinguishes the places. */
  isVague?: true;
};

const minute = 60_000;
const bounds = {
  beforeParent: 5 * minute,
  rebased: 240 * minute,
  longestWindow: 90 * 24 * 60 * minute,
  afterCommit: 2 * minute,
  reach: 12,
  shortLine: 8,
  longLine: 40,
  movedLine: 12,
  /** The minimum length of a run of moved lines, in characters. Shorter runs occur in many files. */
  movedRun: 40,
  fillReach: 8,
  commitLines: 5,
  commitShare: 0.9,
  sureRun: 6,
  weakRun: 4,
} as const;

type Match = {
  known: KnownEdit;
  class: "win" | "late" | "old";
  run: number;
  /** How many of the consecutive matching lines are above this one. */
  above: number;
  /** How many characters the consecutive matching lines have in total. */
  chars: number;
};

type Found = readonly (Attribution | undefined)[];

/**
 * Finds, by the text of each line, the edit that wrote the line. `undefined` if no known edit wrote the line,
 * or if the line was not requested.
 */
export function matchLines(file: BlamedFile, isAsked: (at: number) => boolean = () => true): Found {
  const searched = toSearched(file);
  return file.lines.map((_, at) =>
    isAsked(at) ? (findHere(searched, at) ?? findElsewhere(searched, at)) : undefined,
  );
}

/** True if neither neighbouring lines nor the rest of the commit can change the result for a line. */
export const isSettled = (found: Attribution | undefined): boolean => found !== undefined && !isWeak(found);

const isWeak = ({ class: kind, run }: Attribution): boolean =>
  (kind === "old" || kind === "move") && run < bounds.weakRun;

/** For each commit, how many lines each lineage wrote between the previous commit and this one. */
export type WriterCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Adds one file's results to the counts. Ignores lines that are not in class `win`. */
export function countWriters(
  lines: readonly BlamedLine[],
  found: Found,
  counts: WriterCounts = new Map(),
): WriterCounts {
  const sums = new Map([...counts].map(([commit, count]) => [commit, new Map(count)]));
  found.forEach((attribution, at) => {
    if (attribution?.class !== "win") return;
    const commit = lines[at]?.commit ?? "";
    const count = sums.get(commit) ?? new Map<string, number>();
    sums.set(commit, count.set(attribution.known.lineage, (count.get(attribution.known.lineage) ?? 0) + 1));
  });
  return sums;
}

function findHere(file: Searched, at: number): Attribution | undefined {
  const line = file.lines[at];
  if (!line) return undefined;
  const isShort = line.chars < bounds.shortLine;
  const isLong = line.chars >= bounds.longLine;
  return findBest(file, at, file.here.get(line.hash), ({ class: kind, run }) =>
    kind === "old" ? run >= 3 || isLong : !isShort || run >= 2,
  );
}

function findElsewhere(file: Searched, at: number): Attribution | undefined {
  const line = file.lines[at];
  if (!line || line.chars < bounds.movedLine) return undefined;
  const chosen = findBest(
    file,
    at,
    file.anywhere.get(line.hash),
    ({ class: kind, run, chars }) => kind !== "old" && run >= 2 && chars >= bounds.movedRun,
  );
  return chosen && { ...chosen, class: "move" };
}

/** Finds the best match. Avoids allocations, because a line such as `}` occurs in thousands of places. */
function findBest(
  file: Searched,
  at: number,
  occurrences: readonly Occurrence[] | undefined,
  isAdmitted: (match: Match) => boolean,
): Attribution | undefined {
  const times = file.commits.get(file.lines[at]?.commit ?? "");
  if (!times || !occurrences) return undefined;
  const copyOf = file.lines[at]?.copyOf;
  const original = copyOf === undefined ? undefined : file.commits.get(copyOf);
  let best: Match | undefined;
  const edits = new Set<KnownEdit>();
  for (const occurrence of occurrences) {
    const kind = classOf(file, occurrence.known, times);
    // The edit that wrote the original did not write the copy.
    if (!kind || (original && occurrence.known.time <= original.authored)) continue;
    const match = measureRun(file, at, occurrence, kind);
    if (!isAdmitted(match)) continue;
    edits.add(match.known);
    if (!best || isBetter(match, best)) best = match;
  }
  return (
    best && {
      known: best.known,
      class: best.class,
      run: best.run,
      others: edits.size - 1,
      ...vague(file, at, best),
    }
  );
}

/** Marks a match as vague if the file repeats the line and no matching neighbour occurs only once. */
function vague({ lines, isOnce }: Searched, at: number, { above, run }: Match): { isVague?: true } {
  const line = lines[at];
  if (!line || isOnce(line)) return {};
  const near = lines.slice(at - above, at - above + run);
  return near.some((one) => one.chars >= bounds.shortLine && isOnce(one)) ? {} : { isVague: true };
}

type Searched = BlamedFile & { isOnce(line: BlamedLine): boolean };

/** Counts the file's lines on demand. */
function toSearched(file: BlamedFile): Searched {
  let counts: Map<LineHash, number> | undefined;
  return {
    ...file,
    isOnce({ hash }) {
      if (!counts) {
        counts = new Map();
        for (const one of file.lines) counts.set(one.hash, (counts.get(one.hash) ?? 0) + 1);
      }
      return counts.get(hash) === 1;
    },
  };
}

/**
 * Classifies an edit by its time. A session that began after the commit's author time cannot have written the
 * line, even if someone rebased the commit later.
 */
function classOf(
  { startOf }: Pick<BlamedFile, "startOf">,
  known: KnownEdit,
  times: CommitTimes,
): Match["class"] | undefined {
  const kind = classify(known.time, times);
  if (kind !== "late" || !startOf) return kind;
  const isLater = (start: number | undefined) =>
    start !== undefined && start > times.authored + bounds.afterCommit;
  return known.places.every(({ sessionId }) => isLater(startOf(sessionId))) ? undefined : kind;
}

/** True if only the start time of an edit's session can rule the edit out. */
export const isLate = (time: number, times: CommitTimes): boolean => classify(time, times) === "late";

/** Returns the period whose edits may be in this commit, at most 90 days. */
export function writtenWithin({ parentAuthored, authored, committed }: CommitTimes): {
  from: number;
  to: number;
} {
  const to = Math.max(authored, committed) + bounds.afterCommit;
  return { from: Math.max(windowStart(parentAuthored, authored), to - bounds.longestWindow), to };
}

function classify(
  time: number,
  { parentAuthored, authored, committed }: CommitTimes,
): Match["class"] | undefined {
  if (time > Math.max(authored, committed) + bounds.afterCommit) return undefined;
  if (time > authored + bounds.afterCommit) return "late";
  return time >= windowStart(parentAuthored, authored) ? "win" : "old";
}

/**
 * Returns the start of a commit's window. A rebased commit keeps its author time, but its new parent may be
 * newer. In that case, ignores the parent's time.
 */
function windowStart(parentAuthored: number | undefined, authored: number): number {
  if (parentAuthored === undefined) return Number.NEGATIVE_INFINITY;
  return parentAuthored > authored ? authored - bounds.rebased : parentAuthored - bounds.beforeParent;
}

/** Measures consecutive lines of the same commit that are also consecutive in the edit. */
function measureRun(
  { lines }: BlamedFile,
  at: number,
  { known, index }: Occurrence,
  kind: Match["class"],
): Match {
  const edited = known.edit.lines;
  const line = lines[at];
  const match: Match = { known, class: kind, run: 1, above: 0, chars: line?.chars ?? 0 };
  for (const direction of [-1, 1]) {
    for (let step = 1; step <= bounds.reach; step += 1) {
      if (edited[direction < 0 ? index - step + 1 : index + step]?.begins) break;
      const next = lines[at + direction * step];
      if (!next || next.commit !== line?.commit || next.hash !== edited[index + direction * step]?.hash)
        break;
      match.run += 1;
      if (direction < 0) match.above += 1;
      match.chars += next.chars;
    }
  }
  return match;
}

const rank = ({ class: kind, run }: Match): number =>
  kind === "win" ? 3 : kind === "late" || run >= bounds.sureRun ? 2 : 1;

function isBetter(a: Match, b: Match): boolean {
  const byRank = rank(a) - rank(b);
  if (byRank !== 0) return byRank > 0;
  const byRun = Math.min(a.run, bounds.sureRun) - Math.min(b.run, bounds.sureRun);
  return byRun === 0 ? a.known.time > b.known.time : byRun > 0;
}

/** Attributes the remaining lines to the same writer as their neighbours, or to the commit's main writer. */
export function settleLines(
  file: BlamedFile,
  found: Found,
  counts: WriterCounts,
  isAsked: (at: number) => boolean = () => true,
): Found {
  let newest: ReadonlyMap<string, readonly KnownEdit[]> | undefined;
  return found.map((attribution, at) => {
    if (!isAsked(at) || (attribution && isSettled(attribution))) return attribution;
    const commit = file.lines[at]?.commit ?? "";
    const writer = mainWriter(counts.get(commit));
    if (!attribution) {
      const guess = fillFrom(file, found, at) ?? byCommit(commit, writer);
      return guess && isDisproved(file, at, guess.known.lineage) ? undefined : guess;
    }
    return writer === undefined || attribution.known.lineage === writer
      ? attribution
      : (byCommit(commit, writer) ?? attribution);
  });

  /** Attributes a line to the lineage's newest edit to this file before the commit. */
  function byCommit(commit: string, lineage: string | undefined): Attribution | undefined {
    const times = file.commits.get(commit);
    if (lineage === undefined) return undefined;
    newest ??= newestEdits(file.here);
    const edits = newest.get(lineage);
    const known = times && edits?.find((one) => classOf(file, one, times));
    return known && { known, class: "commit", run: 0, others: 0 };
  }
}

/** Returns the lineage that wrote nearly all lines of a commit, or `undefined` if there is none. */
function mainWriter(count: ReadonlyMap<string, number> | undefined): string | undefined {
  if (!count) return undefined;
  const all = [...count.values()].reduce((sum, lines) => sum + lines, 0);
  const [most] = [...count].sort(([, a], [, b]) => b - a);
  const isMain = most && all >= bounds.commitLines && most[1] >= all * bounds.commitShare;
  return isMain ? most[0] : undefined;
}

/** Returns the edits of each lineage, newest first. */
function newestEdits(here: Occurrences): ReadonlyMap<string, readonly KnownEdit[]> {
  const edits = new Set([...here.values()].flatMap((list) => list.map(({ known }) => known)));
  const byLineage = new Map<string, KnownEdit[]>();
  for (const known of [...edits].sort((a, b) => b.time - a.time))
    byLineage.set(known.lineage, [...(byLineage.get(known.lineage) ?? []), known]);
  return byLineage;
}

function fillFrom(file: BlamedFile, found: Found, at: number): Attribution | undefined {
  const above = nearestWin(file, found, at, -1);
  const below = nearestWin(file, found, at, 1);
  if (!above || !below || above.known.lineage !== below.known.lineage) return undefined;
  return { known: above.known, class: "fill", run: 0, others: 0 };
}

/**
 * True if the transcripts show that a lineage did not write a line: another lineage wrote it, or it was in the file
 * before the lineage's first edit. None of the lineage's edits contains the line.
 */
function isDisproved(file: BlamedFile, at: number, lineage: string): boolean {
  const line = file.lines[at];
  const times = line && file.commits.get(line.commit);
  if (!line || !times || line.chars < bounds.movedLine) return false;
  const written = file.here.get(line.hash) ?? [];
  if (written.some(({ known }) => known.lineage !== lineage && classify(known.time, times))) return true;
  const shown = file.shown?.get(line.hash);
  if (shown === undefined) return false;
  let first = Number.POSITIVE_INFINITY;
  for (const list of file.here.values())
    for (const { known } of list)
      if (known.lineage === lineage && classify(known.time, times) === "win")
        first = Math.min(first, known.time);
  return shown <= first;
}

function nearestWin({ lines }: BlamedFile, found: Found, at: number, step: 1 | -1): Attribution | undefined {
  for (let away = 1; away <= bounds.fillReach; away += 1) {
    const near = at + away * step;
    if (lines[near]?.commit === lines[at]?.commit && found[near]?.class === "win") return found[near];
  }
  return undefined;
}
