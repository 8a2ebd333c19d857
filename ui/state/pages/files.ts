import type { ThoughtAnswer } from "../../../src/observatory/wire.ts";
import type { FileAnswer, FileWriter, ReasonsAnswer } from "../../../src/observatory/wire-files.ts";
import type { Fetched, Get } from "../http.ts";

export type Reasons = ReasonsAnswer["answers"][number];
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
