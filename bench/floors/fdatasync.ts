import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

const page = Buffer.alloc(4096, 1);
const pages = 1_536;

/** Opens a file to measure the minimum cost of a durable write: 4 KB and a sync, on the store's disk. */
export function openSyncFloor(directory: string) {
  const file = openSync(join(directory, "fdatasync-floor"), "w");
  writeSync(file, Buffer.alloc(page.length * pages));
  fdatasyncSync(file);
  let next = 0;
  return {
    append(): void {
      writeSync(file, page, 0, page.length, next * page.length);
      fdatasyncSync(file);
      next = (next + 1) % pages;
    },
    close: () => closeSync(file),
  };
}
