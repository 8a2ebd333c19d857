import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InstallRequest, InstallResult, RunOptions } from "../../ports/notebook/cell-runner.ts";
import { installLimits, type SpareDisk } from "../limits.ts";
import { holdsTooMuch, isNearlyFull, watchDisk } from "../process/disk-watch.ts";
import { type Ended, runContained } from "../process/run-contained.ts";
import type { Layer } from "../sandbox/layer.ts";
import { withLimits } from "../sandbox/resource-limits.ts";
import { findNpm } from "./find-npm.ts";
import { npmEnvironment, readOwnSettings } from "./npm-environment.ts";
import { readLockfile } from "./read-lockfile.ts";
import { onlyTo, openRegistryProxy } from "./registry-proxy.ts";

type Surroundings = {
  node: string;
  layer: Layer;
  parent: string;
  directory: string;
  most: { bytes: number; entries: number };
  spareDisk: SpareDisk;
};

/**
 * In a folder of its own that no cell can reach: npm works out what it would take, that is held against the rules, and
 * only then fetched, without any script. The outcome takes the place of the notebook's node_modules as a whole. npm runs
 * in the layer, where it sees that folder and itself, and reaches the registry by our proxy alone.
 */
export async function installPackages(
  { packages }: InstallRequest,
  { signal, progress }: RunOptions,
  { node, layer, parent, directory, most, spareDisk }: Surroundings,
): Promise<InstallResult> {
  const startedAt = performance.now();
  const found: Pick<InstallResult, "installed" | "wantedScripts"> = { installed: [], wantedScripts: [] };
  const notEnforced = layer.hasMounts ? [] : unguarded;
  const done = (outcome: Pick<InstallResult, "status" | "output" | "error">): InstallResult => ({
    ...outcome,
    ...found,
    notEnforced,
    durationMs: Math.round(performance.now() - startedAt),
  });
  if (packages.length === 0) {
    await rm(join(directory, "node_modules"), { recursive: true, force: true });
    return done({ status: "completed", output: "" });
  }
  const npm = await findNpm(node);
  if (npm === undefined)
    return done({ status: "failed", output: "", error: "npm is not there; it comes with Node.js." });
  const own = await readOwnSettings(node, npm);
  const folder = await mkdtemp(join(parent, ".install-"));
  const proxy = await openRegistryProxy(own);
  try {
    const inside = layer.inside(folder);
    if (own.cafile !== undefined) await copyFile(own.cafile, join(folder, "ca.pem"));
    const env = npmEnvironment(node, inside, {
      ...own,
      cafile: own.cafile === undefined ? undefined : join(inside, "ca.pem"),
    });
    const dependencies = Object.fromEntries(packages.map(({ name, range }) => [name, range]));
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ private: true, type: "module", dependencies }),
    );
    const enclosure = { directory: folder, readable: [dirname(dirname(npm)), proxy.folder] };
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const runNpm = (...args: string[]) =>
      runContained({
        command: withLimits(
          layer.wrap(
            ["/usr/bin/env", ...variables, node, "--import", onlyTo(proxy.path), npm, ...args],
            enclosure,
          ),
          installLimits,
        ),
        directory: folder,
        timeoutMs: installLimits.timeMs,
        reportBytes: 0,
        signal,
        watch: (over) =>
          watchDisk(
            async () =>
              (await holdsTooMuch(folder, undefined, most)) || (await isNearlyFull(folder, spareDisk)),
            over,
          ),
      });

    progress(`resolving ${packages.length} packages`);
    const resolved = await runNpm("install", "--package-lock-only");
    if (resolved.exitCode !== 0) return done(failed(resolved, most.bytes));
    const lock = await readFile(join(folder, "package-lock.json"), "utf8");
    const { refusal, ...plan } = readLockfile(lock, own.registry);
    if (refusal !== undefined)
      return done({ status: "failed", output: "", error: `Nothing was installed: ${refusal}.` });

    progress(`fetching ${plan.packages.length} packages`);
    const fetched = await runNpm("ci");
    if (fetched.exitCode !== 0) return done(failed(fetched, most.bytes));
    const modules = join(folder, "node_modules");
    if (await holdsTooMuch(modules, undefined, most))
      return done({ status: "failed", output: "", error: tooLarge(most.bytes) });
    await rm(join(directory, "node_modules"), { recursive: true, force: true });
    if (plan.packages.length > 0) await rename(modules, join(directory, "node_modules"));
    found.installed = plan.packages;
    found.wantedScripts = plan.wantedScripts;
    progress("installed");
    return done({ status: "completed", output: fetched.output });
  } finally {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where the kernel guards nothing. */
const unguarded = [
  "reading and writing other files",
  "starting programs",
  "connecting to anything but the registry",
];

const tooLarge = (bytes: number) =>
  `Nothing was installed: it takes more than ${bytes / 1024 / 1024} MiB, or the disk is nearly full.`;

function failed(
  { stoppedBy, output, complaints }: Ended,
  bytes: number,
): Pick<InstallResult, "status" | "output" | "error"> {
  if (stoppedBy === "cancelled")
    return { status: "failed", output, error: "The installation was cancelled." };
  if (stoppedBy === "disk") return { status: "failed", output, error: tooLarge(bytes) };
  if (stoppedBy !== undefined)
    return { status: "failed", output, error: `npm did not end within ${installLimits.timeMs / 1000} s.` };
  const lines = complaints.split("\n").filter((line) => !/complete log of this run|_logs/.test(line));
  return { status: "failed", output, error: lines.join("\n").trim().slice(0, 2_000) || "npm failed." };
}
