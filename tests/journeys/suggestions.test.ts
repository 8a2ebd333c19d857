import { describe, expect, test } from "vitest";
import { backends, createTestApp, startThinking } from "../support/test-app.ts";

describe.each(backends)("suggestions on %s", (backend) => {
  test("name the fields to use, at most once in five thoughts", async () => {
    const client = createTestApp({ backend }).modern();
    const sessionId = await startThinking(client);
    const think = async (thought: string) =>
      (await client.call("thought", { sessionId, thought })).suggestion;
    expect(await think("The pool is small.")).toBeUndefined();
    expect(await think("Actually, the pool is fine.")).toMatchObject({ fields: { revisesThought: 1 } });
    expect(await think("Alternatively, it is DNS.")).toBeUndefined();
    expect(await think("The log is long.")).toBeUndefined();
    expect(await think("Correction: the log is short.")).toBeUndefined();
    expect(await think("Alternatively, ask the proxy.")).toMatchObject({ fields: { branchFromThought: 5 } });
  });

  test("work when they are followed", async () => {
    const client = createTestApp({ backend }).modern();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "The pool is small." });
    const { suggestion } = await client.call("thought", { sessionId, thought: "Alternatively, it is DNS." });
    const forked = await client.call("thought", { sessionId, thought: "It is DNS.", ...suggestion.fields });
    expect(forked).toMatchObject({ branchId: "alternative-1", thoughtNumber: 2 });
  });

  test("can be switched off", async () => {
    const client = createTestApp({ backend, env: { THOUGHTBOX_SUGGESTIONS: "false" } }).modern();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "The pool is small." });
    const answer = await client.call("thought", { sessionId, thought: "Actually, no." });
    expect(answer).toEqual({ sessionId, thoughtNumber: 2 });
  });
});
