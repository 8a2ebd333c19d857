import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { digestOf, makeSchema } from "../schema-check.ts";
import { migrations } from "./migrations.ts";

const files = readdirSync(import.meta.dirname)
  .filter((name) => /^\d/.test(name))
  .sort();

test("migration files are numbered from 0001 without gaps", () => {
  expect(files.length).toBeGreaterThan(0);
  expect(files.map((name) => name.slice(0, 5))).toEqual(
    files.map((_, index) => `${String(index + 1).padStart(4, "0")}-`),
  );
});

test("the list contains every migration in numerical order", async () => {
  const modules = await Promise.all(
    files.map((name) => import(pathToFileURL(join(import.meta.dirname, name)).href)),
  );
  expect(modules.flatMap((module) => Object.values(module))).toEqual(migrations);
});

test("every migration leads to the schema with its digest, so no released one was edited", () => {
  expect(migrations.map(({ leaves }) => leaves)).toEqual(
    migrations.map((_, index) => digestOf(makeSchema(migrations.slice(0, index + 1)))),
  );
});
