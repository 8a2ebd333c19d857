import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from "node:fs";
import type { Database } from "./driver.ts";

/** Room for the 1,000 pages between two automatic checkpoints, and some. */
const targetBytes = 6 * 1024 * 1024;

/**
 * A commit that makes the log longer must write file metadata too, which costs about as much again. Growing
 * the log once, under the write lock so that nobody appends meanwhile, halves every commit after it. SQLite
 * stops reading at the first frame without a valid checksum, so zeros behind the end mean nothing to it.
 */
export function preGrowWal(db: Database, walPath: string): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    const file = openSync(walPath, "r+");
    try {
      const { size } = fstatSync(file);
      if (size < targetBytes) {
        writeSync(file, Buffer.alloc(targetBytes - size), 0, targetBytes - size, size);
        fdatasyncSync(file);
      }
    } finally {
      closeSync(file);
    }
  } finally {
    db.exec("ROLLBACK");
  }
}
