import { basename, dirname } from "node:path";
import { codeOf } from "../../disk/open-without-following.ts";
import { type WriteOptions, writeWhole } from "../../disk/write-whole.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";

/** Writes a file whole and on disk; trouble with it is ours to explain. */
export async function writeFile(
  path: string,
  content: string,
  as: WriteOptions["as"] = "replace",
): Promise<void> {
  try {
    await writeWhole(dirname(path), basename(path), content, { as, durable: true });
  } catch (cause) {
    throw new ThoughtboxError(
      "STORAGE_ERROR",
      `The file could not be written (${codeOf(cause)}); nothing was changed.`,
      { cause, recovery: { hint: "Check that the directory is writable and the disk has room." } },
    );
  }
}
