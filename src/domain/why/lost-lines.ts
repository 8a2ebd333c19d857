import type { Change, LineHash } from "../actions/action.ts";
import type { KnownEdit } from "./known-edits.ts";

/** Lines of another session that a change is about to remove. */
export type LostLines = {
  /** The newest edit that wrote one of these lines. */
  known: KnownEdit;
  lines: number;
};

/** The minimum loss for a notice. With these limits, at most 1 in 100 edits causes a notice. */
export const lostBounds = {
  lines: 12,
  /** The minimum number of lines for a session that is still running. */
  runningLines: 3,
  /** A session is treated as running if its last action was less than this long ago. */
  runningMs: 10 * 60_000,
} as const;

/**
 * Finds the session that loses the most lines. A line is lost if the change removes it and does not write it
 * again. Ignores lines that are too short to be distinctive, and lines that the caller's own sessions (`own`)
 * wrote later.
 */
export function findLost(
  { lines, removed }: Pick<Change, "lines" | "removed">,
  inFile: readonly KnownEdit[],
  own: ReadonlySet<string>,
): LostLines | undefined {
  const kept = new Set(lines.map(({ hash }) => hash));
  const gone = new Set(removed.filter((hash) => !kept.has(hash)));
  if (gone.size === 0) return undefined;
  const isOwn = ownLineages(inFile, own);
  const found = new Map<string, LostLines>();
  for (const known of newestWriters(gone, inFile).values()) {
    if (isOwn.has(known.lineage)) continue;
    const before = found.get(known.lineage);
    const newest = before && before.known.time >= known.time ? before.known : known;
    found.set(known.lineage, { known: newest, lines: (before?.lines ?? 0) + 1 });
  }
  return [...found.values()].sort((a, b) => b.lines - a.lines || b.known.time - a.known.time)[0];
}

const ownLineages = (inFile: readonly KnownEdit[], own: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    inFile.flatMap(({ lineage, places }) =>
      own.has(lineage) || places.some(({ sessionId }) => own.has(sessionId)) ? [lineage] : [],
    ),
  );

function newestWriters(
  gone: ReadonlySet<LineHash>,
  inFile: readonly KnownEdit[],
): ReadonlyMap<LineHash, KnownEdit> {
  const writers = new Map<LineHash, KnownEdit>();
  for (const known of inFile)
    for (const { hash, written, long } of known.edit.lines) {
      if (!written || !long || !gone.has(hash)) continue;
      const before = writers.get(hash);
      if (!before || before.time < known.time) writers.set(hash, known);
    }
  return writers;
}

/** True if the loss deserves a notice. */
export const isWorthSaying = ({ lines, known }: LostLines, isRunning: boolean, now: number): boolean =>
  lines >= lostBounds.lines ||
  (isRunning && now - known.time <= lostBounds.runningMs && lines >= lostBounds.runningLines);
