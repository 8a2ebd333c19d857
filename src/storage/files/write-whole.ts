import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ThoughtboxError } from "../../kernel/errors.ts";

/** Complete or not there: readers never see half a file. */
export async function writeWhole(path: string, content: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      await file.writeFile(content);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await unlink(temporary).catch(() => {});
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    throw new ThoughtboxError(
      "STORAGE_ERROR",
      `The file could not be written (${code}); nothing was changed.`,
      {
        cause,
        recovery: { hint: "Check that the directory is writable and the disk has room." },
      },
    );
  }
}
