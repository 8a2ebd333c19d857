import type { createCommitQueue } from "./commit-queue.ts";
import type { Connection } from "./open-database.ts";

type CommitQueue = ReturnType<typeof createCommitQueue>;
type Read = <Result>(select: (connection: Connection) => Result) => Promise<Result>;

/** Rows a transaction: holds the write lock for a few milliseconds. */
const batchRows = 400;
const idleMs = 250;

/**
 * Full text is indexed behind the acknowledgement, in batches from a watermark on: a row costs microseconds
 * this way and a commit of its own otherwise. A search calls `catchUp` first, so nothing is ever stale.
 */
export function createWordIndex(queue: CommitQueue, read: Read) {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  /** Returns how many rows remain; more than 0 only when the store cannot be written. */
  async function catchUp(tell: (remaining: number) => void = () => {}): Promise<number> {
    let remaining = await read(countPending);
    while (remaining > 0 && !stopped) {
      tell(remaining);
      try {
        await queue.submit(indexBatch);
      } catch {
        return remaining;
      }
      remaining = await read(countPending);
    }
    return remaining;
  }

  return {
    catchUp,
    /** Called after appends: indexes once the writer pauses, in pieces that nobody notices. */
    later(): void {
      if (stopped) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        // Whatever went wrong, the next search tries again and tells.
        catchUp().catch(() => {});
      }, idleMs).unref();
    },
    /** What is not indexed by now waits for the next process. */
    stop(): void {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function countPending({ sql }: Connection): number {
  const row = sql(
    "SELECT count(*) AS pending FROM thoughts WHERE seq > (SELECT value FROM counters WHERE name = 'indexed_seq')",
  ).get();
  return Number(row?.["pending"] ?? 0);
}

function indexBatch({ sql }: Connection): void {
  const mark = Number(sql("SELECT value FROM counters WHERE name = 'indexed_seq'").get()?.["value"] ?? 0);
  const last = sql(
    "SELECT max(seq) AS last FROM (SELECT seq FROM thoughts WHERE seq > ? ORDER BY seq LIMIT ?)",
  ).get(mark, batchRows);
  if (typeof last?.["last"] !== "number") return;
  sql(
    "INSERT INTO thought_words (rowid, thought) SELECT seq, thought FROM thoughts WHERE seq > ? AND seq <= ?",
  ).run(mark, last["last"]);
  sql("UPDATE counters SET value = ? WHERE name = 'indexed_seq'").run(last["last"]);
}
