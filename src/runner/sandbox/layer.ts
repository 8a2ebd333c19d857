import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxLevel } from "../../ports/notebook/cell-runner.ts";
import { cellLimits } from "../limits.ts";

/** Where a process works and what it may reach. */
export type Enclosure = {
  /** Can be written, unless there is a scratch in it. */
  directory: string;
  /**
   * A folder of the directory. Where the layer has its own mounts, the process works on a copy of it that has
   * a limit in memory and comes back as a tar archive on descriptor 4; the rest of the directory is
   * read-only.
   */
  scratch?: Scratch;
  /** Further files and folders that it may read, under their own names. */
  readable: readonly string[];
  /** The command that gives what follows its own network; without one there is none. */
  network?: readonly string[] | undefined;
};

export type Scratch = { folder: string; bytes: number; entries: number };

/** One way to keep a process from the rest of the machine. */
export type Layer = {
  level: SandboxLevel;
  /** Whether it has its own mounts: nothing of the machine is there but what is shown to it. */
  hasMounts: boolean;
  /** The directory under the name that the process sees. */
  inside(directory: string): string;
  /** Whether Node's own permission flags are part of it. */
  permissions: boolean;
  /** The command that runs this command inside the layer. */
  wrap(command: readonly string[], enclosure: Enclosure): string[];
};

/** What the directory is called where a layer has its own mounts, and where the scratch is copied from. */
export const mounted = { directory: "/notebook", kept: "/kept" } as const;

/** Shown only where there is a network. */
export const networkFiles = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki"];

/** The system folders of any Linux. They contain no secrets. */
export const systemFolders = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store"];

/**
 * Fills the scratch, runs the command without the descriptor that the archive goes to, and sends what is there
 * afterwards. A shell between also hears signals for the command, to which the first process of a namespace is deaf.
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

/**
 * Where systems keep such programs. Not PATH, because a process that can change it must not choose our
 * sandbox.
 */
const folders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];

export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // It is not there.
    }
  }
  return undefined;
}

type Limits = { processorSeconds: number; openFiles: number };

/**
 * `ulimit` of the shell sets them for the process that takes its place; Node itself cannot. Sizes are in 512 and 1024
 * bytes, as POSIX and custom have it. A limit that a system does not know is passed over.
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
