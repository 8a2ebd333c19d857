import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFeedSubscriber } from "../../src/events/feed-subscriber.ts";
import { createCollector } from "../../src/events/test-support/collector.ts";
import type { FeedEntry } from "../../src/ports/feed.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const rounds = 12;
const thoughtsARound = 10;

/**
 * Starts a process that writes to several sessions at once. Returns the thoughts that the process
 * acknowledged.
 */
async function writeInAnotherProcess(dataDir: string): Promise<string[]> {
  const server = spawnServer(dataDir);
  await server.initialize();
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { sessionId } = await server.gateway({ operation: "start_new", args: { title: `${round}` } });
    await server.gateway({ operation: "cipher", args: { sessionId } });
    const thinking = Array.from({ length: thoughtsARound }, () =>
      server.gateway({ operation: "thought", args: { sessionId, thought: "a thought" } }),
    );
    const openingAnother = server.gateway({ operation: "start_new", args: { title: `beside ${round}` } });
    for (const { thoughtNumber, error } of await Promise.all(thinking)) {
      if (error) throw new Error(JSON.stringify(error));
      acknowledged.push(`${sessionId}:${thoughtNumber}`);
    }
    await openingAnother;
  }
  return acknowledged;
}

function openSharedStore(dataDir: string) {
  const store = createSqliteStore({ kind: "directory", path: dataDir }, () => new Date());
  onTestFinished(() => store.close());
  return store;
}

const thoughtsOf = (entries: readonly FeedEntry[]): string[] =>
  entries.flatMap((entry) =>
    entry.kind === "thought" ? [`${entry.sessionId}:${entry.entry.data.thoughtNumber}`] : [],
  );

test("steady, stalled and returning subscribers see every entry of other processes once and in order", async () => {
  const dataDir = join(tempDir(), "data");
  const store = openSharedStore(dataDir);
  const { subscribe } = createFeedSubscriber(store.feed, { pageSize: 7 });
  const [steady, stalling, returning] = [createCollector(), createCollector(), createCollector()];
  const seen: FeedEntry[] = [];
  const release = stalling.stall();
  const stops = [
    subscribe({ from: 0 }, async (entries) => {
      seen.push(...entries);
      await steady.onEntries(entries);
    }),
    subscribe({ from: "now" }, stalling.onEntries),
  ];
  onTestFinished(() => {
    for (const stop of stops) stop();
  });

  const leave = subscribe({ from: 0 }, returning.onEntries);
  const writers = [writeInAnotherProcess(dataDir), writeInAnotherProcess(dataDir)];
  await returning.until(40);
  leave();
  const acknowledged = (await Promise.all(writers)).flat();
  stops.push(subscribe({ from: returning.seqs.at(-1) ?? 0 }, returning.onEntries));

  const everything = (await store.feed.readFeed(0, 10_000)).map(({ seq }) => seq);
  const last = everything.at(-1) ?? 0;
  await steady.until(last);
  expect(stalling.pages).toHaveLength(1);
  release();
  for (const collector of [steady, stalling, returning]) {
    await collector.until(last);
    expect(collector.seqs).toEqual(everything);
  }
  expect(acknowledged).toHaveLength(2 * rounds * thoughtsARound);
  expect(thoughtsOf(seen).sort()).toEqual(acknowledged.sort());
});

test("a subscriber to one session of another process sees no other session", async () => {
  const dataDir = join(tempDir(), "data");
  const server = spawnServer(dataDir);
  await server.initialize();
  await server.gateway({ operation: "start_new", args: { title: "Another" } });
  const { sessionId } = await server.gateway({ operation: "start_new", args: { title: "Mine" } });

  const store = openSharedStore(dataDir);
  const heard: FeedEntry[] = [];
  const collector = createCollector();
  onTestFinished(
    createFeedSubscriber(store.feed).subscribe({ from: 0, sessionId }, async (entries) => {
      heard.push(...entries);
      await collector.onEntries(entries);
    }),
  );
  await server.gateway({ operation: "cipher", args: { sessionId } });
  await server.gateway({ operation: "thought", args: { sessionId, thought: "for you" } });
  const own = (await store.feed.readFeed(0, 1_000)).filter(
    (entry) => entry.kind !== "memory" && entry.sessionId === sessionId,
  );
  await collector.until(own.at(-1)?.seq ?? 0);
  expect(heard).toEqual(own);
  expect(heard[0]).toMatchObject({ kind: "session", change: "created" });
  expect(thoughtsOf(heard)).toEqual([`${sessionId}:1`]);
});
