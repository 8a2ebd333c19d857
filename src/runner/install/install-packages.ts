import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { count } from "../../kernel/numbers.ts";
import type { InstallRequest, InstallResult, RunOptions } from "../../ports/notebook/cell-runner.ts";
import { installLimits, type SpareDisk } from "../limits.ts";
import { holdsTooMuch, isNearlyFull, watchDisk } from "../process/disk-watch.ts";
import { type Ended, runContained } from "../process/run-contained.ts";
import { findProgram, type Layer, withLimits } from "../sandbox/layer.ts";
import { onlyTo, openRegistryProxy, type Route } from "./registry-proxy.ts";

type Surroundings = {
  node: string;
  layer: Layer;
  parent: string;
  directory: string;
  most: { bytes: number; entries: number };
  spareDisk: SpareDisk;
};

/** The user's npm settings for the registry: its URL and certificates. */
type OwnSettings = Route & { cafile?: string | undefined; strictSsl?: string | undefined };

/**
 * Returns all settings for an installation. In npm, environment variables override configuration files. There
 * is no `.npmrc` next to the package.json, because packages are installed in a new folder. The proxy's
 * address is a dummy, because every connection is redirected to our proxy.
 */
function npmEnvironment(node: string, folder: string, own: OwnSettings): Record<string, string> {
  const proxy = "http://127.0.0.1:1/";
  return {
    npm_config_registry: own.registry,
    ...(own.cafile !== undefined && { npm_config_cafile: own.cafile }),
    ...(own.strictSsl !== undefined && { npm_config_strict_ssl: own.strictSsl }),
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: "",
    PATH: dirname(node),
    HOME: folder,
    TMPDIR: folder,
    npm_config_userconfig: `${folder}/no-user-config`,
    npm_config_globalconfig: `${folder}/no-global-config`,
    npm_config_cache: `${folder}/.cache`,
    npm_config_ignore_scripts: "true",
    npm_config_bin_links: "false",
    // Drops setuid bits and permissions for other users from archives.
    npm_config_umask: "06077",
    npm_config_git: `${folder}/no-git`,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    npm_config_progress: "false",
    npm_config_loglevel: "error",
    npm_config_package_lock: "true",
    npm_config_install_links: "false",
    npm_config_workspaces: "false",
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "500",
    npm_config_fetch_retry_maxtimeout: "2000",
    npm_config_fetch_timeout: "30000",
  };
}

const asked = ["registry", "proxy", "https-proxy", "noproxy", "cafile", "strict-ssl"] as const;

