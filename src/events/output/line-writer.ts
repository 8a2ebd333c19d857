import { setTimeout as pause } from "node:timers/promises";
import { createBoundedLines } from "./bounded-lines.ts";
import { createDropCount } from "./drop-count.ts";

/** Where lines go. One write is under way at a time. */
export type LineTarget = {
  /** Resolves with how many of the lines, from the first on, are out: at least one. Rejects when none is. */
  write(lines: readonly string[]): Promise<number>;
  close(): Promise<void>;
};

type LineWriterOptions = {
  target: LineTarget;
  /** The first failure in a row. */
  onTrouble(thrown: unknown): void;
  onDropped(count: number): void;
  limits?: Partial<typeof defaultLimits>;
};

const defaultLimits = {
  waitingChars: 4 * 1024 * 1024,
  batchChars: 64 * 1024,
  retryMs: 100,
  longestRetryMs: 5_000,
  noticeMs: 10_000,
  /** Less than the second in which a server is gone after its client. */
  closeMs: 500,
};

export type LineWriter = {
  /** Never waits or throws: what a slow or failing target cannot take is kept up to a limit, then the oldest is dropped. */
  write(line: string): void;
  /** Writes what waits, but not for ever; what is left is counted as dropped. */
  close(): Promise<void>;
};

export function createLineWriter({
  target,
  onTrouble,
  onDropped,
  limits: given,
}: LineWriterOptions): LineWriter {
  const limits = { ...defaultLimits, ...given };
  const waiting = createBoundedLines(limits.waitingChars);
  const drops = createDropCount(onDropped, limits.noticeMs);
  const closing = new AbortController();
  let underWay: readonly string[] = [];
  let running: Promise<void> | undefined;
  let closed: Promise<void> | undefined;

  async function drain(): Promise<void> {
    // The rest of a burst travels along.
    await Promise.resolve();
    let failures = 0;
    while (waiting.length > 0) {
      underWay = waiting.take(limits.batchChars);
      try {
        underWay = underWay.slice(await target.write(underWay));
        failures = 0;
      } catch (thrown) {
        if (failures === 0) onTrouble(thrown);
        failures += 1;
      }
      drops.add(waiting.putBack(underWay));
      underWay = [];
      if (failures === 0) continue;
      if (closing.signal.aborted) break;
      await pauseAfter(failures);
    }
    drops.report();
    running = undefined;
  }

  /** Closing cuts the pause short. */
  async function pauseAfter(failures: number): Promise<void> {
    const ms = Math.min(limits.retryMs * 2 ** (failures - 1), limits.longestRetryMs);
    await pause(ms, undefined, { ref: false, signal: closing.signal }).catch(() => {});
  }

  async function finish(): Promise<void> {
    closing.abort();
    const done = new AbortController();
    const written = (running ?? Promise.resolve()).then(target.close).catch(onTrouble);
    const tooLong = pause(limits.closeMs, undefined, { signal: done.signal }).catch(() => {});
    await Promise.race([written, tooLong]);
    done.abort();
    drops.add(waiting.length + underWay.length);
    drops.report();
  }

  return {
    write(line) {
      if (closing.signal.aborted) return;
      drops.add(waiting.push(line));
      running ??= drain();
    },
    close() {
      closed ??= finish();
      return closed;
    },
  };
}
