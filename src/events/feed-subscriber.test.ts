import { expect, test } from "vitest";
import { createFeedSubscriber } from "./feed-subscriber.ts";
import { createCollector, upTo } from "./test-support/collector.ts";
import { defer } from "./test-support/deferred.ts";
import { createFakeFeed } from "./test-support/fake-feed.ts";

const nextTurn = () => new Promise(setImmediate);

test("delivers existing entries in pages and new ones after them, without gaps or duplicates", async () => {
  const fake = createFakeFeed();
  fake.appendMany(25);
  const collector = createCollector();
  createFeedSubscriber(fake.feed, { pageSize: 10 }).subscribe({ from: 0 }, collector.onEntries);
  await collector.until(25);
  expect(collector.pages).toEqual([10, 10, 5]);
  fake.appendMany(3);
  await collector.until(28);
  expect(collector.seqs).toEqual(upTo(28));
});

test("starts after the entry that the consumer already has", async () => {
  const fake = createFakeFeed();
  fake.appendMany(5);
  const collector = createCollector();
  createFeedSubscriber(fake.feed).subscribe({ from: 3 }, collector.onEntries);
  await collector.until(5);
  expect(collector.seqs).toEqual([4, 5]);
});

test("starts at the moment of the call if asked to start now", async () => {
  const fake = createFakeFeed();
  fake.appendMany(5);
  const collector = createCollector();
  createFeedSubscriber(fake.feed).subscribe({ from: "now" }, collector.onEntries);
  fake.appendMany(2);
  await collector.until(7);
  expect(collector.seqs).toEqual([6, 7]);
});

test("selects the entries of one session from a busy feed", async () => {
  const fake = createFakeFeed();
  const collector = createCollector();
  createFeedSubscriber(fake.feed, { pageSize: 2 }).subscribe(
    { from: 0, sessionId: "mine" },
    collector.onEntries,
  );
  for (let round = 0; round < 5; round += 1) {
    fake.appendMany(3, "other");
    fake.appendMany(1, "mine");
  }
  await collector.until(20);
  expect(collector.seqs).toEqual([4, 8, 12, 16, 20]);
});

test("does not skip an entry that is written while a page is read", async () => {
  const fake = createFakeFeed();
  fake.append("thought");
  fake.tear(() => {
    fake.append("thought");
    fake.append("session");
  });
  const collector = createCollector();
  createFeedSubscriber(fake.feed).subscribe({ from: 0 }, collector.onEntries);
  await collector.until(3);
  expect(collector.seqs).toEqual([1, 2, 3]);
});

test("gives a slow consumer the next page when it is ready, without delaying others", async () => {
  const fake = createFakeFeed();
  fake.appendMany(30);
  const { subscribe } = createFeedSubscriber(fake.feed, { pageSize: 10 });
  const [slow, quick] = [createCollector(), createCollector()];
  const release = slow.stall();
  subscribe({ from: 0 }, slow.onEntries);
  subscribe({ from: 0 }, quick.onEntries);
  await quick.until(30);
  fake.appendMany(5);
  await quick.until(35);
  expect(slow.seqs).toEqual(upTo(10));
  release();
  await slow.until(35);
  expect(slow.seqs).toEqual(upTo(35));
});

test("reports a failing store once, and continues without loss when it works again", async () => {
  const fake = createFakeFeed();
  fake.appendMany(5);
  fake.fail(4);
  const reported: unknown[] = [];
  const collector = createCollector();
  createFeedSubscriber(fake.feed, { report: (thrown) => reported.push(thrown), retryMs: 1 }).subscribe(
    { from: 0 },
    collector.onEntries,
  );
  await collector.until(5);
  expect(collector.seqs).toEqual(upTo(5));
  expect(reported).toHaveLength(1);
});

test("delivers nothing after stopping, and removes the listener", async () => {
  const fake = createFakeFeed();
  const collector = createCollector();
  const stop = createFeedSubscriber(fake.feed, { pageSize: 1 }).subscribe({ from: 0 }, async (entries) => {
    await collector.onEntries(entries);
    if (collector.seqs.length === 2) stop();
  });
  fake.appendMany(5);
  await collector.until(2);
  await nextTurn();
  await nextTurn();
  expect(collector.seqs).toEqual([1, 2]);
  expect(fake.listeners()).toBe(0);
});

test("reports a consumer that throws and stops calling it, while the others continue", async () => {
  const fake = createFakeFeed();
  const reported = defer<unknown>();
  const { subscribe } = createFeedSubscriber(fake.feed, { report: reported.resolve });
  let calls = 0;
  subscribe({ from: 0 }, () => {
    calls += 1;
    throw new Error("cannot draw");
  });
  const other = createCollector();
  subscribe({ from: 0 }, other.onEntries);
  fake.appendMany(1);
  expect(await reported.promise).toEqual(new Error("cannot draw"));
  fake.appendMany(1);
  await other.until(2);
  expect(calls).toBe(1);
  expect(fake.listeners()).toBe(1);
});

test("lets other work run during a long catch-up", async () => {
  const fake = createFakeFeed();
  fake.appendMany(100);
  const collector = createCollector();
  createFeedSubscriber(fake.feed, { pageSize: 10 }).subscribe({ from: 0 }, collector.onEntries);
  await nextTurn();
  expect(collector.seqs.length).toBeLessThan(50);
  await collector.until(100);
});
