import { describe, expect, test } from "vitest";
import { createTestApp, fewWays, shareTestApp, startThinking } from "../../support/test-app.ts";

describe.each(fewWays)("suggestions for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test("name the fields to use, at most once in five thoughts", async () => {
    const sessionId = await startThinking(client);
    const think = async (thought: string) =>
      (await client.call("thought", { sessionId, thought })).suggestion;
    expect(await think("The pool is small.")).toBeUndefined();
    expect(await think("Actually, the pool is fine.")).toMatchObject({ fields: { revisesThought: 1 } });
    expect(await think("Alternatively, it is DNS.")).toBeUndefined();
    expect(await think("The log is long.")).toBeUndefined();
    expect(await think("Correction: the log is short.")).toBeUndefined();
    expect(await think("Alternatively, ask the proxy.")).toBeUndefined();
    expect(await think("Alternatively, ask Ada.")).toMatchObject({ fields: { branchFromThought: 6 } });
  });

  test("appear at most once in any five thoughts, even if every thought is a correction", async () => {
    const sessionId = await startThinking(client);
    const spoken: number[] = [];
    for (let n = 1; n <= 60; n += 1) {
      const { suggestion } = await client.call("thought", { sessionId, thought: `Actually, it is ${n}.` });
      if (suggestion) spoken.push(n);
    }
    expect(spoken.length).toBeGreaterThanOrEqual(9);
    spoken.slice(1).forEach((n, at) => {
      expect(n - (spoken[at] ?? 0)).toBeGreaterThanOrEqual(5);
    });
  });

  test("work when they are followed", async () => {
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "The pool is small." });
    const { suggestion } = await client.call("thought", { sessionId, thought: "Alternatively, it is DNS." });
    const forked = await client.call("thought", { sessionId, thought: "It is DNS.", ...suggestion.fields });
    expect(forked).toMatchObject({ branchId: "alternative-1", thoughtNumber: 2 });
  });

  test("can be switched off", async () => {
    const client = createTestApp({ backend, env: { THOUGHTBOX_SUGGESTIONS: "false" } })[era]();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "The pool is small." });
    const answer = await client.call("thought", { sessionId, thought: "Actually, no." });
    expect(answer).toEqual({ sessionId, thoughtNumber: 2 });
  });
});
