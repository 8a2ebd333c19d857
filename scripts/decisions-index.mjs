// Writes docs/decisions/README.md from the headings of the decisions. If --check is given, writes nothing and
// fails if the page is stale.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "docs", "decisions");
const page = join(folder, "README.md");

function describe(file) {
  const text = readFileSync(join(folder, file), "utf8");
  const heading = /^# (\d{4}):? (.+)$/m.exec(text);
  if (!heading || !file.startsWith(heading[1]))
    throw new Error(`docs/decisions/${file} must start with “# ${file.slice(0, 4)}: …”.`);
  const next = /^Superseded by \[(\d{4})\]/m.exec(text);
  return `| [${heading[1]}](${file}) | ${heading[2]}${next ? ` (superseded by ${next[1]})` : ""} |`;
}

const decisions = readdirSync(folder).filter((file) => file.endsWith(".md") && file !== "README.md");
const fresh = [
  "# Decisions",
  "",
  "Each page explains one choice that a newcomer would question. If a decision is no longer valid, a new page supersedes",
  "it, and the old page stays as it was. `npm run docs` writes this list.",
  "",
  "| # | decision |",
  "|---|---|",
  ...decisions.sort().map(describe),
  "",
].join("\n");

if (!process.argv.includes("--check")) writeFileSync(page, fresh);
else if (fresh !== readFileSync(page, "utf8")) {
  console.error("docs/decisions/README.md is out of date: run npm run docs");
  process.exit(1);
}
