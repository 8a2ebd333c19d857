import { effect, signal } from "@preact/signals";
import type {
  BlocksAnswer,
  FileAnswer,
  FileCommit,
  FileReasons,
  FileWriter,
} from "../../../src/observatory/wire-files.ts";
import { type Block, type Run, toBlocks } from "../../model/pages/blocks.ts";
import type { Failed, Get } from "../http.ts";

export type FileBlock = Block<FileWriter, FileCommit>;
export type BlockReason = Pick<FileReasons, "asked" | "because">;
type FileRun = Run<FileWriter, FileCommit>;

/** Files with more lines than this are loaded in windows, as the user scrolls. */
export const MOST_LINES = 5_000;
export const WINDOW = 500;
/** Files with more characters than this are not shown. */
const MOST_CHARS = 2_000_000;
const BLOCKS_AT_ONCE = 20;
const MOST_EXPLAINED = 200;

export type FileHead = Pick<FileAnswer, "file" | "total" | "chars"> & {
  /** The commit that deleted the file. */
  deleted: FileCommit | undefined;
  /** The last lines of a deleted file, with their numbers. */
  gone: readonly { number: number; text: string }[];
  isTooLarge: boolean;
  /** Whether the file is requested in windows. */
  isLong: boolean;
};

/** Reads a file piece by piece: first its text, then who wrote it, then why. */
export function createOpenFile(get: Get, path: string, at: string | undefined) {
  const abort = new AbortController();
  const head = signal<FileHead | undefined>(undefined);
  const failure = signal<Failed | undefined>(undefined);
  /** The text, by line number minus one. Missing lines have not been read yet. */
  const lines = signal<readonly (string | undefined)[]>([]);
  const runs = signal<readonly FileRun[]>([]);
  const reasons = signal<ReadonlyMap<number, BlockReason>>(new Map());
  /** Whether it is known who wrote every line. */
  const isComplete = signal(false);
  /** The lines in view. */
  const seen = signal({ from: 1, to: 1 });
  const asked = new Set<number>();
  let wanted: readonly FileBlock[] = [];
  let isExplaining = false;

  const read = (query: Record<string, string | number | undefined>) =>
    get<FileAnswer>("/api/why", { file: path, at, ...query }, abort.signal);

  function keepText({ runs: found, total }: FileAnswer) {
    const next = lines.peek().slice();
    next.length = total;
    for (const { from, to, text } of found) {
      // The server sends no text for a line that is longer than an answer can be.
      const texts = text?.split("\n") ?? Array.from({ length: to - from + 1 }, () => TOO_LONG);
      for (const [at, line] of texts.entries()) next[from - 1 + at] = line;
    }
    lines.value = next;
  }

  function keepRuns({ runs: found, writers, commits }: FileAnswer) {
    const fresh = found.map(({ from, to, writer, commit }) => ({
      from,
      to,
      writer: writers.find(({ n }) => n === writer),
      commit: commits.find(({ sha }) => sha === commit),
    }));
    runs.value = [...runs.peek(), ...fresh].sort((a, b) => a.from - b.from);
  }

  /** Reads pages until the end, or until one cannot be read. */
  async function readAll(query: Record<string, string>, from: number, keep: (page: FileAnswer) => void) {
    for (let next: number | undefined = from; next !== undefined; ) {
      const fetched = await read({ ...query, from: next });
      if (abort.signal.aborted) return false;
      if ("failed" in fetched) {
        failure.value = fetched.failed;
        return false;
      }
      keep(fetched.answer);
      next = fetched.answer.next;
    }
    return true;
  }

  async function open() {
    const first = await read({ writers: "false", from: 1, to: WINDOW });
    if (abort.signal.aborted) return;
    if ("failed" in first) {
      failure.value = first.failed;
      return;
    }
    const { file, total, chars, deleted, removed = [], next } = first.answer;
    const isTooLarge = chars > MOST_CHARS;
    const isLong = total > MOST_LINES;
    const gone = removed.flatMap(({ from, text }) =>
      text.split("\n").map((line, at) => ({ number: from + at, text: line })),
    );
    keepText(first.answer);
    head.value = { file, total, chars, deleted, gone, isTooLarge, isLong };
    if (isTooLarge || isLong || total === 0) return;
    const rest = next ?? WINDOW + 1;
    const [, isKnown] = await Promise.all([
      rest > total || readAll({ writers: "false" }, rest, keepText),
      readAll({ text: "false" }, 1, keepRuns),
    ]);
    isComplete.value = isKnown;
  }

  /** Reads the windows of a long file that contain these lines. */
  async function readWindows(from: number, to: number) {
    for (let at = Math.floor((from - 1) / WINDOW); at <= Math.floor((to - 1) / WINDOW); at += 1) {
      if (asked.has(at)) continue;
      asked.add(at);
      const start = at * WINDOW + 1;
      let next: number | undefined = start;
      while (next !== undefined) {
        const fetched = await read({ from: next, to: start + WINDOW - 1 });
        if (abort.signal.aborted) return;
        if ("failed" in fetched) {
          asked.delete(at);
          return;
        }
        keepText(fetched.answer);
        keepRuns(fetched.answer);
        next = fetched.answer.next;
      }
    }
  }

  /** Requests the reasons for the wanted blocks, a few at a time. */
  async function explain() {
    if (isExplaining) return;
    isExplaining = true;
    for (;;) {
      const next = wanted
        .filter(({ from, writer }) => writer && !reasons.peek().has(from))
        .slice(0, BLOCKS_AT_ONCE);
      if (next.length === 0 || reasons.peek().size > MOST_EXPLAINED) break;
      const blocks = next.map(({ from, to }) => `${from}-${to}`).join(",");
      const fetched = await get<BlocksAnswer>("/api/why", { file: path, at, blocks }, abort.signal);
      if (abort.signal.aborted || "failed" in fetched) break;
      const found = new Map(reasons.peek());
      for (const { from, to: _to, ...reason } of fetched.answer.blocks) found.set(from, reason);
      reasons.value = found;
    }
    isExplaining = false;
  }

  /** Returns the parts in which a file is shown and requested. A short file is one part. */
  const windows = (): { from: number; to: number }[] => {
    const { total = 0, isLong = false } = head.value ?? {};
    if (!isLong) return total === 0 ? [] : [{ from: 1, to: total }];
    return Array.from({ length: Math.ceil(total / WINDOW) }, (_, at) => ({
      from: at * WINDOW + 1,
      to: Math.min(total, (at + 1) * WINDOW),
    }));
  };
  const blocksIn = ({ from, to }: { from: number; to: number }) => toBlocks(runs.value, from, to);

  const stopWanting = effect(() => {
    const { from, to } = seen.value;
    const isSeen = (one: { from: number; to: number }) => one.from <= to && one.to >= from;
    const near = windows().filter(isSeen);
    const blocks = near.flatMap(blocksIn);
    // Explains the blocks in view first, and the rest of a short file later.
    wanted = [...blocks.filter(isSeen), ...blocks.filter((one) => !isSeen(one))];
    const [first, last] = [near[0], near.at(-1)];
    if (head.value?.isLong && first && last) void readWindows(first.from, last.to);
    void explain();
  });

  void open();
  return {
    path,
    /** The commit at which the file is shown. `undefined` means now. */
    at,
    head,
    failure,
    lines,
    runs,
    reasons,
    isComplete,
    windows,
    blocksIn,
    see(from: number, to: number) {
      const before = seen.peek();
      if (before.from !== from || before.to !== to) seen.value = { from, to };
    },
    stop() {
      stopWanting();
      abort.abort();
    },
  };
}

export const TOO_LONG = "… this line is too long to show";

export type OpenFile = ReturnType<typeof createOpenFile>;
