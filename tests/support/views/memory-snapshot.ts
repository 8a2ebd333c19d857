import { openRaw } from "../disk/raw-database.ts";

/** Counters that change by themselves when words are indexed after the acknowledgement. */
const watermarks = ["indexed_seq", "graph_indexed_seq"];

/** Returns all rows of the memory as stored in the file. Any row that is missing was not written. */
export function snapshotMemory(dataDir: string): Record<string, unknown[]> {
  const db = openRaw(dataDir);
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => /^(memory_|graph_(?!words)|counters$|idempotency$)/.test(name));
    if (tables.length < 8) throw new Error(`the memory has lost its tables: ${tables}`);
    return Object.fromEntries(
      tables.map((table) => [
        table,
        db
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .filter(({ name }) => table !== "counters" || !watermarks.includes(String(name)))
          .map((row) => JSON.stringify(row))
          .sort(),
      ]),
    );
  } finally {
    db.close();
  }
}
