import { lstat, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { InstallRequest, InstallResult, RunOptions } from "../../ports/notebook/cell-runner.ts";
import { installLimits } from "../limits.ts";
import { type Ended, runContained } from "../process/run-contained.ts";
import { findNpm } from "./find-npm.ts";
import { npmEnvironment } from "./npm-environment.ts";
import { readLockfile } from "./read-lockfile.ts";

type InstallPaths = { node: string; parent: string; directory: string };

/**
 * In a folder of its own that no cell can reach: npm works out what it would take, that is held against the rules, and
 * only then fetched, without any script. The outcome takes the place of the notebook's node_modules as a whole.
 */
export async function installPackages(
  { packages }: InstallRequest,
  { signal, progress }: RunOptions,
  { node, parent, directory }: InstallPaths,
): Promise<InstallResult> {
  const startedAt = performance.now();
  const found: Pick<InstallResult, "installed" | "wantedScripts"> = { installed: [], wantedScripts: [] };
  const done = (outcome: Pick<InstallResult, "status" | "output" | "error">): InstallResult => ({
    ...outcome,
    ...found,
    durationMs: Math.round(performance.now() - startedAt),
  });
  if (packages.length === 0) {
    await rm(join(directory, "node_modules"), { recursive: true, force: true });
    return done({ status: "completed", output: "" });
  }
  const npm = await findNpm(node);
  if (npm === undefined)
    return done({ status: "failed", output: "", error: "npm is not there; it comes with Node.js." });
  const folder = await mkdtemp(join(parent, ".install-"));
  try {
    const env = await npmEnvironment(node, npm, folder);
    const dependencies = Object.fromEntries(packages.map(({ name, range }) => [name, range]));
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ private: true, type: "module", dependencies }),
    );
    const runNpm = (...args: string[]) =>
      runContained({
        command: [node, npm, ...args],
        directory: folder,
        env,
        timeoutMs: installLimits.timeMs,
        reportBytes: 0,
        signal,
      });

    progress(`resolving ${packages.length} packages`);
    const resolved = await runNpm("install", "--package-lock-only");
    if (resolved.exitCode !== 0) return done(failed(resolved));
    const lock = await readFile(join(folder, "package-lock.json"), "utf8");
    const { refusal, ...plan } = readLockfile(lock, env["npm_config_registry"] ?? "");
    if (refusal !== undefined)
      return done({ status: "failed", output: "", error: `Nothing was installed: ${refusal}.` });

    progress(`fetching ${plan.packages.length} packages`);
    const fetched = await runNpm("ci");
    if (fetched.exitCode !== 0) return done(failed(fetched));
    const modules = join(folder, "node_modules");
    if ((await sizeOf(modules)) > installLimits.bytes)
      return done({
        status: "failed",
        output: "",
        error: `Nothing was installed: it takes more than ${installLimits.bytes / 1024 / 1024} MiB.`,
      });
    await rm(join(directory, "node_modules"), { recursive: true, force: true });
    if (plan.packages.length > 0) await rename(modules, join(directory, "node_modules"));
    found.installed = plan.packages;
    found.wantedScripts = plan.wantedScripts;
    progress("installed");
    return done({ status: "completed", output: fetched.output });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function failed({
  stoppedBy,
  output,
  complaints,
}: Ended): Pick<InstallResult, "status" | "output" | "error"> {
  if (stoppedBy === "cancelled")
    return { status: "failed", output, error: "The installation was cancelled." };
  if (stoppedBy !== undefined)
    return { status: "failed", output, error: `npm did not end within ${installLimits.timeMs / 1000} s.` };
  const lines = complaints.split("\n").filter((line) => !/complete log of this run|_logs/.test(line));
  return { status: "failed", output, error: lines.join("\n").trim().slice(0, 2_000) || "npm failed." };
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries)
    if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
