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

/** Neighbouring lines of one edit, or of one commit that no transcript explains. */
export type FileBlock = {
  from: number;
  to: number;
  lines: readonly string[];
  writer: FileWriter | undefined;
  commit: Commit | undefined;
};

export type FileWithReasons = {
  file: string;
  head: string | undefined;
  total: number;
  blocks: readonly FileBlock[];
  /** Lines that could not be read any more in one go. */
  isCut: boolean;
};

const MOST_PAGES = 12;

/** A file with who wrote each line, page after page. */
export async function readFile(
  get: Get,
  file: string,
  abort: AbortSignal,
): Promise<Fetched<FileWithReasons>> {
  const blocks: FileBlock[] = [];
  let from: number | undefined = 1;
  let last: FileAnswer | undefined;
  for (let page = 0; page < MOST_PAGES && from !== undefined; page += 1) {
    const fetched: Fetched<FileAnswer> = await get<FileAnswer>("/api/why", { file, from }, abort);
    if ("failed" in fetched) return fetched;
    last = fetched.answer;
    addBlocks(blocks, last);
    from = last.next;
  }
  return {
    answer: {
      file: last?.file ?? file,
      head: last?.head,
      total: last?.total ?? 0,
      blocks,
      isCut: from !== undefined,
    },
  };
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

export const readReasons = (
  get: Get,
  query: { file: string; line: number; to: number },
  abort: AbortSignal,
): Promise<Fetched<ReasonsAnswer>> => get<ReasonsAnswer>("/api/why", query, abort);

/** Neighbouring lines that one edit added. `reason` has no `by` if no session wrote them. */
export type Hunk = { from: number; to: number; lines: readonly string[]; reason: Reasons };
export type ChangedFile = { file: string; hunks: readonly Hunk[]; added: number; explained: number };
export type Changes = { files: readonly ChangedFile[]; comment: string; more: number };

const MOST_FILES = 20;

/** What the commits of a range added and what still exists of it, file by file, in the order of the lines. */
export async function readChanges(get: Get, commit: string, abort: AbortSignal): Promise<Fetched<Changes>> {
  const fetched = await get<ChangesAnswer>("/api/why", { commit }, abort);
  if ("failed" in fetched) return fetched;
  const { answers, comment, more = 0 } = fetched.answer;
  const paths = [...new Set(answers.map(({ file }) => file))];
  const files = paths.slice(0, MOST_FILES).map(async (file): Promise<ChangedFile> => {
    const read = await readFile(get, file, abort);
    const text = "answer" in read ? read.answer.blocks.flatMap(({ lines }) => lines) : [];
    const hunks = answers
      .filter((one) => one.file === file)
      .flatMap((reason) => rangesOf(reason.lines).map((range) => ({ ...range, reason })))
      .sort((a, b) => a.from - b.from)
      .map(({ from, to, reason }) => ({ from, to, reason, lines: text.slice(from - 1, to) }));
    const sum = (some: readonly Hunk[]) => some.reduce((total, { from, to }) => total + to - from + 1, 0);
    return { file, hunks, added: sum(hunks), explained: sum(hunks.filter(({ reason }) => reason.by)) };
  });
  return { answer: { files: await Promise.all(files), comment, more: more + paths.length - files.length } };
}

/** `4-8, 14` as numbers. */
const rangesOf = (lines: string): { from: number; to: number }[] =>
  [...lines.matchAll(/(\d+)(?:-(\d+))?/g)].map(([, from, to = from]) => ({
    from: Number(from),
    to: Number(to),
  }));

type NamedThought = { session: string; branch: string | undefined; number: number };

/** `session:3` or `session:branch:3`. */
export function nameOf(id: string): NamedThought | undefined {
  const [session = "", ...rest] = id.split(":");
  const number = Number(rest.at(-1));
  if (session === "" || !Number.isInteger(number)) return undefined;
  return { session, branch: rest.length > 1 ? rest.slice(0, -1).join(":") : undefined, number };
}

/** The thought before an edit: its type and its words. */
export async function readThought(get: Get, id: string, abort: AbortSignal) {
  const name = nameOf(id);
  if (!name) return undefined;
  const path = `/api/sessions/${encodeURIComponent(name.session)}/thoughts/${name.number}`;
  const fetched = await get<ThoughtAnswer>(path, { branch: name.branch }, abort);
  return "answer" in fetched
    ? { type: fetched.answer.thought.type, text: fetched.answer.thought.thought }
    : undefined;
}
