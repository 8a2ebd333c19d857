import type { ChangedHunk, FileAnswer, FileCommit, FileWriter } from "../../wire-files.ts";

/** Who added the lines, if known. */
type Edit = { by?: Omit<FileWriter, "n">; commit?: FileCommit };

/** A hunk, and the edit that added its lines. */
export type FoundHunk = Pick<ChangedHunk, "from" | "to" | "added" | "lines"> & { edit: Edit };

/** Added lines of one edit form one hunk if at most this many unchanged lines separate them. */
const mostBetween = 2;

/**
 * Finds what the commits changed in a file, from top to bottom. `pages` are consecutive, and the first one has the
 * removed lines. `texts` are the lines of the file.
 */
export function findHunks(
  pages: readonly FileAnswer[],
  commits: ReadonlySet<string>,
  texts: readonly string[],
): FoundHunk[] {
  const edits = pages.flatMap((page) => editsOf(page, commits));
  const removed = new Map<number, ChangedHunk["lines"]>();
  for (const { before, from, text } of pages[0]?.removed ?? []) {
    const gone = text.split("\n").map((line, n) => ({ old: from + n, text: line }));
    removed.set(before, [...(removed.get(before) ?? []), ...gone]);
  }
  const hunks: FoundHunk[] = [];
  let between: ChangedHunk["lines"] = [];
  const goneAt = (at: number) => removed.get(at) ?? [];
  for (const [index, edit] of edits.entries()) {
    const now = index + 1;
    const text = texts[index] ?? "";
    const gone = goneAt(now);
    const last = hunks.at(-1);
    if (!edit) {
      if (gone.length > 0) hunks.push({ from: now, to: now - 1, added: 0, lines: gone, edit: {} });
      between =
        gone.length > 0 ? [] : [...between, { now, text, isSame: true as const }].slice(-mostBetween - 1);
      continue;
    }
    const own = [...gone, { now, text }];
    if (last && last.added > 0 && isSame(last.edit, edit) && between.length <= mostBetween) {
      last.lines.push(...between, ...own);
      last.to = now;
      last.added += 1;
    } else hunks.push({ from: now, to: now, added: 1, lines: own, edit });
    between = [];
  }
  const end = edits.length + 1;
  const gone = goneAt(end);
  if (gone.length > 0) hunks.push({ from: end, to: end - 1, added: 0, lines: gone, edit: {} });
  return hunks;
}

/** Returns the edit that added each line, or `undefined` for lines that the commits did not add. */
function editsOf({ runs, writers, commits: named }: FileAnswer, commits: ReadonlySet<string>) {
  return runs.flatMap(({ from, to, writer, commit }) => {
    const { n: _number, ...by } = writers.find(({ n }) => n === writer) ?? { n: 0 };
    const made = named.find(({ sha }) => sha === commit);
    const isAdded = commit !== undefined && commits.has(commit);
    const edit: Edit = { ...("how" in by && { by }), ...(made && { commit: made }) };
    return Array.from({ length: to - from + 1 }, () => (isAdded ? edit : undefined));
  });
}

const isSame = (one: Edit, other: Edit): boolean =>
  one.by || other.by
    ? one.by?.thought === other.by?.thought && one.by?.sessionId === other.by?.sessionId
    : one.commit?.sha === other.commit?.sha;
