import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { loadDriver } from "../../src/storage/sqlite/connection/driver.ts";

const logBytes = 32 * 1024 * 1024;
const rowsBefore = 20_000;
const sessions = 50;
const text = "what a thought says ".repeat(15);

/**
 * Opens SQLite alone. Writes four pages per thought: a row, its two indexes, and a row in another table that
 * counts thoughts. The floor has no rules, hash chain or queue. The log is preallocated and not checkpointed.
 */
export function openBareSqlite(directory: string) {
  const { DatabaseSync } = loadDriver();
  const path = join(directory, "bare.db");
  const db = new DatabaseSync(path, { timeout: 0 });
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;
    PRAGMA mmap_size = 268435456;
    CREATE TABLE owner (id INTEGER PRIMARY KEY, entries INTEGER NOT NULL);
    CREATE TABLE entry (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE INDEX by_number ON entry (owner, number);
    CREATE UNIQUE INDEX by_arrival ON entry (owner, id, number);`);
  const addOwner = db.prepare("INSERT INTO owner VALUES (?, 0)");
  const addEntry = db.prepare("INSERT INTO entry VALUES (?, ?, ?, ?)");
  const count = db.prepare("UPDATE owner SET entries = entries + 1 WHERE id = ?");
  let next = 0;
  const add = (): void => {
    next += 1;
    addEntry.run(next, Math.floor(next / 25) % sessions, next, text);
  };
  db.exec("BEGIN");
  for (let id = 0; id < sessions; id += 1) addOwner.run(id);
  while (next < rowsBefore) add();
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  growLog(`${path}-wal`);
  return {
    append(): void {
      db.exec("BEGIN IMMEDIATE");
      add();
      count.run(Math.floor(next / 25) % sessions);
      db.exec("COMMIT");
    },
    close: () => db.close(),
  };
}

function growLog(path: string): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(logBytes));
  fdatasyncSync(file);
  closeSync(file);
}
