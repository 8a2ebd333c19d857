import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { mayTake } from "../../../domain/ledger/tree/writer-lease.ts";
import type { ProjectionBook, ProjectionMarks, WriterGrant } from "../../../ports/projection-book.ts";

/** The duration of a lease, after which a killed writer can be replaced. */
const lastsMs = 3_000;

export type WriterLease = ReturnType<typeof createWriterLease>;

/** Manages this process's lease as the tree's writer. Uses wall-clock time, because other processes read it. */
export function createWriterLease(book: ProjectionBook) {
  // The process ID is for people who inspect the store. Process IDs are not unique across containers.
  const holder = `${process.pid}-${randomUUID()}`;
  let boot: string | undefined;
  let until = 0;

  const left = (): number => until - Date.now();
  const thisRun = (): string => {
    boot ??= readBootId();
    return boot;
  };
  const isThisRun = (named: string): boolean => {
    // Two processes may disagree by a minute about when the machine started. The later one adopts the name that the
    // earlier one chose.
    if (isSameStart(named, thisRun())) boot = named;
    return named === thisRun();
  };

  return {
    isHeld: (): boolean => left() > 0,
    /**
     * Returns true if less than half of the lease remains. Stop writing files then, because another process
     * could soon start.
     */
    isEnding: (): boolean => left() < lastsMs / 2,
    /**
     * Returns when another process's lease ends, if there is one. Cheaper than a claim, which takes the
     * store's lock.
     */
    heldByOtherUntil({ lease }: ProjectionMarks): number | undefined {
      if (!lease || !isThisRun(lease.boot)) return undefined;
      return mayTake(lease, { holder, now: Date.now(), lastsMs }) ? undefined : lease.until;
    },
    /** Returns true if the machine was restarted after the last files were written but before they were synced. */
    mayHaveLostFiles: ({ lease, projected, durable }: ProjectionMarks): boolean =>
      lease !== undefined && durable < projected && !isThisRun(lease.boot),
    async claim(anew: boolean): Promise<WriterGrant> {
      const now = Date.now();
      const grant = await book.claimWriter({ holder, boot: thisRun(), now, lastsMs, anew });
      until = grant.granted ? now + lastsMs : 0;
      return grant;
    },
    /** Extends the lease. Returns false if the lease has been lost in the meantime. */
    async prolong(projected: number): Promise<boolean> {
      const next = Date.now() + lastsMs;
      const kept = await book.noteProgress({ holder, projected, until: next });
      until = kept ? next : 0;
      return kept;
    },
    /** Releases the lease when it writes the marks, so that no other process starts from the old marks. */
    async release(marks: { projected?: number; durable?: number }): Promise<boolean> {
      try {
        return await book.noteProgress({ holder, ...marks });
      } finally {
        until = 0;
      }
    },
  };
}

/**
 * Compares two boots. Without a boot ID, boots within two minutes of each other count as the same, because of
 * rounding and small clock changes.
 */
function isSameStart(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => Number(/^booted-(\d+)$/.exec(name)?.[1] ?? Number.NaN));
  return Math.abs((a ?? Number.NaN) - (b ?? Number.NaN)) <= 2;
}

/** Returns an ID for this boot of the machine. If the system has none, returns the minute in which it started. */
function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `booted-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}
