import type { createCommitQueue } from "./commit-queue.ts";
import type { Connection } from "./open-database.ts";

type CommitQueue = ReturnType<typeof createCommitQueue>;

/** Rows a transaction: holds the write lock for a few milliseconds. */
const batchRows = 400;
const idleMs = 250;

/**
 * Full text is indexed behind the acknowledgement, in batches from a watermark on: a row costs microseconds
 * this way and a commit of its own otherwise. A search calls `catchUp` first, so nothing is ever stale.
 */
export function createWordIndex(queue: CommitQueue, connect: () => Connection) {
  let timer: NodeJS.Timeout | undefined;

  function pending(): number {
    const row = connect()
      .sql(
        "SELECT count(*) AS pending FROM thoughts WHERE seq > (SELECT value FROM counters WHERE name = 'indexed_seq')",
      )
      .get();
    return Number(row?.["pending"] ?? 0);
  }

  /** Returns how many rows remain; more than 0 only when the store cannot be written. */
  async function catchUp(): Promise<number> {
    let remaining = pending();
    while (remaining > 0) {
      try {
        await queue.submit(indexBatch);
      } catch {
        return remaining;
      }
      remaining = pending();
    }
    return 0;
  }

  return {
    catchUp,
    /** Called after appends: indexes once the writer pauses, in pieces that nobody notices. */
    later(): void {
      timer ??= setTimeout(() => {
        timer = undefined;
        void catchUp();
      }, idleMs).unref();
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
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
