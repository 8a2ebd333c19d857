import { setTimeout as pause } from "node:timers/promises";

/** A destination for lines. Only one write runs at a time. */
export type LineTarget = {
  /** Resolves with the number of leading lines that were written, at least 1. Rejects if none was written. */
  write(lines: readonly string[]): Promise<number>;
  close(): Promise<void>;
};

type LineWriterOptions = {
  target: LineTarget;
  /** Receives only the first of several consecutive failures. */
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
  /** A server exits within one second of its client disconnecting, so this time must be shorter. */
  closeMs: 500,
};

export type LineWriter = {
  /**
   * Never waits or throws. If the target is slow or failing, lines are kept up to a limit. Beyond that, the
   * oldest are dropped.
   */
  write(line: string): void;
  /** Writes waiting lines for a limited time. Counts the remaining lines as dropped. */
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
    // Waits briefly, so that lines written at the same moment join the batch.
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

  /** Waits before the next try. Closing ends the pause early. */
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

type DropCount = {
  add(dropped: number): void;
  /** Reports dropped lines that have not been reported yet. */
  report(): void;
};

/** Reports the number of dropped lines once no more are dropped, and from time to time until then. */
function createDropCount(tell: (count: number) => void, everyMs: number): DropCount {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  function report(): void {
    clearTimeout(timer);
    timer = undefined;
    if (count > 0) tell(count);
    count = 0;
  }

  return {
    add(dropped) {
      if (dropped === 0) return;
      count += dropped;
      timer ??= setTimeout(report, everyMs).unref();
    },
    report,
  };
}

type BoundedLines = {
  readonly length: number;
  /** Adds a line at the end. Returns how many lines were dropped from the front to make room for it. */
  push(line: string): number;
  /** Removes lines from the front: as many as fit into `maxChars`, at least one if there is any. */
  take(maxChars: number): string[];
  /** Puts lines back at the front. Returns the number of lines that did not fit. */
  putBack(lines: readonly string[]): number;
};

/** Creates a queue that drops its oldest lines if it has more than `capacity` characters. */
export function createBoundedLines(capacity: number): BoundedLines {
  let lines: string[] = [];
  let first = 0;
  let chars = 0;

  function shift(): string {
    const line = lines[first] ?? "";
    first += 1;
    chars -= line.length;
    // Shifting the array for every line would take quadratic time.
    if (first * 2 > lines.length) {
      lines = lines.slice(first);
      first = 0;
    }
    return line;
  }

  function giveUpOldest(): number {
    const before = lines.length - first;
    while (chars > capacity) shift();
    return before - (lines.length - first);
  }

  return {
    get length() {
      return lines.length - first;
    },
    push(line) {
      lines.push(line);
      chars += line.length;
      return giveUpOldest();
    },
    take(maxChars) {
      const taken: string[] = [];
      let room = maxChars;
      while (first < lines.length) {
        room -= lines[first]?.length ?? 0;
        if (room < 0 && taken.length > 0) break;
        taken.push(shift());
      }
      return taken;
    },
    putBack(returned) {
      lines = [...returned, ...lines.slice(first)];
      first = 0;
      for (const line of returned) chars += line.length;
      return giveUpOldest();
    },
  };
}
