import type { FileHandle } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

const newline = 0x0a;
/** Far longer than the kernel needs to copy a batch. */
const writeUnderWayMs = 20;

/**
 * True when the file ends in half a line, as a power cut or a kill leaves it. Another process may be in the
 * middle of a write, so it counts only when the end stays as it is.
 */
export async function endsInsideLine(file: FileHandle): Promise<boolean> {
  for (let seen = -1; ; ) {
    const { size } = await file.stat();
    if (size === 0 || (await readAt(file, size - 1, 1))[0] === newline) return false;
    if (size === seen) return true;
    seen = size;
    await pause(writeUnderWayMs);
  }
}

/**
 * Takes back the part of a line that still fitted on a full disk. Left alone when the file does not end in it any
 * more: then somebody found room behind it. Best effort: a piece that stays is closed off at the next opening.
 */
export async function cutOffTail(file: FileHandle, tail: Buffer): Promise<void> {
  if (tail.length === 0) return;
  try {
    const { size } = await file.stat();
    const start = size - tail.length;
    if (start >= 0 && tail.equals(await readAt(file, start, tail.length))) await file.truncate(start);
  } catch {
    // The lines are retried either way.
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
