import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { ProjectionBook, ProjectionMarks, WriterGrant } from "../../../ports/projection-book.ts";

/** The longest time for which a killed writer is missed. */
const lastsMs = 3_000;

export type WriterLease = ReturnType<typeof createWriterLease>;

/** This process's claim to be the one that writes the tree. Wall time, because other processes read it. */
export function createWriterLease(book: ProjectionBook) {
  // The process number is for people who look into the store; it says nothing across containers.
  const holder = `${process.pid}-${randomUUID()}`;
  let boot: string | undefined;
  let until = 0;

  const left = (): number => until - Date.now();
  const thisRun = (): string => {
    boot ??= readBootId();
    return boot;
  };
  const isThisRun = (named: string): boolean => {
    // Two processes may differ by a minute in what they make of one start. The later one takes over the name.
    if (isSameStart(named, thisRun())) boot = named;
    return named === thisRun();
  };

  return {
    isHeld: (): boolean => left() > 0,
    /** Half of it must be left before the next files are written, or another process could have begun to. */
    isEnding: (): boolean => left() < lastsMs / 2,
    /** Until when another process writes, if one does. Cheaper than a claim, which takes the store's lock. */
    heldByOtherUntil({ lease }: ProjectionMarks): number | undefined {
      const now = Date.now();
      const isOthers = lease && lease.holder !== holder && isThisRun(lease.boot);
      return isOthers && lease.until > now && lease.until <= now + lastsMs ? lease.until : undefined;
    },
    /** The machine was restarted since the last files were written, so some of them may be lost. */
    mayHaveLostFiles: ({ lease, projected, durable }: ProjectionMarks): boolean =>
      lease !== undefined && durable < projected && !isThisRun(lease.boot),
    async claim(anew: boolean): Promise<WriterGrant> {
      const now = Date.now();
      const grant = await book.claimWriter({ holder, boot: thisRun(), now, lastsMs, anew });
      until = grant.granted ? now + lastsMs : 0;
      return grant;
    },
    /** False when the lease was lost meanwhile. */
    async prolong(projected: number): Promise<boolean> {
      const next = Date.now() + lastsMs;
      const kept = await book.noteProgress({ holder, projected, until: next });
      until = kept ? next : 0;
      return kept;
    },
    /** It counts as held until the marks are written, so that no process uses the old ones. */
    async release(marks: { projected?: number; durable?: number }): Promise<boolean> {
      try {
        return await book.noteProgress({ holder, ...marks });
      } finally {
        until = 0;
      }
    },
  };
}

/** Without a name from the system, starts within two minutes of each other are one: rounding and small steps of the clock. */
function isSameStart(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => Number(/^booted-(\d+)$/.exec(name)?.[1] ?? Number.NaN));
  return Math.abs((a ?? Number.NaN) - (b ?? Number.NaN)) <= 2;
}

/** Names this run of the machine. If the system has no name for it, the minute in which it began must do. */
function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `booted-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}
