import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { describeOperation, referenceIndex } from "../../src/operations/help/describe-operation.ts";
import { forAll } from "../support/for-all.ts";

const directory = join(import.meta.dirname, "..", "..", "docs", "reference");
const stale = "docs/reference/ does not match the catalogue; run: npm run docs";

const pages: [file: string, content: string][] = [
  ["README.md", referenceIndex(catalogue)],
  ...catalogue.map((operation): [string, string] => [`${operation.name}.md`, describeOperation(operation)]),
];

test("docs/reference has one page for each operation and one for the settings, and nothing else", () => {
  expect(pages.length).toBeGreaterThan(15);
  expect(existsSync(directory) ? readdirSync(directory).sort() : [], stale).toEqual(
    ["settings.md", ...pages.map(([file]) => file)].sort(),
  );
});

test("every page of docs/reference matches the catalogue", () =>
  forAll(
    pages,
    ([file]) => file,
    ([file, content]) => {
      const path = join(directory, file);
      expect(existsSync(path) ? readFileSync(path, "utf8") : undefined, stale).toBe(content);
    },
  ));
