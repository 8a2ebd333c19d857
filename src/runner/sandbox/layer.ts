import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxLevel } from "../../ports/notebook/cell-runner.ts";
import { cellLimits } from "../limits.ts";

/** Where a process works and what it can reach. */
export type Enclosure = {
  /** Writable, unless there is a `scratch`. */
  directory: string;
  /**
   * A folder in the directory. If the layer has its own mounts, the process works on a size-limited copy of the folder
   * in memory, and writes the copy to descriptor 4 as a tar archive. The rest of the directory is read-only.
   */
  scratch?: Scratch;
  /** Other files and folders that the process can read, under their own paths. */
  readable: readonly string[];
  /** The command that gives the process its own network. If omitted, there is no network. */
  network?: readonly string[] | undefined;
};

export type Scratch = { folder: string; bytes: number; entries: number };

/** A way to isolate a process from the rest of the machine. */
export type Layer = {
  level: SandboxLevel;
  /** True if the layer has its own mounts. The process then sees only what is mounted. */
  hasMounts: boolean;
  /** The directory's path as the process sees it. */
  inside(directory: string): string;
  /** True if the layer uses Node's own permission flags. */
  permissions: boolean;
  /** Wraps a command so that it runs inside the layer. */
  wrap(command: readonly string[], enclosure: Enclosure): string[];
};

/** In a layer with its own mounts, the paths of the directory and of the folder from which the scratch is copied. */
export const mounted = { directory: "/notebook", kept: "/kept" } as const;

/** Mounted only if there is a network. */
export const networkFiles = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki"];

/** System folders of Linux distributions. They contain no secrets. */
export const systemFolders = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store"];

/**
 * Fills the scratch, runs the command without the archive's descriptor, and sends the resulting files. The command is a
 * child of the shell, because the first process of a namespace ignores signals.
 */
export function withScratch(command: readonly string[], { scratch }: Enclosure): string[] {
  const script = scratch
    ? `cp -a ${mounted.kept}/. . || exit 125; "$@" 4>&-; code=$?; tar -cf - . >&4`
    : '"$@"; code=$?';
  return ["/bin/sh", "-c", `${script}; exit $code`, "sh", ...command];
}

/** Returns the paths outside the system's folders, such as Node's own file if it is in a home directory. */
export function outsideOfSystem(paths: readonly string[]): string[] {
  return paths.filter((path) => !systemFolders.some((folder) => path.startsWith(`${folder}/`)));
}

/**
 * The folders in which systems install the sandbox programs. PATH is not used, because a process that can change PATH
 * could replace the sandbox.
 */
const folders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];

export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // The program is not in this folder.
    }
  }
  return undefined;
}

type Limits = { processorSeconds: number; openFiles: number };

/**
 * The shell's `ulimit` sets limits for the process that replaces the shell. Node itself cannot. File sizes are in units
 * of 512 bytes, and memory is in units of 1,024. Unsupported limits are skipped.
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
