import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Why a process cannot be inspected here, or `undefined`. */
export const noProcessTraces: string | undefined =
  process.platform === "linux"
    ? undefined
    : "processes are looked into by way of /proc, which only Linux has";

/** Returns a process's resources: ports it listens on, file locks, and open files below a directory. */
export function tracesOf(pid: number, directory: string) {
  const descriptors = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  if (descriptors.length < 3) throw new Error(`process ${pid} shows no descriptors: nothing was looked at`);
  return {
    ports: listeningSockets(pid).filter((inode) => descriptors.includes(`socket:[${inode}]`)),
    locks: readFileSync("/proc/locks", "utf8")
      .split("\n")
      .filter((line) => line.split(/\s+/)[4] === String(pid)),
    files: descriptors.filter((path) => path.startsWith(directory)),
  };
}

function listeningSockets(pid: number): string[] {
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === "0A")
      .map((columns) => columns[9] ?? ""),
  );
}
