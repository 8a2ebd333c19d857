import { describe, expect, test } from "vitest";
import { executeRecovery } from "../support/replies/execute-recovery.ts";
import { shareTestApp, startThinking, ways } from "../support/test-app.ts";

describe.each(ways)("mistakes of a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  async function recordTwo(): Promise<string> {
    const sessionId = await startThinking(client);
    for (const thought of ["one", "two"]) await client.call("thought", { sessionId, thought });
    return sessionId;
  }

  test.each([
    [
      "isRevision without revisesThought",
      "thought",
      { thought: "three", isRevision: true },
      { thoughtNumber: 3 },
    ],
    [
      "revisesThought with isRevision: false",
      "thought",
      { thought: "x", isRevision: false, revisesThought: 1 },
      { thoughtNumber: 3 },
    ],
    ["two selectors", "read_thoughts", { thoughtNumber: 9, last: 2 }, { count: 2 }],
    ["a descending range", "read_thoughts", { range: [2, 1] }, { count: 2 }],
    ["an offset without a thought", "read_thoughts", { offset: 3 }, { count: 2 }],
    ["an update without fields", "session.update", {}, { session: { thoughtCount: 2 } }],
    ["a query without words", "session.search", { query: "…!?" }, { total: expect.any(Number) }],
    ["a search without a query", "session.search", {}, { total: expect.any(Number) }],
    ["a damaged import", "session.import", { content: '{"version":"1.0"}' }, {}],
    ["an import without content", "session.import", {}, {}],
  ])("%s is refused, and the suggested call works", async (_what, name, args, outcome) => {
    const sessionId = await recordTwo();
    const failed = name === "session.import" ? args : { sessionId, ...args };
    const error = await client.refusal(name, failed);
    expect(error.code).toBe("INVALID_PAYLOAD");
    expect(await executeRecovery(client, failed, error)).toMatchObject(outcome);
  });

  test.each([" ", "\n\t ", "\u200b\u2060", "\u0007"])("a blank thought (%j) is refused", async (thought) => {
    const sessionId = await startThinking(client);
    expect(await client.refusal("thought", { sessionId, thought })).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: expect.stringContaining("blank"),
      recovery: { operation: "help" },
    });
    expect((await client.call("read_thoughts", { sessionId })).count).toBe(0);
  });

  test("a key moment that was never recorded is not found", async () => {
    const sessionId = await recordTwo();
    const keyMoments = [{ thoughtNumber: 9, type: "insight" }];
    const error = await client.refusal("session.extract_learnings", { sessionId, keyMoments });
    expect(error).toMatchObject({ code: "THOUGHT_NOT_FOUND", recovery: { operation: "get_structure" } });
  });
});
