import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";
import type { Operation } from "../../src/operations/pipeline/operation.ts";
import { forAll } from "../support/for-all.ts";
import { sourceFiles } from "../support/sources.ts";

const directory = join(import.meta.dirname, "..", "..", "src", "operations");

/** Files that declare an operation, by `defineOperation` or by a family's own `defineX`. */
const operationFiles = sourceFiles(directory).filter((file) =>
  /^export const \w+ = define[A-Z]\w*\(/m.test(readFileSync(file, "utf8")),
);

const kebab = (name: string) => name.replaceAll(/[._]/g, "-");
const camel = (name: string) => kebab(name).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

test("there are operations to look at", () => {
  expect(catalogue.length).toBeGreaterThanOrEqual(15);
  expect(operationFiles.length).toBeGreaterThanOrEqual(15);
});

test("every operation has a file of its own, and every operation file is in the catalogue", () => {
  const expected = catalogue.map(({ name }) => `${kebab(name)}.ts`);
  expect(operationFiles.map((file) => basename(file)).sort()).toEqual(expected.sort());
});

test("names are unique, as operations and as tools", () => {
  const names = catalogue.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(names.map(toolName)).size).toBe(names.length);
});

test("every operation is exported under its own name, from its own file and folder", () =>
  forAll(
    catalogue,
    ({ name }) => name,
    async (operation) => {
      const { name } = operation;
      const file = operationFiles.find((candidate) => basename(candidate) === `${kebab(name)}.ts`);
      if (!file) throw new Error(`no file declares ${name}`);
      const exported = (await import(file)) as Record<string, Operation>;
      // `export` is a word of the language, and its operation exportOperation.
      expect(exported[name === "export" ? "exportOperation" : camel(name)]).toBe(operation);
      // `session.search` lives in session/ or below it, `mental_models.list_tags` in models/.
      const [group = "", verb] = name.split(".");
      const folders = relative(directory, dirname(file)).split(sep);
      if (verb) expect(folders.some((folder) => `_${group}`.endsWith(`_${folder}`))).toBe(true);
    },
  ));
