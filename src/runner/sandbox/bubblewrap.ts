import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { cellLimits } from "../limits.ts";
import {
  type Enclosure,
  type Layer,
  mounted,
  networkFiles,
  outsideOfSystem,
  systemFolders,
  withScratch,
} from "./layer.ts";

/**
 * Gives the process its own namespaces of every kind. The system is read-only, and only the directory is writable.
 * `--die-with-parent` ends everything inside when our process ends.
 */
export function createBubblewrap(bwrap: string, node: string): Layer {
  const system = mountSystem();
  return {
    level: "strong",
    hasMounts: true,
    permissions: true,
    inside: () => mounted.directory,
    wrap: (command, enclosure) => [
      ...(enclosure.network ?? []),
      bwrap,
      "--unshare-all",
      ...(enclosure.network ? ["--share-net"] : []),
      "--die-with-parent",
      "--clearenv",
      ...["--uid", "65534", "--gid", "65534", "--hostname", "notebook"],
      ...["--cap-drop", "ALL"],
      ...["--proc", "/proc", "--dev", "/dev"],
      ...["--size", String(cellLimits.temporaryBytes), "--tmpfs", "/tmp"],
      ...system,
      ...outsideOfSystem([node, ...enclosure.readable]).flatMap((path) => [
        ...["--dir", dirname(path)],
        ...["--ro-bind", path, path],
      ]),
      ...(enclosure.network ? networkFiles.flatMap((file) => ["--ro-bind-try", file, file]) : []),
      ...mountDirectory(enclosure),
      // `/dev` and `/` are file systems in memory without a size limit.
      ...["--remount-ro", "/dev", "--remount-ro", "/"],
      ...["--setenv", "HOME", mounted.directory, "--setenv", "TMPDIR", "/tmp"],
      "--",
      ...withScratch(command, enclosure),
    ],
  };
}

function mountDirectory({ directory, scratch }: Enclosure): string[] {
  const own = mounted.directory;
  if (!scratch) return ["--bind", directory, own, "--chdir", own];
  const work = join(own, scratch.folder);
  return [
    ...["--ro-bind", directory, own],
    ...["--ro-bind", join(directory, scratch.folder), mounted.kept],
    ...["--size", String(scratch.bytes), "--tmpfs", work, "--chdir", work],
  ];
}

function mountSystem(): string[] {
  return systemFolders.flatMap((folder) => {
    if (!existsSync(folder)) return [];
    if (lstatSync(folder).isSymbolicLink()) return ["--symlink", readlinkSync(folder), folder];
    return ["--ro-bind", folder, folder];
  });
}
