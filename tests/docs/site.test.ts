import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const root = join(import.meta.dirname, "../..");
const filesBelow = (folder: string, ending: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(ending));

/** Finds scripts, styles or pictures loaded from elsewhere. Links that a reader may follow are fine. */
const loadedFromElsewhere =
  /<(?:script|link|img|iframe|source)\b[^>]*?\s(?:src|href)="(?:https?:)?\/\/[^"]*"/g;
const styledFromElsewhere = /(?:@import\s*|url\(\s*)["']?(?:https?:)?\/\/[^"')]*/g;

test("the documentation site contains every page and a search, and loads nothing from other hosts", () => {
  const site = tempDir();
  const program = join(root, "docs/site/node_modules/vitepress/bin/vitepress.js");
  // The build fails at the first broken link.
  execFileSync(process.execPath, [program, "build", "docs/site", "--outDir", site], {
    cwd: root,
    stdio: "pipe",
  });

  const sources = filesBelow(join(root, "docs"), ".md").filter((path) => !path.startsWith("site"));
  const wanted = ["README.md", ...sources.map((path) => `docs/${path}`)].map((path) =>
    path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html"),
  );
  expect(wanted.length).toBeGreaterThan(100);
  expect(wanted.filter((page) => !existsSync(join(site, page)))).toEqual([]);

  const find = (ending: string, pattern: RegExp) =>
    filesBelow(site, ending).flatMap((path) => readFileSync(join(site, path), "utf8").match(pattern) ?? []);
  expect(find(".html", loadedFromElsewhere)).toEqual([]);
  expect(find(".css", /url\(/g)).not.toEqual([]);
  expect(find(".css", styledFromElsewhere)).toEqual([]);

  const [index] = filesBelow(site, ".js").filter((path) => path.includes("localSearchIndex"));
  expect(readFileSync(join(site, index ?? ""), "utf8")).toContain("docs/guide/why");
}, 300_000);
