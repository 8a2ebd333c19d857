import type { ThoughtAnswer } from "../../../src/observatory/wire.ts";
import type {
  ChangesAnswer,
  FileAnswer,
  FileWriter,
  ReasonsAnswer,
} from "../../../src/observatory/wire-files.ts";
import type { Fetched, Get } from "../http.ts";

export type Reasons = ReasonsAnswer["answers"][number];
export type Pinned = NonNullable<ReasonsAnswer["pinned"]>[number];
type Commit = FileAnswer["commits"][number];

/** Adjacent lines from one edit, or from one commit that no transcript explains. */
export type FileBlock = {
  from: number;
  to: number;
  lines: readonly string[];
  writer: FileWriter | undefined;
  commit: Commit | undefined;
};

/** Lines that stood before line `before`, numbered from `from` as they were. */
export type Removed = { before: number; from: number; lines: readonly string[] };

export type FileWithReasons = {
  file: string;
  head: string | undefined;
  total: number;
  blocks: readonly FileBlock[];
  /** Set only if the page shows a range of commits, or the file is deleted. */
  removed: readonly Removed[];
  deleted: Commit | undefined;
  /** Whether the file is too long to be read completely. */
  isCut: boolean;
};

const MOST_PAGES = 12;

/** Reads a file with the writer of each line, page by page. */
export async function readFile(
  get: Get,
  file: string,
  abort: AbortSignal,
  since?: string,
): Promise<Fetched<FileWithReasons>> {
  const blocks: FileBlock[] = [];
  const removed: Removed[] = [];
  let from: number | undefined = 1;
  let last: FileAnswer | undefined;
  for (let page = 0; page < MOST_PAGES && from !== undefined; page += 1) {
    const fetched: Fetched<FileAnswer> = await get<FileAnswer>("/api/why", { file, from, since }, abort);
    if ("failed" in fetched) return fetched;
    last = fetched.answer;
    addBlocks(blocks, last);
    for (const { text, ...place } of last.removed ?? [])
      addRemoved(removed, { ...place, lines: text.split("\n") });
    from = last.next;
  }
  return {
    answer: {
      file: last?.file ?? file,
      head: last?.head,
      total: last?.total ?? 0,
      blocks,
      removed,
      deleted: last?.deleted,
      isCut: from !== undefined,
    },
  };
}

/** Long pieces arrive split. */
function addRemoved(removed: Removed[], one: Removed): void {
  const before = removed.at(-1);
  const isNext = before?.before === one.before && before.from + before.lines.length === one.from;
  if (before && isNext) removed[removed.length - 1] = { ...before, lines: [...before.lines, ...one.lines] };
  else removed.push(one);
}

function addBlocks(blocks: FileBlock[], { runs, writers, commits }: FileAnswer): void {
  for (const { from, to, writer: number, commit: sha, text = "" } of runs) {
    const writer = writers.find(({ n }) => n === number);
    const commit = commits.find((one) => one.sha === sha);
    const before = blocks.at(-1);
    const isSame = writer
      ? before?.writer?.thought === writer.thought && before?.writer?.sessionId === writer.sessionId
      : before && !before.writer && before.commit?.sha === commit?.sha;
    if (before && isSame && before.to + 1 === from)
      blocks[blocks.length - 1] = { ...before, to, lines: [...before.lines, ...text.split("\n")] };
    else blocks.push({ from, to, lines: text.split("\n"), writer, commit });
  }
}

export type Share = { explained: number; total: number };

/** How many lines of a file have a reason. `undefined` if it cannot be read here. */
export async function readShare(get: Get, file: string, abort: AbortSignal): Promise<Share | undefined> {
  const fetched = await get<FileAnswer>("/api/why", { file, text: "false" }, abort);
  if ("failed" in fetched) return undefined;
  const { runs, total } = fetched.answer;
  const known = runs.filter(({ writer }) => writer !== undefined);
  return { explained: known.reduce((sum, { from, to }) => sum + to - from + 1, 0), total };
}

