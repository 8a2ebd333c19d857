import { join } from "node:path";
import { parseArgs } from "node:util";
import { timeNewFiles, warnOfSlowFiles } from "./measure/file-creation.ts";
import { median } from "./measure/statistics.ts";
import { takeYardstick } from "./measure/yardstick.ts";
import { toMarkdown } from "./report/markdown.ts";
import { createReport, saveReport } from "./report/report.ts";
import type { Bench, Line } from "./row.ts";
import { rows } from "./rows.ts";
import { root } from "./servers/candidates.ts";
import { openStoreCache } from "./stores/store-cache.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    out: { type: "string" },
    data: { type: "string" },
    quick: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    million: { type: "boolean", default: false },
    minutes: { type: "string", default: "30" },
  },
});

function chooseRows() {
  const wanted = values.only;
  if (!wanted) return rows;
  const unknown = wanted.filter((id) => !rows.some((row) => row.id === id));
  if (unknown.length > 0) throw new Error(`no row is called ${unknown.join(", ")}; --list names them`);
  return rows.filter(({ id }) => wanted.includes(id));
}

async function run(): Promise<void> {
  const { quick, data, million } = values;
  const chosen = chooseRows();
  const stores = openStoreCache();
  const times = (count: number) => (quick ? Math.ceil(count / 5) : count);
  const bench: Bench = { stores, quick, million, data, times };
  warnOfSlowFiles(median(await timeNewFiles(stores.freshDirectory())));
  const lines: Line[] = [];
  const yardsticks: Record<string, number> = {};
  for (const { id, run: measure } of chosen) {
    yardsticks[id] = takeYardstick();
    const began = performance.now();
    process.stderr.write(`bench: ${id} …`);
    lines.push(...(await measure(bench)));
    process.stderr.write(` ${Math.round((performance.now() - began) / 1_000)} s\n`);
  }
  const report = createReport({ lines, yardsticks, quick });
  const isWhole = !quick && values.only === undefined;
  const folder = values.out ?? (isWhole ? join(root, "bench", "results") : undefined);
  if (folder !== undefined) saveReport(report, folder);
  process.stdout.write(toMarkdown(report));
}

/** Exits. `exit` handlers stop child processes and remove temporary files. */
function end(code: number, line?: string): void {
  if (line !== undefined) process.stderr.write(`\nbench: ${line}\n`);
  process.exit(code);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(130, "interrupted"));
setTimeout(() => end(1, "took too long"), Number(values.minutes) * 60_000).unref();

if (values.list) {
  for (const { id, about } of rows) process.stdout.write(`${id.padEnd(20)}${about}\n`);
} else {
  run().then(
    () => end(0),
    (thrown: unknown) => end(1, thrown instanceof Error ? thrown.stack : String(thrown)),
  );
}
