import { signal } from "@preact/signals";
import type {
  ChangedFileAnswer,
  ChangedHunk,
  ChangesAnswer,
  CommentAnswer,
} from "../../../src/observatory/wire-files.ts";
import type { Failed, Get } from "../http.ts";

export type ChangedFile = ChangedFileAnswer;
export type Hunk = ChangedHunk;

/** How many lines of a large file are read if the user asks for it. */
export const FIRST_LINES = 500;

/** Loads what a range of commits changed: first the list of files, then each file, and finally a comment. */
export function createChanges(get: Get, range: string) {
  const abort = new AbortController();
  const summary = signal<ChangesAnswer | undefined>(undefined);
  const failure = signal<Failed | undefined>(undefined);
  const files = signal<ReadonlyMap<string, ChangedFile | Failed>>(new Map());
  const comment = signal<CommentAnswer | Failed | undefined>(undefined);
  const isWriting = signal(false);
  const largeFiles = () => new Map(summary.value?.large?.map(({ file, added }) => [file, added]));

  async function open() {
    const fetched = await get<ChangesAnswer>("/api/why", { commit: range }, abort.signal);
    if (abort.signal.aborted) return;
    if ("failed" in fetched) {
      failure.value = fetched.failed;
      return;
    }
    summary.value = fetched.answer;
    const large = largeFiles();
    for (const file of fetched.answer.files) {
      if (!large.has(file)) await read(file);
      if (abort.signal.aborted) return;
    }
    if (large.size === 0) await writeComment();
  }

  async function writeComment() {
    isWriting.value = true;
    const written = await get<CommentAnswer>("/api/why", { commit: range, comment: "true" }, abort.signal);
    if (!abort.signal.aborted) comment.value = "answer" in written ? written.answer : written.failed;
  }

  async function read(file: string, to?: number) {
    const fetched = await get<ChangedFileAnswer>("/api/why", { commit: range, file, to }, abort.signal);
    if (abort.signal.aborted) return;
    files.value = new Map(files.peek()).set(file, "answer" in fetched ? fetched.answer : fetched.failed);
  }

  void open();
  return {
    range,
    summary,
    failure,
    files,
    /** Requested automatically only if no file is large, because the server needs a while to write it. */
    comment,
    isWriting,
    writeComment,
    /** Files that are not read automatically, and how many lines were added to each. */
    largeFiles,
    readFirst: (file: string) => read(file, FIRST_LINES),
    /** Returns whether every file that is not large has been read. Sums are then final. */
    isComplete: () => {
      const large = largeFiles();
      return summary.value?.files.every((file) => large.has(file) || files.value.has(file)) ?? false;
    },
    stop: () => abort.abort(),
  };
}

export const isRead = (file: ChangedFile | Failed | undefined): file is ChangedFile =>
  file !== undefined && "hunks" in file;

export type OpenChanges = ReturnType<typeof createChanges>;
