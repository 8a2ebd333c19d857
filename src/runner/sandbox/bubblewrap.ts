import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { cellLimits } from "../limits.ts";
import type { Layer } from "./layer.ts";

const inside = "/notebook";

/** What programs are made of on any Linux; nothing in there is anybody's secret. */
const systemFolders = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store"];

/** Needed only where the network is. */
const networkFiles = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki"];

/**
 * Namespaces of its own for users, processes, network, mounts and the rest; the system read-only, the directory the
 * only thing that can be written. `--die-with-parent` ends everything inside when we end.
 */
export function createBubblewrap(bwrap: string, node: string): Layer {
  const system = [...mountSystem(), ...mountNode(node)];
  return {
    level: "strong",
    permissions: true,
    inside: () => inside,
    wrap: (command, { directory, net }) => [
      bwrap,
      "--unshare-all",
      ...(net ? ["--share-net"] : []),
      "--die-with-parent",
      "--clearenv",
      ...["--uid", "65534", "--gid", "65534", "--hostname", "notebook"],
      ...["--cap-drop", "ALL"],
      ...["--proc", "/proc", "--dev", "/dev"],
      ...["--size", String(cellLimits.temporaryBytes), "--tmpfs", "/tmp"],
      ...system,
      ...(net ? networkFiles.flatMap((file) => ["--ro-bind-try", file, file]) : []),
      ...["--bind", directory, inside, "--chdir", inside],
      ...["--setenv", "HOME", inside, "--setenv", "TMPDIR", "/tmp"],
      "--",
      ...command,
    ],
  };
}

function mountSystem(): string[] {
  return systemFolders.flatMap((folder) => {
    if (!existsSync(folder)) return [];
    if (lstatSync(folder).isSymbolicLink()) return ["--symlink", readlinkSync(folder), folder];
    return ["--ro-bind", folder, folder];
  });
}

/** Node may live in somebody's home; the file alone is shown, not what lies around it. */
function mountNode(node: string): string[] {
  if (systemFolders.some((folder) => node.startsWith(`${folder}/`))) return [];
  return ["--dir", dirname(node), "--ro-bind", node, node];
}
