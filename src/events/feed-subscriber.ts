import { setTimeout as pause } from "node:timers/promises";
import type { FeedSubscriber } from "../ports/events.ts";
import type { Feed, FeedEntry } from "../ports/feed.ts";

type FeedSubscriberOptions = {
  /** Receives errors thrown by consumers. If the store fails several times in a row, receives only the first error. */
  report?(thrown: unknown): void;
  /** The default is small, because a thought can be up to one mebibyte long. */
  pageSize?: number;
  retryMs?: number;
};

const longestRetryMs = 5_000;

/** Each subscription reads the feed separately, so that a slow consumer does not delay the others. */
export function createFeedSubscriber(
  feed: Feed,
  { report = () => {}, pageSize = 100, retryMs = 100 }: FeedSubscriberOptions = {},
): FeedSubscriber {
  async function* follow(
    from: number | "now",
    changes: Bell,
    stop: AbortSignal,
  ): AsyncGenerator<FeedEntry[]> {
    let after = from === "now" ? undefined : from;
    let failures = 0;
    while (!stop.aborted) {
      try {
        // Must be read first: a store may read its tables one by one, and only entries up to this number are
        // sure to be complete.
        const known = await feed.lastSeq();
        if (stop.aborted) return;
        after ??= known;
        const page = known > after ? await feed.readFeed(after, pageSize) : [];
        failures = 0;
        const complete = page.filter(({ seq }) => seq <= known);
        const isLastPage = complete.length < pageSize;
        after = isLastPage ? Math.max(after, known) : (complete.at(-1)?.seq ?? known);
        if (complete.length > 0) yield complete;
        if (isLastPage) await changes.rung();
        // Reading may be synchronous, so other work can run between two pages.
        else await new Promise(setImmediate);
      } catch (thrown) {
        if (failures === 0) report(thrown);
        failures += 1;
        await pauseAfter(failures, stop);
      }
    }
  }

  async function pauseAfter(failures: number, stop: AbortSignal): Promise<void> {
    const ms = Math.min(retryMs * 2 ** (failures - 1), longestRetryMs);
    await pause(ms, undefined, { ref: false, signal: stop }).catch(() => {});
  }

  return {
    subscribe({ from, sessionId, workspace }, onEntries) {
      const stopping = new AbortController();
      const changes = createBell();
      const stopListening = feed.onChange(changes.ring);

      function isWanted(entry: FeedEntry): boolean {
        if (sessionId === undefined && workspace === undefined) return true;
        return entry.kind === "memory" ? entry.workspace === workspace : entry.sessionId === sessionId;
      }

      function stop(): void {
        stopping.abort();
        stopListening();
        changes.ring();
      }

      async function deliver(): Promise<void> {
        for await (const page of follow(from, changes, stopping.signal)) {
          const entries = page.filter(isWanted);
          if (stopping.signal.aborted) return;
          if (entries.length > 0) await onEntries(entries);
        }
      }

      deliver().catch((thrown) => {
        stop();
        report(thrown);
      });
      return stop;
    },
  };
}

type Bell = ReturnType<typeof createBell>;

/** Remembers a notification until `rung` is awaited, so that a change between reading and waiting is not missed. */
function createBell() {
  let isRung = false;
  let wake = () => {};
  return {
    ring(): void {
      isRung = true;
      wake();
    },
    async rung(): Promise<void> {
      if (!isRung) await new Promise<void>((resolve) => (wake = resolve));
      isRung = false;
    },
  };
}
