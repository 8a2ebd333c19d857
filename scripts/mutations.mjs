// Breaks ten rules, one after the other, and runs the tests that should notice: `node scripts/mutations.mjs`.
// Prints a Markdown table for docs/decisions/; ends with 1 where a broken rule went unnoticed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const vitest = join(root, "node_modules", ".bin", "vitest");

const mutations = [
  {
    rule: "scope: a project lock hides sessions of other projects",
    file: "src/operations/pipeline/handle.ts",
    from: "record && settings.projectLock &&",
    to: "record && !settings.projectLock && settings.projectLock &&",
    tests: ["tests/journeys/sessions/projects.test.ts"],
  },
  {
    rule: "stage gate: a call at a later stage is refused",
    file: "src/operations/pipeline/stage-gate.ts",
    from: "scope.handle.stage >= requiredStage",
    to: "scope.handle.stage + 1 >= requiredStage",
    tests: ["tests/catalogue/stages.test.ts"],
  },
  {
    rule: "secrets: `redact` masks before storing",
    file: "src/operations/pipeline/secrets.ts",
    from: "return redacts ? maskSecretsDeep(value) : value;",
    to: "return value;",
    tests: ["tests/journeys/thinking/secrets.test.ts"],
  },
  {
    rule: "fit: no answer is longer than its budget",
    file: "src/operations/pipeline/fit/trim.ts",
    from: "isWithin(dress(result), limits)",
    to: "isWithin(dress(result), { ...limits, chars: limits.chars + 1 })",
    tests: ["tests/properties/budget.test.ts"],
  },
  {
    rule: "merge: what both sides changed is a conflict",
    file: "src/domain/memory/merge/three-way.ts",
    from: 'return ours === base ? "apply" : "conflict";',
    to: 'return "apply";',
    tests: ["tests/journeys/memory/memory-merge-stories.test.ts"],
  },
  {
    rule: "branches: a base is not deleted before the branches made from it",
    file: "src/domain/memory/branch-rules.ts",
    from: "if (child !== undefined) throw",
    to: 'if (child === "") throw',
    tests: ["tests/journeys/memory/memory-branches.test.ts"],
  },
  {
    rule: "commit queue: a refused write leaves nothing behind",
    file: "src/storage/sqlite/connection/commit-queue.ts",
    from: "ofRun ? write : withSavepoint(write)",
    to: "ofRun || !ofRun ? write : withSavepoint(write)",
    tests: ["tests/contract/memory/memory-atomicity.test.ts"],
  },
  {
    rule: "search: the best hit comes first",
    file: "src/domain/search/rank.ts",
    from: "other.score - one.score || other.arrival",
    to: "one.score - other.score || other.arrival",
    tests: ["src/domain/search/rank.test.ts"],
  },
  {
    rule: "session import: a different history is refused",
    file: "src/storage/sqlite/ledger/import-parts.ts",
    from: 'if (row?.["hash"] !== hash) return',
    to: 'if (row?.["hash"] === "") return',
    tests: ["tests/contract/tree/tree-import.test.ts"],
  },
  {
    rule: "hostile JSON: a NUL in a text is refused",
    file: "src/kernel/json/json-guard.ts",
    from: 'return text.includes("\\0") &&',
    to: 'return text === "\\0" &&',
    tests: ["src/kernel/json/json-guard.test.ts"],
  },
];

function failedTests(tests) {
  const folder = mkdtempSync(join(tmpdir(), "thoughtbox-mutations-"));
  const report = join(folder, "report.json");
  try {
    spawnSync(vitest, ["run", ...tests, "--reporter=json", `--outputFile=${report}`], {
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

function run({ rule, file, from, to, tests }) {
  const path = join(root, file);
  const whole = readFileSync(path, "utf8");
  if (whole.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
  console.error(`mutations: ${rule} …`);
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    return { rule, file, tests, failed: failedTests(tests) };
  } finally {
    writeFileSync(path, whole);
  }
}

const [only] = process.argv.slice(2);
const results = mutations.filter(({ rule }) => only === undefined || rule.startsWith(only)).map(run);
const rows = results.map(
  ({ rule, file, tests, failed }) =>
    `| ${rule} | \`${file}\` | ${failed.length === 0 ? "**nobody**" : `${failed.length} of \`${tests.join("`, `")}\`: “${failed[0]}”`} |`,
);
console.log(["| rule | broken in | noticed by |", "|---|---|---|", ...rows].join("\n"));
process.exit(results.every(({ failed }) => failed.length > 0) ? 0 : 1);
