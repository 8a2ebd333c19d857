import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../disk/open-without-following.ts";
import { writeWholeSync } from "../../disk/write-whole.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { visible } from "../../kernel/text.ts";
import type { TreeTrouble } from "../../ports/tree.ts";

export type TreeFiles = ReturnType<typeof createTreeFiles>;

const rememberedFolders = 10_000;

/** Writes files in the data directory atomically. Folders are lists of path segments relative to it. */
export function createTreeFiles(root: string) {
  const writer = randomUUID().slice(0, 8);
  const prepared = new Set<string>();
  let count = 0;

  /** Creates a folder. Every segment must be a real folder, because a link could point anywhere. */
  function prepare(folder: readonly string[]): string {
    const path = join(root, ...folder);
    if (prepared.has(path)) return path;
    let current = root;
    for (const step of folder) {
      current = join(current, step);
      if (prepared.has(current)) continue;
      makeFolder(current);
      if (prepared.size >= rememberedFolders) prepared.clear();
      prepared.add(current);
    }
    return path;
  }

  function writeWhole(directory: string, name: string, content: string): void {
    count += 1;
    const draft = join(directory, `.${name}.${writer}-${count}.tmp`);
    writeWholeSync(directory, name, content, { as: "replace", durable: false }, draft);
  }

  return {
    root,
    write(folder: readonly string[], name: string, content: string): void {
      try {
        writeWhole(prepare(folder), name, content);
      } catch (thrown) {
        if (codeOf(thrown) !== "ENOENT") throw thrown;
        // The folder was removed, or another process deleted the temporary file as stale.
        prepared.clear();
        writeWhole(prepare(folder), name, content);
      }
    },
    /** Returns false if nothing in the tree can be written, and true if the problem concerns a single file. */
    canWriteAnything(): boolean {
      try {
        prepared.clear();
        const probe = join(prepare(["projects"]), `.probe.${writer}.tmp`);
        writeFileSync(probe, "probe", { flag: "wx", mode: 0o600 });
        unlinkSync(probe);
        return true;
      } catch {
        return false;
      }
    },
    /** Forgets which folders exist. Call if another program may have moved or deleted some. */
    forgetFolders: (): void => prepared.clear(),
  };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
    if (!lstatSync(path).isDirectory())
      throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
  }
}

const ours = /^\..+\.[0-9a-f]{8}(?:-\d+)?\.tmp$/;
const surelyStaleMs = 60_000;
/** The folders in a data directory that contain written files. */
const written = ["projects", "exports", "roots"];

/**
 * Removes temporary files that a dead writer created but did not rename. A running writer's file may be removed too,
 * but that writer notices and writes it again. Removes other programs' `.tmp` files only once they are old.
 */
export function sweepTemporaryFiles(root: string, isCancelled: () => boolean): Promise<number> {
  return sweep(root, false);

  async function sweep(folder: string, descend: boolean): Promise<number> {
    let removed = 0;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (isCancelled()) return removed;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && (descend || written.includes(entry.name)))
        removed += await sweep(path, true);
      if (entry.isFile() && entry.name.endsWith(".tmp") && (await isStale(path, entry.name))) {
        removed += await unlink(path).then(
          () => 1,
          () => 0,
        );
      }
    }
    return removed;
  }
}

async function isStale(path: string, name: string): Promise<boolean> {
  if (ours.test(name)) return true;
  const stat = await lstat(path).catch(() => undefined);
  return stat !== undefined && Date.now() - stat.mtimeMs > surelyStaleMs;
}

const firstRetryMs = 1_000;
const lastRetryMs = 30_000;

/** Codes of errors that concern the disk or the process, not only one session's folder. */
const general = new Set(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM"]);

/** Returns true if an error prevents all writes to the tree, not only to the current file. */
export function concernsAll(thrown: unknown, files: TreeFiles): boolean {
  return thrown instanceof ThoughtboxError || general.has(codeOf(thrown)) || !files.canWriteAnything();
}

export function explain(thrown: unknown): string {
  return visible(thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300);
}

export type TroubleLog = ReturnType<typeof createTroubleLog>;

/** Remembers a problem with the tree, logs it once, and makes retries rarer while it lasts. */
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
          `thoughtbox: the JSON files cannot be written (${message}). Thoughts are safe. The files are written later.\n`,
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
