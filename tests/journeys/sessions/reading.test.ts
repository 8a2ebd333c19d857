import { describe, expect, test } from "vitest";
import { refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { once } from "../../support/run/once.ts";
import {
  backends,
  createTestApp,
  fewWays,
  inProcess,
  shareTestApp,
  startThinking,
} from "../../support/test-app.ts";

describe.each(fewWays)("reading as a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  /** Records main 1–8, and branch `alt` from 2 with 3–5. */
  async function eightThoughts(): Promise<string> {
    const sessionId = await startThinking(client);
    for (let n = 1; n <= 8; n += 1) await client.call("thought", { sessionId, thought: `m${n}` });
    await client.call("thought", { sessionId, thought: "a3", branchFromThought: 2, branchId: "alt" });
    for (const thought of ["a4", "a5"]) await client.call("thought", { sessionId, thought, branchId: "alt" });
    return sessionId;
  }

  /** For tests that write nothing. */
  const sameEightThoughts = once(eightThoughts);

  async function read(args: Record<string, unknown>): Promise<string[]> {
    const { thoughts, count } = await client.call("read_thoughts", args);
    expect(count).toBe(thoughts.length);
    return thoughts.map(({ thought }: any) => thought);
  }

  test.each([
    ["the last five by default", {}, ["m4", "m5", "m6", "m7", "m8"]],
    ["the last two", { last: 2 }, ["m7", "m8"]],
    [
      "all thoughts if there are fewer than requested",
      { last: 500 },
      ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"],
    ],
    ["one thought by number", { thoughtNumber: 4 }, ["m4"]],
    ["a range, both ends included", { range: [2, 4] }, ["m2", "m3", "m4"]],
    ["the existing part of a range", { range: [7, 99] }, ["m7", "m8"]],
    ["a range of one", { range: [3, 3] }, ["m3"]],
    ["a whole branch", { branchId: "alt" }, ["a3", "a4", "a5"]],
    ["the last of a branch", { branchId: "alt", last: 1 }, ["a5"]],
    ["one thought of a branch", { branchId: "alt", thoughtNumber: 4 }, ["a4"]],
    ["the last thoughts of all lines", { chain: "all", last: 4 }, ["m8", "a3", "a4", "a5"]],
    ["a range of all lines, in the order of recording", { chain: "all", range: [8, 10] }, ["m8", "a3", "a4"]],
    ["a range of a branch", { branchId: "alt", range: [1, 4] }, ["a3", "a4"]],
  ])("reads %s", async (_what, args, expected) => {
    const sessionId = await sameEightThoughts();
    expect(await read({ sessionId, ...args })).toEqual(expected);
  });

  test("the main line reports how many branches the answer leaves out", async () => {
    const sessionId = await sameEightThoughts();
    const told = async (args: Record<string, unknown>) =>
      (await client.call("read_thoughts", { sessionId, ...args })).branchesNotShown;
    expect(await told({})).toBe(1);
    expect(await told({ range: [1, 3] })).toBe(1);
    expect(await told({ thoughtNumber: 2 })).toBeUndefined();
    expect(await told({ branchId: "alt" })).toBeUndefined();
    expect(await told({ chain: "all" })).toBeUndefined();
  });

  test("chain: all cannot be combined with a branch, and a shortened answer names positions for the rest", async () => {
    const sessionId = await sameEightThoughts();
    const wrong = { sessionId, chain: "all", branchId: "alt" };
    expect(await refusalWithCure(client, "read_thoughts", wrong)).toMatchObject({ code: "INVALID_PAYLOAD" });
    const cut = await client.call("read_thoughts", { sessionId, chain: "all", last: 11, maxChars: 600 });
    const [first] = cut.thoughts;
    expect(cut).toMatchObject({
      truncated: true,
      more: `Read older thoughts with range [1, ${first.position - 1}].`,
    });
  });

  test("verbose returns a thought with all its recorded fields", async () => {
    const sessionId = await sameEightThoughts();
    const one = { sessionId, thoughtNumber: 1 };
    const { thoughts, query } = await client.call("read_thoughts", { ...one, verbose: true });
    expect(query).toBe("thought 1");
    expect((await client.call("read_thoughts", one)).thoughts).toEqual([{ thought: "m1", thoughtNumber: 1 }]);
    expect(thoughts).toEqual([
      {
        thought: "m1",
        thoughtNumber: 1,
        totalThoughts: 1,
        nextThoughtNeeded: true,
        timestamp: expect.any(String),
      },
    ]);
  });

  test.each([
    { thoughtNumber: 1, last: 2 },
    { thoughtNumber: 1, range: [1, 2] },
    { last: 2, range: [1, 2] },
    { range: [4, 2] },
    { offset: 3 },
    { last: 2, offset: 3 },
  ])("selectors that conflict are refused: %o", async (args) => {
    const sessionId = await sameEightThoughts();
    const error = await client.refusal("read_thoughts", { sessionId, ...args });
    expect(error.code).toBe("INVALID_PAYLOAD");
  });

  test.each([
    ["a missing number", { thoughtNumber: 9 }, "There is no thought 9."],
    [
      "a number that only the main chain has",
      { branchId: "alt", thoughtNumber: 2 },
      "There is no thought 2 of branch alt.",
    ],
    ["a missing branch", { branchId: "none" }, "There is no branch none."],
    ["a range of a missing branch", { branchId: "none", range: [1, 2] }, "There is no branch none."],
  ])("%s is refused with THOUGHT_NOT_FOUND", async (_what, args, message) => {
    const sessionId = await sameEightThoughts();
    const error = await refusalWithCure(client, "read_thoughts", { sessionId, ...args });
    expect(error).toMatchObject({ code: "THOUGHT_NOT_FOUND", message });
  });

  test.each([0, 501, -1])("last: %i is refused", async (last) => {
    const sessionId = await sameEightThoughts();
    const error = await refusalWithCure(client, "read_thoughts", { sessionId, last });
    expect(error).toMatchObject({ code: "INVALID_PAYLOAD", details: { hints: [{ field: "last" }] } });
  });

  test("a cipher type selects the thoughts that have such a step", async () => {
    const sessionId = await eightThoughts();
    await client.call("thought", { sessionId, thought: "S9|H|a guess\nS10|E|S9|a proof" });
    await client.call("thought", { sessionId, thought: "S11|C|S10|so it is" });
    expect(await read({ sessionId, type: "E" })).toEqual(["S9|H|a guess\nS10|E|S9|a proof"]);
    expect(await read({ sessionId, type: "C", last: 5 })).toEqual(["S11|C|S10|so it is"]);
    expect(await read({ sessionId, type: "X" })).toEqual([]);
  });

  describe("within a budget", () => {
    test("an answer contains the newest thoughts, and the calls in it read the rest", async () => {
      const sessionId = await sameEightThoughts();
      const whole = await read({ sessionId, range: [1, 8] });
      let pages = 0;
      const seen: string[] = [];
      for (let range: number[] | undefined = [1, 8]; range; pages += 1) {
        const page: any = await client.call("read_thoughts", {
          sessionId,
          verbose: true,
          range,
          maxChars: 400,
        });
        expect(JSON.stringify(page.thoughts).length).toBeLessThanOrEqual(400 + 2);
        seen.unshift(...page.thoughts.map(({ thought }: any) => thought));
        expect(page.truncated).toBe(page.more === undefined ? undefined : true);
        range = /range \[(\d+), (\d+)\]/
          .exec(page.more ?? "")
          ?.slice(1)
          .map(Number);
      }
      expect(seen).toEqual(whole);
      expect(pages).toBeGreaterThan(2);
    });

    test("an answer from a chain with descending numbers also names the omitted range", async () => {
      const sessionId = await startThinking(client);
      for (const thoughtNumber of [9, 8, 7, 6])
        await client.call("thought", { sessionId, thought: `n${thoughtNumber}`, thoughtNumber });
      const page = await client.call("read_thoughts", { sessionId, verbose: true, last: 4, maxChars: 300 });
      expect(page.thoughts.map(({ thought }: any) => thought)).toEqual(["n7", "n6"]);
      expect(page).toMatchObject({ truncated: true, more: "Read older thoughts with range [8, 9]." });
    });

    test.each([
      ["letters", "abcdefghij".repeat(500)],
      ["escapes", '"\\\n\u0007'.repeat(500)],
      ["emoji", "👩‍🚀🚀".repeat(500)],
    ])("one long thought of %s can be read in pieces that join exactly", async (_what, thought) => {
      const sessionId = await startThinking(client);
      await client.call("thought", { sessionId, thought });
      let text = "";
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const args = { sessionId, thoughtNumber: 1, maxChars: 700, offset };
        const page: any = await client.call("read_thoughts", args);
        text += page.thoughts[0].thought;
        offset = page.nextOffset;
      }
      expect(text).toBe(thought);
    });

    test("even the smallest budget makes progress, however many fields surround the text", async () => {
      const sessionId = await eightThoughts();
      const branchId = "b".repeat(64);
      const crowd = {
        branchFromThought: 4,
        branchFromBranch: "alt",
        branchId,
        agentId: "a".repeat(64),
        revisesThought: 1,
      };
      const { thoughtNumber } = await client.call("thought", { sessionId, thought: "🚀🛰", ...crowd });
      let text = "";
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const args = { sessionId, branchId, thoughtNumber, maxChars: 300, offset };
        const page: any = await client.call("read_thoughts", args);
        expect(page.nextOffset ?? Number.POSITIVE_INFINITY).toBeGreaterThan(offset);
        text += page.thoughts[0].thought;
        offset = page.nextOffset;
      }
      expect(text).toBe("🚀🛰");
    });
  });

  describe("the structure", () => {
    test("shows main chain, branches and revisions without their contents", async () => {
      const sessionId = await eightThoughts();
      await client.call("thought", { sessionId, thought: "m9", revisesThought: 3 });
      const structure = await client.call("get_structure", { sessionId });
      expect(structure).toEqual({
        sessionId,
        totalThoughts: 12,
        mainChain: { length: 9, head: 1, tail: 9 },
        branches: { alt: { forks: 2, range: [3, 5], length: 3 } },
        branchCount: 1,
        revisions: [{ thought: { thoughtNumber: 9 }, revises: { thoughtNumber: 3 } }],
        revisionCount: 1,
      });
    });

    test("of an empty session is empty", async () => {
      const sessionId = await startThinking(client);
      expect(await client.call("get_structure", { sessionId, detail: "nodes" })).toMatchObject({
        totalThoughts: 0,
        mainChain: { length: 0, head: null, tail: null },
        branches: {},
        nodes: [],
        hasMore: false,
      });
    });

    test("links every node both ways", async () => {
      const sessionId = await sameEightThoughts();
      const { nodes } = await client.call("get_structure", { sessionId, detail: "nodes" });
      const byId = new Map<string, any>(nodes.map((node: any) => [node.id, node]));
      expect(byId.size).toBe(11);
      expect(byId.get(`${sessionId}:2`).next).toEqual([`${sessionId}:3`, `${sessionId}:alt:3`]);
      expect(byId.get(`${sessionId}:alt:3`)).toMatchObject({
        prev: `${sessionId}:2`,
        branchId: "alt",
        branchOrigin: `${sessionId}:2`,
      });
      for (const node of nodes) {
        for (const next of node.next) expect(byId.get(next).prev).toBe(node.id);
        if (node.prev) expect(byId.get(node.prev).next).toContain(node.id);
      }
    });

    test("pages through the nodes in order of arrival", async () => {
      const sessionId = await sameEightThoughts();
      const page = (offset: number) =>
        client.call("get_structure", { sessionId, detail: "nodes", limit: 4, offset });
      const pages = [await page(0), await page(4), await page(8)];
      expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
      const ids = pages.flatMap(({ nodes }) => nodes.map(({ id }: any) => id.slice(sessionId.length + 1)));
      expect(ids).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "alt:3", "alt:4", "alt:5"]);
    });
  });
});

