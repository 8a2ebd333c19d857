import { join } from "node:path";
import { cellLimits } from "../limits.ts";
import {
  type Layer,
  mounted,
  networkFiles,
  outsideOfSystem,
  type Scratch,
  systemFolders,
  withScratch,
} from "./layer.ts";

/**
 * Uses util-linux to create namespaces for users, network, processes and mounts. A shell then does what bubblewrap does
 * in C: it builds a new root with the read-only system and the directory, and drops all privileges.
 */
export function createUnshare(unshare: string, setpriv: string, node: string): Layer {
  return {
    level: "medium",
    hasMounts: true,
    permissions: true,
    inside: () => mounted.directory,
    wrap: (command, enclosure) => {
      const { directory, scratch, readable, network } = enclosure;
      return [
        ...dieWithParent(setpriv),
        ...(network ?? []),
        unshare,
        ...["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--ipc", "--uts"],
        ...(network ? [] : ["--net"]),
        "--",
        ...["/bin/sh", "-c", buildRoot(scratch), "sh"],
        ...[directory, scratch ? join(directory, scratch.folder) : ""],
        ...[...outsideOfSystem([node, ...readable, ...(network ? networkFiles : [])]), "--"],
        ...[setpriv, "--bounding-set", "-all", "--inh-caps", "-all", "--no-new-privs", "--"],
        ...withScratch(command, enclosure),
      ];
    },
  };
}

const hardened = "nosuid,nodev";

/**
 * `$1` is the directory, and `$2` is the folder that the scratch is copied from. The next arguments, up to `--`, are
 * the paths to mount, and the rest is the command. The root is built on /sys, which exists on every Linux system and
 * which no cell needs.
 */
const buildRoot = (scratch: Scratch | undefined): string => `
set -e
mount -t tmpfs -o mode=755,size=4m,${hardened} tmpfs /sys
cd /sys
place() {
  if [ -d "$1" ]; then mkdir -p ".$2"; else mkdir -p ".\${2%/*}"; : > ".$2"; fi
  mount --rbind "$1" ".$2"
}
show() {
  place "$1" "$2"
  mount -o remount,bind,ro,${hardened} ".$2"
}
for folder in ${systemFolders.join(" ")}; do
  if [ -L "$folder" ]; then ln -s "$(readlink "$folder")" ".$folder"
  elif [ -d "$folder" ]; then show "$folder" "$folder"; fi
done
mkdir proc dev tmp old
mount -t proc -o ${hardened},noexec proc proc 2>/dev/null || :
for device in null zero full random urandom; do place "/dev/$device" "/dev/$device"; done
mount -t tmpfs -o mode=700,size=${cellLimits.temporaryBytes},nr_inodes=${cellLimits.filesEntries},${hardened} tmpfs tmp
directory=$1 filled=$2
shift 2
${
  scratch
    ? `show "$directory" ${mounted.directory}
show "$filled" ${mounted.kept}
mount -t tmpfs -o mode=700,size=${scratch.bytes},nr_inodes=${scratch.entries},${hardened} tmpfs .${mounted.directory}/${scratch.folder}`
    : `place "$directory" ${mounted.directory}`
}
while [ "$1" != -- ]; do
  [ ! -e "$1" ] || show "$1" "$1"
  shift
done
shift
pivot_root . old
cd /
umount -l /old
rmdir /old
mount -o remount,bind,ro,${hardened} /
cd ${mounted.directory}/${scratch?.folder ?? ""}
exec "$@"`;

/** Returns the words before a command that end its process if the server is killed. */
export function dieWithParent(setpriv: string | undefined): string[] {
  return setpriv === undefined ? [] : [setpriv, "--pdeathsig", "KILL", "--"];
}
