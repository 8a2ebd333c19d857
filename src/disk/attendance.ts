import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { makeDirectorySync } from "./make-directory.ts";
import { readPlainly } from "./open-without-following.ts";
import { writeWholeSync } from "./write-whole.ts";

/**
 * The sessions and conversations that a process serves. Each process that an agent started has its own file
 * with this content.
 */
type Attended = { machine: string; pid: number; serves: string[]; endedAt?: number };

export type Attendance = {
  /** Records that this process serves the session or conversation with this ID. Returns immediately. */
  note(id: string): void;
  leave(): void;
};

const folderOf = (dataDir: string): string => join(dataDir, "run", "agents");
const longest = 1024 * 1024;
/** How long files are kept. After an hour without activity, a session is quiet anyway. */
const keptForMs = 60 * 60_000;
/** How long files from other machines are kept. This process cannot check whether their writers still run. */
const keptElsewhereMs = 24 * 60 * 60_000;

/** If a process cannot write its file, its sessions become quiet only after an hour without activity. */
export function createAttendance(dataDir: string, now: () => number): Attendance {
  const name = `${process.pid}-${randomUUID()}.json`;
  const machine = nameMachine();
  const serves = new Set<string>();
  let soon: NodeJS.Immediate | undefined;

  function write(endedAt?: number): void {
    soon = undefined;
    const attended: Attended = {
      machine,
      pid: process.pid,
      serves: [...serves],
      ...(endedAt && { endedAt }),
    };
    try {
      makeDirectorySync(folderOf(dataDir));
      replace(dataDir, name, attended);
    } catch {}
  }

  return {
    note(id) {
      if (serves.has(id)) return;
      serves.add(id);
      soon ??= setImmediate(write).unref();
    },
    leave() {
      clearImmediate(soon);
      if (serves.size === 0) return;
      write(now());
      // Called only to remove old files.
      readDepartures(dataDir, now());
    },
  };
}

/**
 * Returns when the last process of each session or conversation ended, in milliseconds since 1970. Omits IDs that a
 * running process serves. A killed process cannot record its end, so the first reader that finds it gone records it.
 */
export function readDepartures(dataDir: string, now: number): ReadonlyMap<string, number> {
  const machine = nameMachine();
  const ends = new Map<string, number>();
  for (const name of listNames(dataDir)) {
    try {
      const path = join(folderOf(dataDir), name);
      const attended: Attended = JSON.parse(readPlainly(path, longest).toString("utf8"));
      const isElsewhere = attended.machine !== machine;
      if (attended.endedAt === undefined && !isElsewhere && !isRunning(attended.pid)) {
        attended.endedAt = now;
        replace(dataDir, name, attended);
      }
      const { endedAt = Number.POSITIVE_INFINITY } = attended;
      const isOld = isElsewhere && now - lstatSync(path).mtimeMs > keptElsewhereMs;
      if (isOld || now - endedAt > keptForMs) unlinkSync(path);
      else for (const id of attended.serves) ends.set(id, Math.max(endedAt, ends.get(id) ?? 0));
    } catch {
      // Another reader removed the file, or this process is not allowed to write.
    }
  }
  return new Map([...ends].filter(([, at]) => Number.isFinite(at)));
}

function listNames(dataDir: string): string[] {
  try {
    return readdirSync(folderOf(dataDir)).filter((name) => /^\d+-[\da-f-]+\.json$/.test(name));
  } catch {
    return [];
  }
}

const replace = (dataDir: string, name: string, attended: Attended): void =>
  writeWholeSync(folderOf(dataDir), name, JSON.stringify(attended), { as: "replace", durable: false });

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM means that the process is running, but as another user.
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Identifies this boot of the machine and this container. Process IDs are unique only within both. */
function nameMachine(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
