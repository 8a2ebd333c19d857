import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { mayTake } from "../../../domain/ledger/tree/writer-lease.ts";
import type { ProjectionBook, ProjectionMarks, WriterGrant } from "../../../ports/projection-book.ts";

/** The longest time until a killed writer is replaced. */
const lastsMs = 3_000;

export type WriterLease = ReturnType<typeof createWriterLease>;

/** This process's claim to be the writer of the tree. Uses wall-clock time, because other processes read it. */
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
     * True if less than half of the lease remains. In that case, no more files are written, because another process
     * could soon start writing.
     */
    isEnding: (): boolean => left() < lastsMs / 2,
    /**
     * When another process's lease ends, if there is one. This check is cheaper than a claim, which takes the
     * store's lock.
     */
    heldByOtherUntil({ lease }: ProjectionMarks): number | undefined {
      if (!lease || !isThisRun(lease.boot)) return undefined;
      return mayTake(lease, { holder, now: Date.now(), lastsMs }) ? undefined : lease.until;
    },
    /** True if the machine was restarted after the last files were written and before they were synced. */
    mayHaveLostFiles: ({ lease, projected, durable }: ProjectionMarks): boolean =>
      lease !== undefined && durable < projected && !isThisRun(lease.boot),
    async claim(anew: boolean): Promise<WriterGrant> {
      const now = Date.now();
      const grant = await book.claimWriter({ holder, boot: thisRun(), now, lastsMs, anew });
      until = grant.granted ? now + lastsMs : 0;
      return grant;
    },
    /** False if the lease was lost in the meantime. */
    async prolong(projected: number): Promise<boolean> {
      const next = Date.now() + lastsMs;
      const kept = await book.noteProgress({ holder, projected, until: next });
      until = kept ? next : 0;
      return kept;
    },
    /** The lease stays valid until the marks are written, so that no process uses the old ones. */
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
 * If the system has no boot ID, boots within two minutes of each other are treated as the same boot, because
 * of rounding and small clock changes.
 */
function isSameStart(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => Number(/^booted-(\d+)$/.exec(name)?.[1] ?? Number.NaN));
  return Math.abs((a ?? Number.NaN) - (b ?? Number.NaN)) <= 2;
}

/** Identifies this boot of the machine. If the system has no boot ID, uses the minute in which it started. */
function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `booted-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}
