import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../../tests/support/temp-dir.ts";
import { type Database, loadDriver } from "./driver.ts";
import { migrate } from "./migrate.ts";
import type { Migration } from "./migrations/migration.ts";
import { copyBeforeUpgrade } from "./open-database.ts";

const create: Migration = {
  apply: (db) => db.exec("CREATE TABLE rows (text TEXT); INSERT INTO rows VALUES ('old')"),
};
const add: Migration = { apply: (db) => db.exec("CREATE TABLE more (text TEXT)") };
const addAnother: Migration = { apply: (db) => db.exec("CREATE TABLE most (text TEXT)") };
const rewrite: Migration = { rewrites: true, apply: (db) => db.exec("UPDATE rows SET text = 'new'") };

function open(file: string): Database {
  return new (loadDriver().DatabaseSync)(file, {});
}

function upgrade(file: string, list: readonly Migration[]): string[] {
  const lines: string[] = [];
  const db = open(file);
  migrate(
    db,
    {
      onNewStore: () => {},
      beforeRewrite: (version) => copyBeforeUpgrade(db, file, version, (line) => lines.push(line)),
    },
    list,
  );
  db.close();
  return lines;
}

const textIn = (file: string): unknown => {
  const db = open(file);
  const row = db.prepare("SELECT text FROM rows").get();
  db.close();
  return row?.["text"];
};

test("copies a store once before its rows are rewritten, and logs a notice", () => {
  const directory = tempDir();
  const file = join(directory, "thoughtbox.db");
  expect(upgrade(file, [create, add])).toEqual([]);
  const kept = `${file}.v102.bak`;
  expect(upgrade(file, [create, add, addAnother, rewrite])).toEqual([
    `thoughtbox: the store was updated to a new format. The previous version is kept as ${kept}\n`,
  ]);
  expect([textIn(file), textIn(kept)]).toEqual(["new", "old"]);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  expect(upgrade(file, [create, add, addAnother, rewrite])).toEqual([]);
  expect(readdirSync(directory).sort()).toEqual(["thoughtbox.db", "thoughtbox.db.v102.bak"]);
});

test("does not copy a new store, or one that only gets new tables", () => {
  const directory = tempDir();
  upgrade(join(directory, "fresh.db"), [create, rewrite]);
  upgrade(join(directory, "old.db"), [create]);
  upgrade(join(directory, "old.db"), [create, add]);
  expect(readdirSync(directory).sort()).toEqual(["fresh.db", "old.db"]);
});

test("an interrupted upgrade changes nothing, and its copy is kept", () => {
  const file = join(tempDir(), "thoughtbox.db");
  upgrade(file, [create]);
  const broken: Migration = {
    apply: () => {
      throw new Error("the power went");
    },
  };
  expect(() => upgrade(file, [create, rewrite, broken])).toThrow("the power went");
  expect([textIn(file), textIn(`${file}.v101.bak`)]).toEqual(["old", "old"]);
  upgrade(file, [create, rewrite, add]);
  expect([textIn(file), textIn(`${file}.v101.bak`)]).toEqual(["new", "old"]);
});
