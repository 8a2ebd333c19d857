import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../support/temp-dir.ts";

export type Revision = "2025-11-25" | "2026-07-28";
type Check = { id: string; status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO" };
export type SuiteRun = { exitCode: number; report: string; checks: ReadonlyMap<string, readonly Check[]> };

const here = import.meta.dirname;
const suite = join(here, "..", "node_modules", "@modelcontextprotocol", "conformance");

const expectedFailuresFile = (revision: Revision) => join(here, `expected-failures-${revision}.yml`);

/** Returns the scenarios that the suite requires of a server. */
export function requiredScenarios(revision: Revision): string[] {
  const requirements = readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8");
  const [, list = ""] = /^server:\n((?: {2}- .+\n)+)/m.exec(requirements) ?? [];
  return [...list.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
}

/** Returns the scenarios that may fail. The file that lists them gives the reasons. */
export function expectedFailures(revision: Revision): string[] {
  const entries = readFileSync(expectedFailuresFile(revision), "utf8").matchAll(/^ +- ([^\s:]+)/gm);
  return [...new Set([...entries].map(([, scenario = ""]) => scenario))];
}

/** Runs all server scenarios of a revision in a separate process, as the suite's authors intend. */
export async function runSuite(url: string, revision: Revision): Promise<SuiteRun> {
  const results = join(tempDir(), "results");
  const { exitCode, report } = await run([
    ...[
      "--import",
      new URL("./provide-glob-sync.mjs", import.meta.url).href,
      join(suite, "dist", "index.js"),
    ],
    ...["server", "--url", url, "--requirements", revision, "--output-dir", results],
    ...["--expected-failures", expectedFailuresFile(revision)],
  ]);
  return { exitCode, report, checks: readResults(results) };
}

function run(args: string[]): Promise<{ exitCode: number; report: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const summary = stdout.slice(Math.max(0, stdout.indexOf("=== SUMMARY ===")));
      const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ exitCode, report: `${summary}\n${stderr}` });
    });
  });
}

/** Reads one directory per scenario, named `server-<scenario>-<time>`. */
function readResults(directory: string): Map<string, Check[]> {
  return new Map(
    readdirSync(directory).map((name) => [
      name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ""),
      JSON.parse(readFileSync(join(directory, name, "checks.json"), "utf8")) as Check[],
    ]),
  );
}
