import { readFile } from "node:fs/promises";
import type { SandboxLevel, SandboxReport } from "../../ports/notebook/cell-runner.ts";
import { type Attempt, attemptAttacks } from "./attempt-attacks.ts";
import { createBubblewrap } from "./bubblewrap.ts";
import { findProgram, type Layer } from "./layer.ts";
import type { NodeFlags } from "./node-flags.ts";
import { createUnshare, dieWithParent } from "./unshare.ts";

/**
 * `auto` uses the better of the two kernel sandboxes. If a level is named, cells run at that level or not at
 * all.
 */
export type SandboxChoice = "auto" | SandboxLevel;

export type Chosen = { layer: Layer | undefined; report: SandboxReport };

const ofAuto: readonly SandboxLevel[] = ["strong", "medium"];

/**
 * Breaches that are allowed at a level. For a kernel sandbox, the attacks run without Node's own restrictions, so that
 * the kernel alone must stop them. Starting another process in the sandbox is allowed.
 */
const tolerated: Record<SandboxLevel, readonly Attempt["breaches"][number][]> = {
  strong: ["spawn"],
  medium: ["spawn"],
  basic: [],
  none: ["read", "write", "network", "signal", "spawn"],
};

const installers: readonly [RegExp, string][] = [
  [/\b(?:debian|ubuntu)\b/, "sudo apt install bubblewrap"],
  [/\b(?:fedora|rhel|centos)\b/, "sudo dnf install bubblewrap"],
  [/\balpine\b/, "apk add bubblewrap"],
  [/\barch\b/, "sudo pacman -S bubblewrap"],
  [/\bsuse\b/, "sudo zypper install bubblewrap"],
];

const onWindows = {
  level: "strong",
  reason: "Thoughtbox runs cells on Linux and macOS, not on Windows",
} as const;

/** Returns the command that makes a higher level available, or `undefined` if none is known. */
async function howToRaise(hasBubblewrap: boolean): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  if (!hasBubblewrap) {
    const release = await readFile("/etc/os-release", "utf8").catch(() => "");
    return howToInstall(release);
  }
  const restricted = await readFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "utf8").catch(
    () => "0",
  );
  return restricted.trim() === "1"
    ? "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    : undefined;
}

/** Returns the command that installs bubblewrap, chosen by the content of `/etc/os-release`. */
export function howToInstall(release: string): string | undefined {
  return installers.find(([pattern]) => pattern.test(release))?.[1];
}

export async function chooseLayer(
  choice: SandboxChoice,
  node: string,
  flags: NodeFlags,
  lockdown: string,
): Promise<Chosen> {
  // Stopping a cell requires limits and process groups, which require a POSIX shell.
  if (process.platform === "win32")
    return { layer: undefined, report: { level: undefined, lacking: [onWindows], raise: undefined } };
  const [bwrap, unshare, setpriv] = await Promise.all(["bwrap", "unshare", "setpriv"].map(findProgram));
  const candidates: { level: SandboxLevel; layer: Layer | undefined; missing: string }[] = [
    {
      level: "strong",
      layer: bwrap === undefined ? undefined : createBubblewrap(bwrap, node),
      missing: "bubblewrap is not installed",
    },
    {
      level: "medium",
      layer:
        unshare === undefined || setpriv === undefined ? undefined : createUnshare(unshare, setpriv, node),
      missing: "unshare or setpriv, both from util-linux, is not installed",
    },
    { level: "basic", layer: createBasic(setpriv), missing: "" },
    { level: "none", layer: createNone(setpriv), missing: "" },
  ];
  const lacking: { level: SandboxLevel; reason: string }[] = [];
  for (const { level, layer, missing } of candidates) {
    if (choice === "auto" ? !ofAuto.includes(level) : level !== choice) continue;
    const reason = layer ? await flawOf(layer, node, flags, lockdown) : missing;
    if (reason === undefined) {
      const raise =
        choice === "auto" && level !== "strong" ? await howToRaise(bwrap !== undefined) : undefined;
      return { layer, report: { level, lacking, raise } };
    }
    lacking.push({ level, reason });
  }
  return {
    layer: undefined,
    report: { level: undefined, lacking, raise: await howToRaise(bwrap !== undefined) },
  };
}

async function flawOf(
  layer: Layer,
  node: string,
  flags: NodeFlags,
  lockdown: string,
): Promise<string | undefined> {
  const guards = layer.hasMounts ? undefined : { flags, lockdown };
  const { breaches, reason } = await attemptAttacks(layer, node, guards);
  const bad = breaches.filter((breach) => !tolerated[layer.level].includes(breach));
  if (bad.length === 0) return undefined;
  if (bad.includes("start")) return reason === "" ? "a process in the sandbox does not start" : reason;
  return `these attacks succeeded in the sandbox: ${bad.join(", ")}`;
}

/** Uses only Node's own restrictions, none from the kernel. Used only by operators who choose this level. */
function createBasic(setpriv: string | undefined): Layer {
  return {
    level: "basic",
    hasMounts: false,
    permissions: true,
    inside: (directory) => directory,
    wrap: (command, { network = [] }) => [...dieWithParent(setpriv), ...network, ...command],
  };
}

/** Runs a plain process with limits, for operators who choose this level. */
function createNone(setpriv: string | undefined): Layer {
  return { ...createBasic(setpriv), level: "none", permissions: false };
}
