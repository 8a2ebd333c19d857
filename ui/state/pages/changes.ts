import { signal } from "@preact/signals";
import type { ChangedFileAnswer, ChangedHunk, ChangesAnswer } from "../../../src/observatory/wire-files.ts";
import type { Failed, Get } from "../http.ts";

export type ChangedFile = ChangedFileAnswer;
export type Hunk = ChangedHunk;

/** What a range of commits changed, read file by file. */
export function createChanges(get: Get, range: string) {
  const abort = new AbortController();
  const summary = signal<ChangesAnswer | undefined>(undefined);
  const failure = signal<Failed | undefined>(undefined);
  const files = signal<ReadonlyMap<string, ChangedFile | Failed>>(new Map());

  async function open() {
    const fetched = await get<ChangesAnswer>("/api/why", { commit: range }, abort.signal);
    if (abort.signal.aborted) return;
    if ("failed" in fetched) {
      failure.value = fetched.failed;
      return;
    }
    summary.value = fetched.answer;
    for (const file of fetched.answer.files) {
      const read = await get<ChangedFileAnswer>("/api/why", { commit: range, file }, abort.signal);
      if (abort.signal.aborted) return;
      files.value = new Map(files.peek()).set(file, "answer" in read ? read.answer : read.failed);
    }
  }

  void open();
  return {
    range,
    summary,
    failure,
    files,
    /** Whether every file was read, so that sums are final. */
    isComplete: () => summary.value !== undefined && files.value.size === summary.value.files.length,
    stop: () => abort.abort(),
  };
}

export const isRead = (file: ChangedFile | Failed | undefined): file is ChangedFile =>
  file !== undefined && "hunks" in file;

export type OpenChanges = ReturnType<typeof createChanges>;
