import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import type { Get } from "../http.ts";
import { createHome, type HomeNews } from "./home.ts";

const counts = { concluded: 2_500, givenUp: 0, contradicted: 0, unanswered: 0, tasks: 0, conflicts: 0 };
const nothing = { givenUp: [], contradicted: [], unanswered: [], tasks: [], conflicts: [] };

/** Creates a server whose answers are pages of at most a thousand conclusions. */
function answerPages(asked: number[]): Get {
  return (async (_path: string, query: Record<string, unknown>) => {
    const offset = Number(query["offset"] ?? 0);
    asked.push(offset);
    const length = Math.min(1_000, counts.concluded - offset);
    const concluded = Array.from({ length }, (_, n) => ({ sessionId: "s", thoughtNumber: offset + n }));
    return { answer: { counts, ...nothing, lanes: [], concluded } as unknown as HomeNews };
  }) as unknown as Get;
}

test("reads all pages of a list that is shown in full, but only the first for a section", async () => {
  for (const [show, rows] of [
    ["concluded", 2_500],
    [undefined, 1_000],
  ] as const) {
    const asked: number[] = [];
    const home = createHome({
      ...{ get: answerPages(asked), now: () => 0, after: () => () => {}, changes: signal(0) },
      visit: { since: signal(0), markSeen: () => {} },
      wish: signal({ period: "visit" as const, project: undefined, show, isShown: true }),
    });
    await expect.poll(() => home.shown.value?.concluded.length).toBe(rows);
    expect(asked).toEqual(show ? [0, 1_000, 2_000] : [0]);
    home.stop();
  }
});

test.each([
  ["today", "2026-11-18"],
  ["7d", "2026-11-12"],
  ["30d", "2026-10-20"],
  ["90d", "2026-08-21"],
  ["2026-11-02", "2026-11-02"],
] as const)("the period %s begins at midnight on %s", (period, day) => {
  const home = createHome({
    ...{ get: answerPages([]), after: () => () => {}, changes: signal(0) },
    now: () => new Date("2026-11-18T21:00:00").getTime(),
    visit: { since: signal(0), markSeen: () => {} },
    wish: signal({ period, project: undefined, show: undefined, isShown: true }),
  });
  expect(home.since.value).toBe(new Date(`${day}T00:00:00`).getTime());
  home.stop();
});

test("updates lanes in place, and adds new ones only on request", async () => {
  const lane = (id: string, thoughts: number) => ({ session: { id }, thoughts });
  let lanes = [lane("a", 1), lane("b", 1)];
  const get = (async () => ({ answer: { counts, ...nothing, concluded: [], lanes } })) as unknown as Get;
  const changes = signal(0);
  let later = () => {};
  const home = createHome({
    ...{ get, now: () => 0, changes },
    after: (_, call) => {
      later = call;
      return () => {};
    },
    visit: { since: signal(0), markSeen: () => {} },
    wish: signal({ period: "visit" as const, project: undefined, show: undefined, isShown: true }),
  });
  const shown = () =>
    home.shown.value?.lanes.map(({ session, thoughts }) => `${session.id}${thoughts}`).join();
  await expect.poll(shown).toBe("a1,b1");
  lanes = [lane("b", 5), lane("c", 1), lane("a", 1)];
  later();
  await expect.poll(shown).toBe("a1,b5");
  expect(home.waiting.value).toBe(1);
  home.update();
  expect(shown()).toBe("b5,c1,a1");
  home.stop();
});

test("shows a user who returns from another page everything immediately", async () => {
  const lane = (id: string) => ({ session: { id }, thoughts: 1 });
  let lanes = [lane("a")];
  const get = (async () => ({ answer: { counts, ...nothing, concluded: [], lanes } })) as unknown as Get;
  const shownPage = { period: "visit" as const, project: undefined, show: undefined, isShown: true };
  const wish = signal(shownPage);
  const home = createHome({
    ...{ get, now: () => 0, changes: signal(0), wish },
    after: () => () => {},
    visit: { since: signal(0), markSeen: () => {} },
  });
  const shown = () => home.shown.value?.lanes.map(({ session }) => session.id).join();
  await expect.poll(shown).toBe("a");
  wish.value = { ...shownPage, isShown: false };
  lanes = [lane("b"), lane("a")];
  wish.value = shownPage;
  await expect.poll(shown).toBe("b,a");
  expect(home.waiting.value).toBe(0);
  home.stop();
});
