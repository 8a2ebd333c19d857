import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** Phrases that a native writer would not use, and what to write instead. Correct uses are listed below. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\bgo(?:es)? on\b/i, "continue"],
  [/\bwhoever\b/i, "the caller, the next agent, users"],
  [/\b(?:some|no)body\b/i, "someone, no one, or name the person"],
  [/\b(?:is|are) (?:said|told)\b/i, "reports, shows, states"],
  [/\banew\b/i, "again"],
  [/\ball the same\b/i, "anyway"],
  [/\bunless told\b/i, "default"],
  [/\bmay come in\b/i, "may connect, has access"],
  [/\bcomes? to be\b/i, "is created"],
  [/\b(?:puts?|to put) right\b/i, "fix"],
  [/\bof (?:its|our|their|your|my) own\b/i, "its own, separate"],
  [/\bwhere (?:none|nothing|no one)\b/i, "if"],
  [/\b(?:lies|stands) there\b/i, "is"],
  [/\b(?:one|a line|a file|a row) an? (?:session|thought|line|call|task|branch|file)\b/i, "one per session"],
];

/** Parts of lines in which these phrases are correct. */
const correct: readonly string[] = [
  "become the user nobody",
  "locked out of its own step",
  "any class or function of its own modules",
  "15% of its own",
  "those of its own configuration",
  "commits of its own lines",
  "at the end, where nothing moves",
];

const filesOf = (...patternsOfFiles: string[]): string[] =>
  execFileSync("git", ["ls-files", ...patternsOfFiles], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n");

const blank = (text: string) => text.replace(/[^\n]/g, " ");

/** Removes code and the names of tests, which are quoted in “…”. */
const prose = (text: string) => text.replace(/```[\s\S]*?```|`[^`\n]*`|“[^”]*”/g, blank);

const isComment = /(?:^|\s)(?:\/\/|\/\*\*?|\*)\s(.*)$/;
const comments = (text: string) =>
  prose(
    text
      .split("\n")
      .map((line) => isComment.exec(line)?.[1] ?? "")
      .join("\n"),
  );

function complaints(files: readonly string[], read: (text: string) => string): string[] {
  return files.flatMap((file) =>
    read(readFileSync(join(root, file), "utf8"))
      .split("\n")
      .flatMap((line, index) =>
        correct.some((part) => line.includes(part))
          ? []
          : patterns
              .filter(([pattern]) => pattern.test(line))
              .map(([pattern, better]) => `${file}:${index + 1} ${pattern}: write ${better}`),
      ),
  );
}

test("pages for people avoid phrases that sound translated", () => {
  const pages = filesOf(
    "*.md",
    "docs/*.md",
    "docs/guide/*.md",
    "docs/decisions/*.md",
    "plugin/**/*.md",
    "bench/*.md",
  )
    .filter((file) => /^(?:[A-Z_]+\.md|docs\/|plugin\/|bench\/README)/.test(file))
    .filter((file) => !file.startsWith("docs/reference/"));
  expect(pages.length).toBeGreaterThan(120);
  expect(complaints([...pages, "bench/reasons.json"], prose)).toEqual([]);
});

test("comments avoid them too", () => {
  const code = filesOf("src/*.ts", "ui/*.ts", "ui/*.tsx").filter(
    (file) => !/\.test(?:ing)?\.tsx?$/.test(file),
  );
  expect(code.length).toBeGreaterThan(700);
  expect(complaints(code, comments)).toEqual([]);
});