/** Runs in the home directory, with the user's own environment. */
async function readOwnSettings(node: string, npm: string): Promise<OwnSettings> {
  const { stdout } = await promisify(execFile)(node, [npm, "config", "get", ...asked], {
    cwd: homedir(),
    timeout: 20_000,
  });
  const found = new Map(
    stdout.split("\n").flatMap((line) => {
      const at = line.indexOf("=");
      const [key, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      const isSet = at > 0 && value !== "" && value !== "null" && value !== "undefined";
      return isSet ? [[key, value] as const] : [];
    }),
  );
  const registry = found.get("registry") ?? "";
  const { protocol, hostname } = new URL(registry);
  const direct = (found.get("noproxy") ?? "").split(",").map((one) => one.trim().replace(/^\*?\./, ""));
  const isDirect = direct.some((name) => name !== "" && (hostname === name || hostname.endsWith(`.${name}`)));
  const proxy = protocol === "https:" ? (found.get("https-proxy") ?? found.get("proxy")) : found.get("proxy");
  return {
    registry,
    proxy: isDirect ? undefined : proxy,
    cafile: found.get("cafile"),
    strictSsl: found.get("strict-ssl"),
  };
}

/**
 * Installs in a separate folder that no cell can reach. npm resolves the packages, the result is checked
 * against the rules, and only then are they downloaded, without running scripts. The result then replaces the
 * notebook's whole node_modules folder. Inside the sandbox layer, npm sees only that folder and its own
 * files, and reaches only the registry, through our proxy.
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
    return done({ status: "failed", output: "", error: "npm was not found. It is part of Node.js." });
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

    progress(`resolving ${count(packages.length, "package")}`);
    const resolved = await runNpm("install", "--package-lock-only");
    if (resolved.exitCode !== 0) return done(failed(resolved, most.bytes));
    const lock = await readFile(join(folder, "package-lock.json"), "utf8");
    const { refusal, ...plan } = readLockfile(lock, own.registry);
    if (refusal !== undefined)
      return done({ status: "failed", output: "", error: `Nothing was installed: ${refusal}.` });

    progress(`fetching ${count(plan.packages.length, "package")}`);
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

/** Restrictions that are not enforced without a kernel sandbox. */
const unguarded = [
  "reading and writing other files",
  "starting programs",
  "connecting to anything but the registry",
];

const tooLarge = (bytes: number) =>
  `Nothing was installed. The packages need more than ${bytes / 1024 / 1024} MiB, or the disk is nearly full.`;

function failed(
  { stoppedBy, output, complaints }: Ended,
  bytes: number,
): Pick<InstallResult, "status" | "output" | "error"> {
  if (stoppedBy === "cancelled")
    return { status: "failed", output, error: "The installation was cancelled." };
  if (stoppedBy === "disk") return { status: "failed", output, error: tooLarge(bytes) };
  if (stoppedBy !== undefined)
    return { status: "failed", output, error: `npm did not finish within ${installLimits.timeMs / 1000} s.` };
  const lines = complaints.split("\n").filter((line) => !/complete log of this run|_logs/.test(line));
  return { status: "failed", output, error: lines.join("\n").trim().slice(0, 2_000) || "npm failed." };
}

/** Returns the path of npm's script, which runs with our own Node.js. */
async function findNpm(node: string): Promise<string | undefined> {
  const beside = [
    join(dirname(node), "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(dirname(node), "node_modules", "npm", "bin", "npm-cli.js"),
    "/usr/share/nodejs/npm/bin/npm-cli.js",
  ].find(existsSync);
  if (beside !== undefined) return beside;
  const found = await findProgram("npm");
  return found === undefined ? undefined : realpathSync(found);
}

type LockEntry = { version?: unknown; resolved?: unknown; link?: unknown; hasInstallScript?: unknown };

type Plan = {
  /** Why nothing was installed. */
  refusal: string | undefined;
  packages: { name: string; version: string }[];
  wantedScripts: string[];
};

/** Reads from the lockfile what npm would install. Everything must come from the registry. */
export function readLockfile(text: string, registry: string): Plan {
  const { packages: entries = {} } = JSON.parse(text) as { packages?: Record<string, LockEntry> };
  const listed = Object.entries(entries).filter(([path]) => path !== "");
  const plan: Plan = { refusal: undefined, packages: [], wantedScripts: [] };
  if (listed.length > installLimits.packages)
    plan.refusal = `the packages and their dependencies exceed the limit of ${installLimits.packages} packages`;
  for (const [path, entry] of listed) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    if (!comesFrom(registry, entry) || !/^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/?)+$/.test(path))
      plan.refusal ??= `${name} is not from the registry`;
    plan.packages.push({ name, version: String(entry.version ?? "") });
    if (entry.hasInstallScript === true) plan.wantedScripts.push(name);
  }
  return plan;
}

function comesFrom(registry: string, { resolved, link }: LockEntry): boolean {
  if (link === true || typeof resolved !== "string") return false;
  return hostOf(resolved) !== undefined && hostOf(resolved) === hostOf(registry);
}

function hostOf(url: string): string | undefined {
  try {
    const { protocol, host } = new URL(url);
    return protocol === "https:" || protocol === "http:" ? host : undefined;
  } catch {
    return undefined;
  }
}
