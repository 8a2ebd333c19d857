import { codeOf } from "../../disk/open-without-following.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { visible } from "../../kernel/text.ts";
import type { TreeTrouble } from "../../ports/tree.ts";
import type { TreeFiles } from "./tree-files.ts";

const firstRetryMs = 1_000;
const lastRetryMs = 30_000;

/** Errors of the disk or the process, not of one session's folder. */
const general = new Set(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM"]);

/** Whether the whole tree cannot be written, or only the current file. */
export function concernsAll(thrown: unknown, files: TreeFiles): boolean {
  return thrown instanceof ThoughtboxError || general.has(codeOf(thrown)) || !files.canWriteAnything();
}

export function explain(thrown: unknown): string {
  return visible(thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300);
}

export type TroubleLog = ReturnType<typeof createTroubleLog>;

/** Remembers the problem with the tree, logs it once, and retries less and less often while it lasts. */
export function createTroubleLog(log: (line: string) => void) {
  let trouble: TreeTrouble | undefined;
  let waitMs = firstRetryMs;
  let retryAt = 0;

  return {
    get current(): TreeTrouble | undefined {
      return trouble;
    },
    retryInMs: (): number => (trouble ? Math.max(0, retryAt - performance.now()) : 0),
    note(thrown: unknown): void {
      const code = thrown instanceof ThoughtboxError ? thrown.code : codeOf(thrown);
      const message = explain(thrown);
      if (!trouble)
        log(
          `thoughtbox: the JSON files cannot be written (${message}). Thoughts are safe. Their files are written later.\n`,
        );
      trouble = { code, message, since: trouble?.since ?? new Date().toISOString() };
      retryAt = performance.now() + waitMs;
      waitMs = Math.min(waitMs * 2, lastRetryMs);
    },
    noteDeferred: (sessionId: string, reason: string): void =>
      log(
        `thoughtbox: the JSON files for session ${sessionId} cannot be written (${reason}). Its thoughts are safe.\n`,
      ),
    clear(): void {
      if (trouble) log("thoughtbox: the JSON files can be written again.\n");
      trouble = undefined;
      waitMs = firstRetryMs;
    },
  };
}
