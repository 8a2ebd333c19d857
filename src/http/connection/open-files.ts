import { readFileSync } from "node:fs";

/** How many files and sockets this process may have open; `undefined` where the system does not say. */
function readOpenFileLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Half of them for connections: the store, its files and those who are about to be refused need some too. */
export function fitConnections(wanted: number, openFiles = readOpenFileLimit()): number {
  return openFiles === undefined ? wanted : Math.min(wanted, Math.max(16, Math.floor(openFiles / 2)));
}