describe.each(inProcess)("reading long chains as a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test("an answer that cannot contain more than 500 thoughts reports that it is truncated", async () => {
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "." });
    await client.call("thought", { sessionId, thought: ".", branchFromThought: 1, branchId: "alt" });
    const write = (more: object) => client.call("thought", { sessionId, thought: ".", ...more });
    await Promise.all(Array.from({ length: 510 }, () => [write({}), write({ branchId: "alt" })]).flat());
    for (const args of [{ range: [1, 511] }, { branchId: "alt" }]) {
      const page = await client.call("read_thoughts", { sessionId, ...args, maxChars: 75_000 });
      expect(page.truncated).toBe(true);
      expect(page.more).toMatch(/^Read older thoughts with range \[1, \d+\]\.$/);
    }
  });
});

describe.each(backends)("with a controlled clock, on %s", (backend) => {
  test("reading updates the access time but never the change time", async () => {
    let now = new Date("2026-01-01T10:00:00.000Z");
    const app = createTestApp({ backend, clock: () => now });
    const client = app.modern();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "one" });
    for (const [hour, name] of [
      [11, "read_thoughts"],
      [12, "get_structure"],
      [13, "session.export"],
      [14, "load_context"],
    ] as const) {
      now = new Date(`2026-01-01T${hour}:00:00.000Z`);
      await client.call(name, { sessionId });
      const { session } = await client.call("get_state", { sessionId });
      expect(session, name).toMatchObject({
        updatedAt: "2026-01-01T10:00:00.000Z",
        lastAccessedAt: now.toISOString(),
      });
    }
  });
});
