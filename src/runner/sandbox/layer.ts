import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxLevel } from "../../ports/notebook/cell-runner.ts";
import { cellLimits } from "../limits.ts";

/** Where a process works and what it can reach. */
export type Enclosure = {
  /** Writable, unless it contains a scratch. */
  directory: string;
  /**
   * A folder in the directory. If the layer has its own mounts, the process works on a copy of it in memory, with a
   * size limit. The copy is returned as a tar archive on descriptor 4, and the rest of the directory is read-only.
   */
  scratch?: Scratch;
  /** Further files and folders that are readable, under their own names. */
  readable: readonly string[];
  /** The command that gives the process its own network. If omitted, there is no network. */
  network?: readonly string[] | undefined;
};

export type Scratch = { folder: string; bytes: number; entries: number };

/** A way to isolate a process from the rest of the machine. */
export type Layer = {
  level: SandboxLevel;
  /** Whether it has its own mounts, so that only what is mounted is visible. */
  hasMounts: boolean;
  /** The directory's path as the process sees it. */
  inside(directory: string): string;
  /** Whether the layer uses Node's own permission flags. */
  permissions: boolean;
  /** The command that runs this command inside the layer. */
  wrap(command: readonly string[], enclosure: Enclosure): string[];
};

/** The paths of the directory, and of the folder from which the scratch is copied, in a layer with its own mounts. */
export const mounted = { directory: "/notebook", kept: "/kept" } as const;

/** Mounted only if there is a network. */
export const networkFiles = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki"];

/** The system folders of any Linux. They contain no secrets. */
export const systemFolders = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store"];

/**
 * Fills the scratch, runs the command without the archive's descriptor, and sends the resulting files. A shell in
 * between also receives signals for the command, which the first process in a namespace would ignore.
 */
export function withScratch(command: readonly string[], { scratch }: Enclosure): string[] {
  const script = scratch
    ? `cp -a ${mounted.kept}/. . || exit 125; "$@" 4>&-; code=$?; tar -cf - . >&4`
    : '"$@"; code=$?';
  return ["/bin/sh", "-c", `${script}; exit $code`, "sh", ...command];
}

/** Node may be installed in a home directory, so only its file is visible, not the folder. */
export function outsideOfSystem(paths: readonly string[]): string[] {
  return paths.filter((path) => !systemFolders.some((folder) => path.startsWith(`${folder}/`)));
}

/** Where systems install such programs. Not PATH, because a process that can change it must not choose our sandbox. */
const folders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];

export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

type Limits = { processorSeconds: number; openFiles: number };

/**
 * The shell's `ulimit` sets limits for the process that replaces it. Node itself cannot. Sizes are in units of 512 and
 * 1024 bytes, according to POSIX and convention. Limits that a system does not know are skipped.
 */
const script = ({ processorSeconds, openFiles }: Limits): string =>
  [
    "ulimit -c 0",
    `ulimit -S -t ${processorSeconds}`,
    `ulimit -H -t ${processorSeconds + 2}`,
    `ulimit -d ${cellLimits.dataBytes / 1024}`,
    `ulimit -f ${cellLimits.fileBytes / 512}`,
    `ulimit -n ${openFiles}`,
  ]
    .map((line) => `${line} 2>/dev/null || :`)
    .concat('exec "$@"')
    .join("\n");

export function withLimits(
  command: readonly string[],
  { processorSeconds, openFiles }: Limits = cellLimits,
): string[] {
  return ["/bin/sh", "-c", script({ processorSeconds, openFiles }), "sh", ...command];
}
