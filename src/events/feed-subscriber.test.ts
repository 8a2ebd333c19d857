import { expect, test } from "vitest";
import { createFeedSubscriber } from "./feed-subscriber.ts";
import { createCollector, upTo } from "./test-support/collector.ts";
import { defer } from "./test-support/deferred.ts";
import { createFakeFeed } from "./test-support/fake-feed.ts";

const nextTurn = () => new Promise(setImmediate);

test("existing entries arrive in pages and new ones follow, without a gap or a duplicate", async () => {
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

test("a consumer that knows something already gets what follows it", async () => {
  const fake = createFakeFeed();
  fake.appendMany(5);
  const collector = createCollector();
  createFeedSubscriber(fake.feed).subscribe({ from: 3 }, collector.onEntries);
  await collector.until(5);
  expect(collector.seqs).toEqual([4, 5]);
});

test("from now on means from the moment of the call", async () => {
  const fake = createFakeFeed();
  fake.appendMany(5);
  const collector = createCollector();
  createFeedSubscriber(fake.feed).subscribe({ from: "now" }, collector.onEntries);
  fake.appendMany(2);
  await collector.until(7);
  expect(collector.seqs).toEqual([6, 7]);
});

test("one session's entries are picked out of a busy feed", async () => {
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

test("an entry that is written while a page is read is not skipped", async () => {
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

test("a slow consumer gets the next page when it is ready, and delays no other", async () => {
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

test("trouble of the store is reported once, waited out and leaves no mark", async () => {
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

test("after stopping, nothing is delivered and no listener is left", async () => {
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

test("a consumer that throws is reported and gets no more; the others go on", async () => {
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

test("a long catch-up lets others have their turn", async () => {
  const fake = createFakeFeed();
  fake.appendMany(100);
  const collector = createCollector();
  createFeedSubscriber(fake.feed, { pageSize: 10 }).subscribe({ from: 0 }, collector.onEntries);
  await nextTurn();
  expect(collector.seqs.length).toBeLessThan(50);
  await collector.until(100);
});
