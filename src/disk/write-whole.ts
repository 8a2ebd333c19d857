import { randomUUID } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fdatasyncSync,
  openSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { nameAsNewSync, renameSafelySync } from "./naming.ts";

/** O_EXCL already refuses links, so Windows is safe without O_NOFOLLOW. */
const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export type WriteOptions = {
  /**
   * `replace`: replaces an existing file. `new`: fails with EEXIST if one exists. Readers never see an incomplete file.
   */
  as: "replace" | "new";
  /** Sync the content to disk before the file gets its name. */
  durable: boolean;
};

type AsyncWriteOptions = WriteOptions & {
  /**
   * Called before the file gets its name, for a last check of the file that it would replace. If it throws, nothing is
   * written.
   */
  beforeNaming?: () => Promise<unknown>;
};

const draftOf = (directory: string, name: string): string => join(directory, `.${name}.${randomUUID()}.tmp`);

const giveName = (draft: string, path: string, as: WriteOptions["as"]): void =>
  as === "replace" ? renameSafelySync(draft, path) : nameAsNewSync(draft, path);

/** Writes the whole file or nothing. No reader sees a partial file, and only its owner can read it. */
export async function writeWhole(
  directory: string,
  name: string,
  content: string | readonly string[] | ((empty: BigIntStats) => string),
  { as, durable, beforeNaming }: AsyncWriteOptions,
): Promise<void> {
  const [draft, path] = [draftOf(directory, name), join(directory, name)];
  const file = await open(draft, createNew, 0o600);
  try {
    try {
      const text = typeof content === "function" ? content(await file.stat({ bigint: true })) : content;
      for (const piece of typeof text === "string" ? [text] : text) await file.writeFile(piece);
      if (durable) await file.datasync();
    } finally {
      await file.close();
    }
    await beforeNaming?.();
    giveName(draft, path, as);
  } catch (thrown) {
    await unlink(draft).catch(() => {});
    throw thrown;
  }
}

/** The synchronous version of `writeWhole`, for many small files and for code that cannot wait. */
export function writeWholeSync(
  directory: string,
  name: string,
  content: string,
  { as, durable }: WriteOptions,
  draft = draftOf(directory, name),
): void {
  const path = join(directory, name);
  const file = openSync(draft, createNew, 0o600);
  try {
    try {
      writeFileSync(file, content);
      if (durable) fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    giveName(draft, path, as);
  } catch (thrown) {
    try {
      unlinkSync(draft);
    } catch {
      // The draft is left behind, and a later start deletes it.
    }
    throw thrown;
  }
}
