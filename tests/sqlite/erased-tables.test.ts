import { expect, test } from "vitest";
import { tablesOfNotebook, tablesOfSession } from "../../src/storage/rows/trash-rows.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { startSession } from "../support/ledger.ts";
import { noon } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

test("every table that refers to sessions or notebooks is erased, before the tables that it refers to", async () => {
  const path = tempDir();
  const store = createSqliteStore({ kind: "directory", path }, () => new Date(noon));
  await startSession(store.ledger);
  await store.close();
  const references = openRaw(path)
    .prepare(`SELECT s.name, f."table" AS target FROM sqlite_schema s, pragma_foreign_key_list(s.name) f`)
    .all()
    .map((row) => ({ name: String(row["name"]), target: String(row["target"]) }));
  for (const tables of [tablesOfSession, tablesOfNotebook]) {
    // eraseActions erases session_actions.
    const referring = references.filter(
      ({ name, target }) => tables.includes(target) && name !== "session_actions",
    );
    expect(referring.length).toBeGreaterThan(2);
    const missed = referring.filter(({ name, target }) => {
      const place = tables.indexOf(name);
      return place === -1 || place >= tables.indexOf(target);
    });
    expect(missed).toEqual([]);
  }
});
