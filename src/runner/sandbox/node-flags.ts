import { cellLimits } from "../limits.ts";
import type { Layer } from "./layer.ts";

/** What the running Node calls things; they changed their names over the versions. */
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
  { directory, net }: { directory: string; net: boolean },
): string[] {
  if (!layer.permissions) return [];
  const own = layer.inside(directory);
  const temporary = layer.level === "strong" ? ["/tmp"] : [];
  return [
    permission,
    ...[own, ...temporary].flatMap((path) => [`--allow-fs-read=${path}`, `--allow-fs-write=${path}`]),
    ...(net && knowsNetwork ? ["--allow-net"] : []),
  ];
}

/** `text` is a program that stands on the command line, so that it need not be readable inside the sandbox. */
export function evaluateArguments(text: string): string[] {
  return [
    `--max-old-space-size=${cellLimits.heapMebibytes}`,
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
    "--input-type=module",
    "--eval",
    text,
  ];
}
