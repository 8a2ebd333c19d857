import { join } from "node:path";
import { cellLimits } from "../limits.ts";
import type { Enclosure, Layer } from "./layer.ts";

/** The flags of the Node.js version in use. They differ between versions. */
export type NodeFlags = { permission: string; knowsNetwork: boolean };

export function knownFlags(allowed: ReadonlySet<string>): NodeFlags {
  return {
    permission: allowed.has("--permission") ? "--permission" : "--experimental-permission",
    knowsNetwork: allowed.has("--allow-net"),
  };
}

export function permissionArguments(
  { permission, knowsNetwork }: NodeFlags,
  layer: Layer,
  { directory, scratch, network }: Enclosure,
): string[] {
  if (!layer.permissions) return [];
  const own = layer.inside(directory);
  const temporary = layer.hasMounts ? ["/tmp"] : [];
  return [
    permission,
    ...[own, ...temporary].map((path) => `--allow-fs-read=${path}`),
    ...[join(own, scratch?.folder ?? ""), ...temporary].map((path) => `--allow-fs-write=${path}`),
    ...(network && knowsNetwork ? ["--allow-net"] : []),
  ];
}

/** The source of programs for the sandbox, so that their files need not be readable in it. */
export type SandboxPrograms = {
  /** The source of a module that disables what Node's permission flags still allow. */
  lockdown: string;
  cell: string;
};

/** `text` is the source of a module. If the layer relies on Node's restrictions, `lockdown` runs first. */
export function evaluateArguments(
  text: string,
  { lockdown }: Pick<SandboxPrograms, "lockdown">,
  layer: Layer,
  { network }: Pick<Enclosure, "network">,
): string[] {
  const lockdownArguments = [network ? "net" : "no-net", layer.hasMounts ? "mounts" : "no-mounts"];
  return [
    `--max-old-space-size=${cellLimits.heapMebibytes}`,
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
    "--input-type=module",
    "--eval",
    ...(layer.permissions ? [`${lockdown}\n${text}`, ...lockdownArguments] : [text]),
  ];
}
