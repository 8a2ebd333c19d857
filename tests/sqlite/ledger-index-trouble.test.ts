import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { findWords, startSession, think } from "../support/ledger.ts";
import { noon } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

test("an index that cannot be written after an acknowledgement is reported once", async () => {
  const directory = join(tempDir(), "data");
  const troubles: unknown[] = [];
  let wake = () => {};
  const store = createSqliteStore({ kind: "directory", path: directory }, () => new Date(noon), {
    onIndexTrouble(thrown) {
      troubles.push(thrown);
      wake();
    },
  });
  onTestFinished(() => store.close());
  const id = await startSession(store.ledger);
  const raw = openRaw(directory);
  raw.exec(`CREATE TRIGGER no_marks BEFORE UPDATE ON counters WHEN NEW.name = 'indexed_seq'
    BEGIN SELECT RAISE(ABORT, 'no marks'); END`);
  const reported = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await think(store.ledger, id, { thought: "a quokka" });
  await reported;
  expect(troubles).toMatchObject([{ code: "STORAGE_ERROR" }]);

  expect(await findWords(store.ledger, "quokka")).toMatchObject({ hits: [], unindexed: 1 });
  raw.exec("DROP TRIGGER no_marks");
  expect(await findWords(store.ledger, "quokka")).toMatchObject({ unindexed: 0, hits: [{}] });
  expect(troubles).toHaveLength(1);
});
