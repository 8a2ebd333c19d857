import { describe, expect, test } from "vitest";
import { refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { once } from "../../support/run/once.ts";
import {
  backends,
  createTestApp,
  fewWays,
  resumeThinking,
  shareTestApp,
  type TestClient,
} from "../../support/test-app.ts";

const hour = 60 * 60 * 1000;

/** Creates three sessions, oldest first: alpha, beta, gamma. */
async function three(client: TestClient, later = () => {}) {
  const ids = { alpha: "", beta: "", gamma: "" };
  for (const [title, args] of [
    ["alpha", { tags: ["red", "big"], description: "apples and pears", task: "one", aspect: "top" }],
    ["beta", { tags: ["red"], task: "one" }],
    ["gamma", { tags: ["blue"], task: "two" }],
  ] as const) {
    later();
    ids[title] = (await client.call("start_new", { title, ...args })).sessionId;
  }
  return ids;
}

/** Times have millisecond precision. Waits for the next millisecond. */
function nextMoment(): void {
  const now = Date.now();
  while (Date.now() === now);
}

describe.each(fewWays)("list_sessions for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();
  const sameThree = once(() => three(client));

  test.each([
    ["newest first", {}, ["gamma", "beta", "alpha"]],
    ["by title", { sortBy: "title", sortOrder: "asc" }, ["alpha", "beta", "gamma"]],
    ["by creation, oldest first", { sortBy: "createdAt", sortOrder: "asc" }, ["alpha", "beta", "gamma"]],
    ["with all tags", { tags: ["red", "big"] }, ["alpha"]],
    ["with any tag", { tags: ["big", "blue"], tagMode: "any" }, ["gamma", "alpha"]],
    ["of a task", { task: "one" }, ["beta", "alpha"]],
    ["of a task and an aspect", { task: "one", aspect: "top" }, ["alpha"]],
    ["by words of the title", { search: "bet" }, ["beta"]],
    ["by words of the description", { search: "pears apples" }, ["alpha"]],
    ["by words of the tags", { search: "blue" }, ["gamma"]],
    ["by words that do not occur", { search: "zebra" }, []],
    ["by characters that cannot be searched", { search: "!" }, []],
    ["with filters", { filters: { tags: ["red"], limit: 1 } }, ["beta"]],
    ["on a second page", { limit: 1, offset: 1 }, ["beta"]],
  ])("lists sessions %s", async (_what, args, titles) => {
    await sameThree();
    const { sessions } = await client.call("list_sessions", args);
    expect(sessions.map(({ title }: any) => title)).toEqual(titles);
  });

  test("combines a task filter with tagMode any", async () => {
    await sameThree();
    const asked = { task: "one", tags: ["big", "blue"], tagMode: "any" };
    const { sessions } = await client.call("list_sessions", asked);
    expect(sessions.map(({ title }: any) => title)).toEqual(["alpha"]);
  });

  test("reports the total and whether there are more", async () => {
    await sameThree();
    expect(await client.call("list_sessions", { limit: 2 })).toMatchObject({
      total: 3,
      hasMore: true,
      limit: 2,
      offset: 0,
    });
    expect(await client.call("list_sessions", { limit: 2, offset: 2 })).toMatchObject({
      total: 3,
      hasMore: false,
    });
    expect(await client.call("list_sessions")).toMatchObject({ limit: 20, project: "_default" });
  });

  test.each([{ limit: 0 }, { limit: 101 }, { offset: -1 }, { status: "lost" }, { sortBy: "size" }])(
    "refuses %o",
    async (args) => {
      await sameThree();
      const error = await refusalWithCure(client, "list_sessions", args);
      expect(error).toMatchObject({
        code: "INVALID_PAYLOAD",
        details: { hints: [{ field: Object.keys(args)[0] }] },
      });
    },
  );

  test("a new thought moves its session to the top", async () => {
    const client = createTestApp({ backend })[era]();
    const ids = await three(client);
    await resumeThinking(client, ids.alpha);
    nextMoment();
    await client.call("thought", { sessionId: ids.alpha, thought: "again" });
    const { sessions } = await client.call("list_sessions");
    expect(sessions[0]).toMatchObject({ title: "alpha", thoughtCount: 1 });
  });
});

describe.each(backends)("list_sessions with a controlled clock, on %s", (backend) => {
  test("distinguishes active, completed and, after a day without a thought, abandoned sessions", async () => {
    let now = new Date("2026-01-01T00:00:00.000Z");
    const tick = (ms: number) => {
      now = new Date(now.getTime() + ms);
    };
    const client = createTestApp({ backend, clock: () => now }).modern();
    const ids = await three(client, () => tick(hour));
    await client.call("cipher", { sessionId: ids.alpha });
    await client.call("thought", { sessionId: ids.alpha, thought: "done", nextThoughtNeeded: false });
    tick(24 * hour - 30 * 60 * 1000);
    const titled = async (status: string) =>
      (await client.call("list_sessions", { status })).sessions.map(({ title, status: told }: any) => [
        title,
        told,
      ]);
    expect(await titled("active")).toEqual([["gamma", "active"]]);
    tick(hour);
    expect(await titled("active")).toEqual([]);
    expect(await titled("abandoned")).toEqual([
      ["gamma", "abandoned"],
      ["beta", "abandoned"],
    ]);
    expect(await titled("completed")).toEqual([["alpha", "completed"]]);
  });
});
