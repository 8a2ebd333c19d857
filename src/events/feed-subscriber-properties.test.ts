import { expect, test } from "vitest";
import fc from "../../tests/support/fast-check.ts";
import { createFeedSubscriber } from "./feed-subscriber.ts";
import { createCollector, upTo } from "./test-support/collector.ts";
import { createFakeFeed } from "./test-support/fake-feed.ts";

type Step = "thought" | "session" | "tear" | "fail" | "stall" | "release" | "turn";

const step = fc.constantFrom<Step>("thought", "session", "tear", "fail", "stall", "release", "turn");

test("each consumer gets every entry once and in order, whatever writers, readers and the store do", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, pageSize) => {
        const fake = createFakeFeed();
        const { subscribe } = createFeedSubscriber(fake.feed, { pageSize, retryMs: 1 });
        const [stalling, steady] = [createCollector(), createCollector()];
        let release = () => {};
        const perform: Record<Step, () => unknown> = {
          thought: () => fake.append("thought"),
          session: () => fake.append("session"),
          tear: () =>
            fake.tear(() => {
              fake.append("thought");
              fake.append("session");
            }),
          fail: () => fake.fail(2),
          stall() {
            release();
            release = stalling.stall();
          },
          release: () => release(),
          turn: () => new Promise(setImmediate),
        };
        const stops = [stalling, steady].map(({ onEntries }) => subscribe({ from: 0 }, onEntries));
        for (const name of steps) await perform[name]();
        release();
        fake.tear(() => {});
        fake.append("session");
        for (const { until, seqs } of [stalling, steady]) {
          await until(fake.lastSeq());
          expect(seqs).toEqual(upTo(fake.lastSeq()));
        }
        for (const stop of stops) stop();
      },
    ),
  );
});
