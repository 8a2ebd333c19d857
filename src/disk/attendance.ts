import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { makeDirectorySync } from "./make-directory.ts";
import { readPlainly } from "./open-without-following.ts";
import { writeWholeSync } from "./write-whole.ts";

/** Which sessions and conversations a process serves that an agent started. One file per process. */
type Attended = { machine: string; pid: number; serves: string[]; endedAt?: number };

export type Attendance = {
  /** Notes that this process serves a session or a conversation, by its ID. Returns immediately. */
  note(id: string): void;
  /** Notes that the process ends now. */
  leave(): void;
};

const folderOf = (dataDir: string): string => join(dataDir, "run", "agents");
const longest = 1024 * 1024;
/** A session that was silent for an hour is quiet in any case. */
const keptForMs = 60 * 60_000;
/** Whether a process on another machine still runs is unknown, so its file is kept longer. */
const keptElsewhereMs = 24 * 60 * 60_000;

/** A process that cannot write here works without it. Its sessions then become quiet after an hour of silence. */
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
      // Removes old files, even if no one looks.
      readDepartures(dataDir, now());
    },
  };
}

/**
 * When the last process that served a session or a conversation ended, in milliseconds since 1970. Contains no ID that
 * a running process serves. A killed process cannot note its end, so the first reader that finds it gone does.
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
      // Another reader removed it, or this one may not write.
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
    // The process of another user exists too.
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Process IDs mean something only within one boot of one machine, and only within one container. */
function nameMachine(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
