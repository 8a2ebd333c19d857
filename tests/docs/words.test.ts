import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** What a native writer would not say, and what they say instead. Correct uses are listed below. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\bgo(?:es)? on\b/i, "continue"],
  [/\bwhoever\b/i, "the caller, the next agent, users"],
  [/\b(?:some|no)body\b/i, "someone, no one, or name the person"],
  [/\bis (?:said|told)\b/i, "reports, shows, states"],
  [/\banew\b/i, "again"],
  [/\ball the same\b/i, "anyway"],
  [/\bunless told\b/i, "default"],
  [/\bmay come in\b/i, "may connect, has access"],
  [/\bcomes? to be\b/i, "is created"],
  [/\bputs? right\b/i, "fix"],
  [/\bof (?:its|our|their|your|my) own\b/i, "its own, separate"],
  [/\b(?:one|a line|a file|a row) an? (?:session|thought|line|call|task|branch)\b/i, "one per session"],
];

/** Lines in which the words mean what they say: "out of its own" is about a folder, "of its own" about packages. */
const correct: readonly string[] = ["copy a folder out of its own", "fill the disk with packages of its own"];

const pages = execFileSync(
  "git",
  [
    "ls-files",
    "README.md",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    "docs/*.md",
    "docs/guide/*.md",
    "plugin/**/*.md",
  ],
  { cwd: root, encoding: "utf8" },
)
  .trim()
  .split("\n")
  .filter((file) => !/^docs\/(?:decisions|reference)\//.test(file));

const prose = (text: string) => text.replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, " "));

test("pages for people avoid phrases that sound translated", () => {
  expect(pages.length).toBeGreaterThan(20);
  const found = pages.flatMap((file) =>
    prose(readFileSync(join(root, file), "utf8"))
      .split("\n")
      .flatMap((line, index) =>
        correct.some((start) => line.includes(start))
          ? []
          : patterns
              .filter(([pattern]) => pattern.test(line.replace(/`[^`]*`/g, "")))
              .map(([pattern, better]) => `${file}:${index + 1} ${pattern}: write ${better}`),
      ),
  );
  expect(found).toEqual([]);
});
