import { basename, dirname } from "node:path";
import { codeOf } from "../../disk/open-without-following.ts";
import { type WriteOptions, writeWhole } from "../../disk/write-whole.ts";
import { storageFailure } from "../../ports/storage-failures.ts";

/** Writes a file whole and on disk; trouble with it becomes a failure of ours. */
export async function writeFile(
  path: string,
  content: string,
  as: WriteOptions["as"] = "replace",
): Promise<void> {
  try {
    await writeWhole(dirname(path), basename(path), content, { as, durable: true });
  } catch (cause) {
    throw storageFailure("file_unwritable", { errno: codeOf(cause) }, cause);
  }
}
