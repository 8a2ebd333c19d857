// Breaks the rules in mutated-rules.mjs one by one and runs the tests that should notice: `node scripts/mutations.mjs`.
// Prints a Markdown table. Exits with 1 if a broken rule goes unnoticed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutatedRules } from "./mutated-rules.mjs";
import { programOf } from "./program-of.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [node, vitest] = programOf(root, "vitest");

function failedTests(tests) {
  const folder = mkdtempSync(join(tmpdir(), "thoughtbox-mutations-"));
  const report = join(folder, "report.json");
  try {
    spawnSync(node, [vitest, "run", ...tests, "--reporter=json", `--outputFile=${report}`], {
      cwd: root,
      stdio: "ignore",
    });
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    return testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function build() {
  spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "ignore" });
}

function run({ rule, file, from, to, tests, built }) {
  const path = join(root, file);
  const whole = readFileSync(path, "utf8");
  if (whole.split(from).length !== 2) throw new Error(`${file} does not contain exactly once: ${from}`);
  console.error(`mutations: ${rule} …`);
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    if (built) build();
    return { rule, file, tests, failed: failedTests(tests) };
  } finally {
    writeFileSync(path, whole);
    if (built) build();
  }
}

const [only] = process.argv.slice(2);
const results = mutatedRules.filter(({ rule }) => only === undefined || rule.startsWith(only)).map(run);
const rows = results.map(
  ({ rule, file, tests, failed }) =>
    `| ${rule} | \`${file}\` | ${failed.length === 0 ? "**no test**" : `${failed.length} tests in \`${tests.join("`, `")}\`: “${failed[0]}”`} |`,
);
console.log(["| rule | broken in | noticed by |", "|---|---|---|", ...rows].join("\n"));
process.exit(results.every(({ failed }) => failed.length > 0) ? 0 : 1);
