import { closeSync, fstatSync, readFileSync } from "node:fs";
import { openToReadSync } from "./open-without-following.ts";

/** A regular file of at most `maxBytes`, links not followed; throws with a `code` otherwise. */
export function readPlainly(path: string, maxBytes: number): Buffer {
  const file = openToReadSync(path);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw Object.assign(new Error("is not a file"), { code: "EISDIR" });
    if (stat.size > maxBytes) throw Object.assign(new Error("is too long"), { code: "EFBIG" });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
