// Runs the fault tests with large numbers for hours, and prints a Markdown table for docs/guide/durability.md.
// `--share 0.1` runs a tenth of everything. `--only kills` runs one step and can be repeated. `--kills 50`,
// `--power-cuts 20`, … set one number. `--seed` repeats a run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { programOf } from "./program-of.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [node, vitest] = programOf(root, "vitest");

/** Each step's repetitions and tests. Tests read the number from SOAK_…, see tests/support/run/soak.ts. */
const steps = [
  { flag: "kills", times: 1_000, files: ["tests/faults/kill.test.ts"] },
  { flag: "mixed-kills", times: 400, min: 8, files: ["tests/faults/mixed-kills.test.ts"] },
  { flag: "writer-thoughts", times: 500, min: 20, files: ["tests/faults/many-writers.test.ts"] },
  { flag: "memory-kills", times: 200, min: 8, files: ["tests/faults/memory-processes.test.ts"] },
  { flag: "database-kills", times: 200, files: ["tests/postgres/kills.test.ts"] },
  { flag: "database-failovers", times: 20, min: 1, files: ["tests/postgres/kills.test.ts"] },
  { flag: "power-cuts", times: 200, files: ["tests/faults/disk/power-cut.test.ts"] },
  { flag: "ext4-power-cuts", times: 50, files: ["tests/faults/disk/power-cut-ext4.test.ts"] },
  {
    flag: "syscall-samples",
    times: 60,
    min: 6,
    files: ["tests/faults/disk/syscalls.test.ts", "tests/faults/disk/store-syscalls.test.ts"],
  },
  { flag: "damages", times: 200, min: 8, files: ["tests/faults/disk/corruption.test.ts"] },
  { flag: "crashing-histories", times: 100, files: ["tests/properties/crashing-histories.test.ts"] },
  {
    flag: "hostile-messages",
    times: 20_000,
    files: ["tests/faults/messages/mutated-messages.test.ts", "tests/faults/messages/hostile-http.test.ts"],
  },
  { flag: "restored-histories", times: 200, files: ["tests/properties/dump-and-restore.test.ts"] },
  { flag: "search-histories", times: 300, files: ["tests/properties/ledger-search-agreement.test.ts"] },
  { flag: "budget-histories", times: 40, files: ["tests/properties/memory-budgets.test.ts"] },
  {
    flag: "projected-sessions",
    times: 5_000,
    min: 400,
    files: ["tests/tree/tree-import-large.test.ts"],
  },
  {
    flag: "processor-time",
    times: 100,
    min: 100,
    files: [
      "tests/faults/processor-time.test.ts",
      ...["imports", "large", "messages", "observatory", "stored", "transcripts", "upkeep"].map(
        (name) => `tests/faults/processor-time-${name}.test.ts`,
      ),
    ],
  },
  { flag: "viewers", times: 100, min: 10, files: ["tests/observatory/server/crowd.test.ts"] },
  { flag: "load-seconds", times: 600, files: ["tests/faults/load.test.ts"] },
];

const options = Object.fromEntries(
  ["share", "seed", ...steps.map(({ flag }) => flag)].map((name) => [name, { type: "string" }]),
);
const { values } = parseArgs({ options: { ...options, only: { type: "string", multiple: true } } });
const unknown = (values.only ?? []).filter((name) => !steps.some(({ flag }) => flag === name));
if (unknown.length > 0) throw new Error(`no step is called ${unknown.join(", ")}`);
const share = Number(values.share ?? 1);
const seed = String(values.seed ?? Date.now() % 1_000_000_000);

function run({ flag, times, files, min = 2 }) {
  const count = Math.max(min, Math.round(Number(values[flag] ?? times * share)));
  const folder = mkdtempSync(join(tmpdir(), "thoughtbox-soak-"));
  const report = join(folder, "report");
  writeFileSync(report, "");
  const variable = `SOAK_${flag.toUpperCase().replaceAll("-", "_")}`;
  console.error(`soak: ${flag} × ${count}, seed ${seed} …`);
  const began = Date.now();
  const { status } = spawnSync(node, [vitest, "run", ...files], {
    cwd: root,
    env: { ...process.env, [variable]: String(count), SOAK_REPORT: report, SOAK_SEED: seed },
    stdio: ["ignore", 2, 2],
  });
  const lines = readFileSync(report, "utf8").split("\n").filter(Boolean);
  rmSync(folder, { recursive: true });
  const rows = lines.map((line) => JSON.parse(line));
  if (rows.length === 0) rows.push({ what: flag, done: "nothing was reported" });
  const seconds = Math.round((Date.now() - began) / 1_000);
  return { isGood: status === 0 && lines.length > 0, seconds, rows };
}

const results = steps.filter(({ flag }) => values.only?.includes(flag) ?? true).map(run);
const table = results.flatMap(({ isGood, seconds, rows }) =>
  rows.map(
    ({ what, done }, n) =>
      `| ${what} | ${done} | ${isGood ? "passed" : "FAILED"} | ${n === 0 ? `${seconds} s` : ""} |`,
  ),
);
console.log(["| what | how much | result | time |", "|---|---|---|---|", ...table].join("\n"));
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
