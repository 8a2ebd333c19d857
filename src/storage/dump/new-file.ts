import { type FileHandle, open, unlink } from "node:fs/promises";
import { storageFailure } from "../../ports/storage-failures.ts";

const chunkBytes = 1024 * 1024;

/**
 * Lines into a file that was not there before, readable by its owner only. When `fill` throws, the file is
 * removed. Returns its size.
 */
export async function writeNewFile(
  path: string,
  fill: (write: (line: object) => Promise<void>) => Promise<void>,
): Promise<number> {
  const file = await openNew(path);
  try {
    let waiting = "";
    let bytes = 0;
    const flush = async () => {
      bytes += (await file.write(waiting)).bytesWritten;
      waiting = "";
    };
    await fill(async (line) => {
      waiting += `${JSON.stringify(line)}\n`;
      if (waiting.length >= chunkBytes) await flush();
    });
    await flush();
    await file.sync();
    await file.close();
    return bytes;
  } catch (thrown) {
    await file.close().catch(() => {});
    await unlink(path);
    throw toError(thrown);
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (thrown) {
    throw toError(thrown);
  }
}

function toError(cause: unknown): unknown {
  const { code, syscall } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST") return storageFailure("file_exists", {}, cause);
  if (syscall === undefined) return cause;
  return storageFailure("new_file_unwritable", { errno: code ?? "unknown" }, cause);
}
