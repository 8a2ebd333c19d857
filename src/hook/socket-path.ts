import { lstatSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isOurs } from "../disk/open-without-following.ts";

/** Systems accept paths of up to 104 or 108 bytes, and Node silently truncates longer ones. */
const longestSocketPath = 100;

/** Returns the path of the socket through which hooks reach the server of a data directory. */
export function hookSocketPath(dataDir: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return `\\\\.\\pipe\\thoughtbox-${shortHash(dataDir)}`;
  const path = join(dataDir, "run", "hook.sock");
  if (Buffer.byteLength(path) <= longestSocketPath) return path;
  return join(tmpdir(), `thoughtbox-${process.getuid?.() ?? 0}-${shortHash(dataDir)}`, "hook.sock");
}

/** Returns the path of the token that both sides send. Any local user can open a Windows pipe. */
export const hookTokenPath = (dataDir: string): string => join(dataDir, "run", "hook.token");

/**
 * Accepts only a socket of this user in a folder of this user. Any other socket may belong to another
 * user.
 */
export function isOwnSocket(path: string): boolean {
  if (path.startsWith("\\\\.\\pipe\\")) return true;
  const isPrivate = (stats: Stats | undefined) =>
    stats !== undefined && isOurs(stats) && (stats.mode & 0o022) === 0;
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  const socket = lstatSync(path, { throwIfNoEntry: false });
  return Boolean(folder?.isDirectory() && isPrivate(folder) && socket?.isSocket() && isPrivate(socket));
}

/**
 * Computes a 64-bit FNV-1a hash. The hash only creates a name, so it need not be secure. Loading a
 * cryptographic hash would exceed the hook's time limit.
 */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}