export const readReasons = (
  get: Get,
  query: { file: string; line: number; to: number },
  abort: AbortSignal,
): Promise<Fetched<ReasonsAnswer>> => get<ReasonsAnswer>("/api/why", query, abort);

/** Adjacent lines that one edit added, and what they replaced. `reason` has no `by` if no session wrote them. */
export type Hunk = {
  from: number;
  to: number;
  lines: readonly string[];
  removed: readonly Removed[];
  /** Absent if lines were only removed. */
  reason: Reasons | undefined;
};
export type ChangedFile = {
  file: string;
  deleted: Commit | undefined;
  hunks: readonly Hunk[];
  added: number;
  removed: number;
  explained: number;
};
export type Changes = { files: readonly ChangedFile[]; comment: ChangesAnswer["comment"]; more: number };

const MOST_FILES = 20;

/** Reads the lines that a commit range added and that still exist, and the removed ones, file by file. */
export async function readChanges(get: Get, commit: string, abort: AbortSignal): Promise<Fetched<Changes>> {
  const fetched = await get<ChangesAnswer>("/api/why", { commit }, abort);
  if ("failed" in fetched) return fetched;
  const { answers, comment, shortened = [], more = 0 } = fetched.answer;
  const paths = [...new Set([...answers.map(({ file }) => file), ...shortened])];
  const files = paths.slice(0, MOST_FILES).map(async (file): Promise<ChangedFile> => {
    const read = await readFile(get, file, abort, commit.includes("..") ? commit : undefined);
    const { blocks, removed, deleted } =
      "answer" in read ? read.answer : { blocks: [], removed: [], deleted: undefined };
    const text = blocks.flatMap(({ lines }) => lines);
    const added = answers
      .filter((one) => one.file === file)
      .flatMap((reason) => rangesOf(reason.lines).map((range) => ({ ...range, reason })))
      .map(({ from, to, reason }) => ({
        from,
        to,
        reason,
        lines: text.slice(from - 1, to),
        removed: removed.filter(({ before }) => before >= from && before <= to),
      }));
    const replaced = new Set(added.flatMap((hunk) => hunk.removed));
    const onlyRemoved = removed
      .filter((one) => !replaced.has(one))
      .map((one) => ({ from: one.before, to: one.before - 1, lines: [], removed: [one], reason: undefined }));
    const sum = (some: readonly Hunk[]) => some.reduce((total, { lines }) => total + lines.length, 0);
    return {
      file,
      deleted,
      hunks: [...added, ...onlyRemoved].sort((a, b) => a.from - b.from),
      added: sum(added),
      removed: removed.reduce((total, { lines }) => total + lines.length, 0),
      explained: sum(added.filter(({ reason }) => reason.by)),
    };
  });
  const shown = (await Promise.all(files)).filter(({ hunks }) => hunks.length > 0);
  return { answer: { files: shown, comment, more: more + paths.length - files.length } };
}

/** Parses `4-8, 14`. */
const rangesOf = (lines: string): { from: number; to: number }[] =>
  [...lines.matchAll(/(\d+)(?:-(\d+))?/g)].map(([, from, to = from]) => ({
    from: Number(from),
    to: Number(to),
  }));

type NamedThought = { session: string; branch: string | undefined; number: number };

/** Parses `session:3` or `session:branch:3`. */
export function nameOf(id: string): NamedThought | undefined {
  const [session = "", ...rest] = id.split(":");
  const number = Number(rest.at(-1));
  if (session === "" || !Number.isInteger(number)) return undefined;
  return { session, branch: rest.length > 1 ? rest.slice(0, -1).join(":") : undefined, number };
}

/** Reads the type and text of the thought before an edit. */
export async function readThought(get: Get, id: string, abort: AbortSignal) {
  const name = nameOf(id);
  if (!name) return undefined;
  const path = `/api/sessions/${encodeURIComponent(name.session)}/thoughts/${name.number}`;
  const fetched = await get<ThoughtAnswer>(path, { branch: name.branch }, abort);
  return "answer" in fetched
    ? { type: fetched.answer.thought.type, text: fetched.answer.thought.thought }
    : undefined;
}
