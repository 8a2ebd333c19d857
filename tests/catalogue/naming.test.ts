import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";
import type { Operation } from "../../src/operations/pipeline/operation.ts";
import { forAll } from "../support/for-all.ts";
import { sourceFiles } from "../support/sources.ts";

const directory = join(import.meta.dirname, "..", "..", "src", "operations");

/** Files that declare an operation with `defineOperation` or a family's own `defineX`. */
const operationFiles = sourceFiles(directory).filter((file) =>
  /^export const \w+ = define[A-Z]\w*\(/m.test(readFileSync(file, "utf8")),
);

const kebab = (name: string) => name.replaceAll(/[._]/g, "-");
const camel = (name: string) => kebab(name).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

test("the catalogue contains operations", () => {
  expect(catalogue.length).toBeGreaterThanOrEqual(15);
  expect(operationFiles.length).toBeGreaterThanOrEqual(15);
});

/** The operations that a file declares, by export name. */
const declared = await Promise.all(
  operationFiles.map(async (file) => {
    const exported = Object.values((await import(file)) as Record<string, unknown>);
    return { file, operations: catalogue.filter((operation) => exported.includes(operation)) };
  }),
);

const words = (name: string) => name.split(/[-._]/).map((word) => word.replace(/s$/, ""));

test("every operation is declared by one file, and every operation file is in the catalogue", () => {
  const names = declared.flatMap(({ operations }) => operations.map(({ name }) => name));
  expect(names.sort()).toEqual(catalogue.map(({ name }) => name).sort());
  expect(declared.filter(({ operations }) => operations.length === 0)).toEqual([]);
});

test("a file is named after its operation, or after words that all its operations share", () =>
  forAll(
    declared.filter(({ file }) => !basename(file).startsWith("define-")),
    ({ file }) => file,
    ({ file, operations }) => {
      for (const { name } of operations)
        expect(words(name)).toEqual(expect.arrayContaining(words(basename(file, ".ts"))));
    },
  ));

test("names are unique, as operations and as tools", () => {
  const names = catalogue.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(names.map(toolName)).size).toBe(names.length);
});

test("every operation is exported under its name, from a folder of its group", () =>
  forAll(
    declared.flatMap(({ file, operations }) => operations.map((operation) => ({ file, operation }))),
    ({ operation }) => operation.name,
    async ({ file, operation }) => {
      const { name } = operation;
      const exported = (await import(file)) as Record<string, Operation>;
      // `export` is a reserved word, so its operation is exportOperation.
      expect(exported[name === "export" ? "exportOperation" : camel(name)]).toBe(operation);
      // `session.search` is in session/ or below it, `mental_models.list_tags` in models/.
      const [group = "", verb] = name.split(".");
      const folders = relative(directory, dirname(file)).split(sep);
      if (verb) expect(folders.some((folder) => `_${group}`.endsWith(`_${folder}`))).toBe(true);
    },
  ));
