import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
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
      if (size < targetBytes) grow(file, size);
    } finally {
      closeSync(file);
    }
  } finally {
    db.exec("ROLLBACK");
  }
}

/** A nicety must not take the last free block of a disk: what cannot be had in full is given back. */
function grow(file: number, size: number): void {
  const missing = targetBytes - size;
  try {
    if (writeSync(file, Buffer.alloc(missing), 0, missing, size) < missing) throw new Error("no room");
    fdatasyncSync(file);
  } catch (thrown) {
    ftruncateSync(file, size);
    throw thrown;
  }
}
