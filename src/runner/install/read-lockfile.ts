import { installLimits } from "../limits.ts";

type LockEntry = { version?: unknown; resolved?: unknown; link?: unknown; hasInstallScript?: unknown };

export type Plan = {
  /** Why nothing of it is installed. */
  refusal: string | undefined;
  packages: { name: string; version: string }[];
  wantedScripts: string[];
};

/** What npm would install, from the lockfile it made: everything from the registry, nothing from anywhere else. */
export function readLockfile(text: string, registry: string): Plan {
  const { packages: entries = {} } = JSON.parse(text) as { packages?: Record<string, LockEntry> };
  const listed = Object.entries(entries).filter(([path]) => path !== "");
  const plan: Plan = { refusal: undefined, packages: [], wantedScripts: [] };
  if (listed.length > installLimits.packages)
    plan.refusal = `it takes more than ${installLimits.packages} packages`;
  for (const [path, entry] of listed) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    if (!comesFrom(registry, entry) || !/^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/?)+$/.test(path))
      plan.refusal ??= `${name} does not come from the registry`;
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
