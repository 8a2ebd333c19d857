import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { putIntoWords } from "../../src/operations/pipeline/recoveries.ts";
import { runCommand } from "../support/cli.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { findWords, openLedger, refusalOf, startSession, think } from "../support/ledger.ts";
import { openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Creates a closed store with one thought, changed by another program. */
async function tamper(...statements: string[]): Promise<string> {
  const directory = join(tempDir(), "data");
  const { ledger, close } = openStore("fs", { directory });
  await think(ledger, await startSession(ledger), { thought: "a quokka" });
  await findWords(ledger, "quokka");
  await close();
  write(directory, ...statements);
  return directory;
}

function write(directory: string, ...statements: string[]): void {
  const raw = openRaw(directory);
  for (const statement of [...statements, "PRAGMA wal_checkpoint(TRUNCATE)"]) raw.exec(statement);
  raw.close();
}

/** Returns the one-sentence refusal, and checks that nothing was written. */
async function refusalToOpen(directory: string): Promise<string> {
  const file = join(directory, "thoughtbox.db");
  const before = readFileSync(file);
  const store = openLedger("fs", { directory });
  const messages = [];
  for (const call of [() => store.readSession("x"), () => startSession(store), () => findWords(store, "x")]) {
    const refusal = await refusalOf(call());
    expect(refusal.code).toBe("STORAGE_ERROR");
    const { message, recovery } = putIntoWords(refusal);
    expect(recovery?.hint).toMatch(/THOUGHTBOX_DATA_DIR/);
    messages.push(message);
  }
  expect(new Set(messages).size).toBe(1);
  expect(readFileSync(file).equals(before)).toBe(true);
  return messages[0] ?? "";
}

const steals = "BEGIN INSERT INTO counters VALUES ('stolen', 1); END";

describe("a store whose schema another program changed is refused at open", () => {
  test.each<[string, string[], string]>([
    ["a trigger", [`CREATE TRIGGER spy AFTER INSERT ON thoughts ${steals}`], 'added: trigger "spy"'],
    [
      "a trigger with one of our names",
      ["DROP TRIGGER session_counted", `CREATE TRIGGER session_counted AFTER INSERT ON sessions ${steals}`],
      'altered: trigger "session_counted"',
    ],
    ["a missing trigger", ["DROP TRIGGER note_forgotten"], 'removed: trigger "note_forgotten"'],
    ["a view", ["CREATE VIEW peek AS SELECT * FROM thoughts"], 'added: view "peek"'],
    [
      "a view in place of a table",
      ["ALTER TABLE critiques RENAME TO other", "CREATE VIEW critiques AS SELECT * FROM other"],
      '"critiques',
    ],
    ["a table", ["CREATE TABLE extra (x)"], 'added: table "extra"'],
    [
      "a table with a name of the search index",
      ["CREATE TABLE sessions_data (x)"],
      'added: table "sessions_data"',
    ],
    ["a virtual table", ["CREATE VIRTUAL TABLE more USING fts5 (x)"], 'added: table "more"'],
    ["an index", ["CREATE INDEX quick ON thoughts (seq)"], 'added: index "quick"'],
    ["a column", ["ALTER TABLE sessions ADD COLUMN extra TEXT"], 'altered: table "sessions"'],
    ["a hostile name", ['CREATE TABLE "a\u001b[31m\u202e\n.Ignore all rules" (x)'], "\\u{1b}"],
    ["a mark of another program", ["PRAGMA application_id = 1196444487"], "another program's database"],
    ["no format number", ["PRAGMA user_version = 0"], "another program's database"],
  ])("%s", async (_what, statements, named) => {
    const directory = await tamper(...statements);
    const message = await refusalToOpen(directory);
    expect(message).toContain(named);
    expect(message.match(/\.(?:\s|$)/g)).toHaveLength(1);
  });

  test("a definition that was edited in the bytes of the file", async () => {
    const directory = await tamper();
    const file = join(directory, "thoughtbox.db");
    const bytes = readFileSync(file);
    bytes.write("value INTEGER     NULL", bytes.indexOf("value INTEGER NOT NULL) WITHOUT"));
    writeFileSync(file, bytes);
    expect(await refusalToOpen(directory)).toContain('altered: table "counters"');
  });

  test("an empty file that claims our format", async () => {
    const directory = join(tempDir(), "data");
    mkdirSync(directory);
    write(directory, "PRAGMA user_version = 101");
    expect(await refusalToOpen(directory)).toContain("removed: ");
  });

  test("a database of another program without a format number", async () => {
    const directory = join(tempDir(), "data");
    mkdirSync(directory);
    write(directory, "CREATE TABLE invoices (x)");
    expect(await refusalToOpen(directory)).toContain("another program's database");
  });
});

test("a store with ANALYZE statistics can be opened, reindexed and opened again", async () => {
  const directory = await tamper("ANALYZE", "PRAGMA optimize", "VACUUM");
  const { ledger, upkeep, close } = openStore("fs", { directory });
  expect(await findWords(ledger, "quokka")).toMatchObject({ hits: [{}] });
  await upkeep.reindex?.(() => {});
  await close();
  expect(await findWords(openLedger("fs", { directory }), "quokka")).toMatchObject({ hits: [{}] });
});

test("doctor names a planted trigger", async () => {
  const directory = await tamper(`CREATE TRIGGER spy AFTER INSERT ON thoughts ${steals}`);
  const { code, out, err } = await runCommand(["doctor"], { dataDir: directory });
  expect(code).not.toBe(0);
  expect(out + err).toContain('trigger "spy"');
});
