import { describe, expect, test } from "vitest";
import { executeRecovery, refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { type Door, fewWays, resumeThinking, shareTestApp, startThinking } from "../../support/test-app.ts";

/** Over stdio each caller opens its own store. Over HTTP an address may open only 32 connections. */
const manyCallers: Record<Door, number> = { memory: 20, fs: 20, postgres: 20, stdio: 6, binary: 3, http: 6 };

describe.each(fewWays)("thinking as a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const client = app[era]();

  async function numbers(sessionId: string): Promise<number[]> {
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 500 });
    return thoughts.map(({ thoughtNumber }: any) => thoughtNumber);
  }

  test("recording a thought returns its number and its session, and nothing else", async () => {
    const sessionId = await startThinking(client);
    expect(await client.call("thought", { sessionId, thought: "one" })).toEqual({
      thoughtNumber: 1,
      sessionId,
    });
    expect(await client.call("thought", { sessionId, thought: "two" })).toEqual({
      thoughtNumber: 2,
      sessionId,
    });
  });

  test("an omitted number becomes the highest plus one, whatever came before", async () => {
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "x", thoughtNumber: 7 });
    await client.call("thought", { sessionId, thought: "x", thoughtNumber: 3 });
    expect(await client.call("thought", { sessionId, thought: "x" })).toMatchObject({ thoughtNumber: 8 });
  });

  test("gaps and backward order are allowed and keep their order of arrival", async () => {
    const sessionId = await startThinking(client);
    for (const thoughtNumber of [5, 4, 3, 10])
      await client.call("thought", { sessionId, thought: "x", thoughtNumber });
    expect(await numbers(sessionId)).toEqual([5, 4, 3, 10]);
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });

  test("a taken number is refused, the next free one is offered, and the first text is kept", async () => {
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "the first" });
    const again = { sessionId, thought: "the second", thoughtNumber: 1 };
    const error = await client.refusal("thought", again);
    expect(error).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: "Thought 1 already exists. A recorded thought is never overwritten.",
      recovery: { operation: "thought", args: { thoughtNumber: 2 }, patch: true },
    });
    expect(await numbers(sessionId)).toEqual([1]);
    expect(await executeRecovery(client, again, error)).toEqual({ thoughtNumber: 2, sessionId });
    const { thoughts } = await client.call("read_thoughts", { sessionId });
    expect(thoughts).toMatchObject([{ thought: "the first" }, { thought: "the second" }]);
  });

  test("a chain that reached the highest number is refused more thoughts and gets a suggestion to start a session", async () => {
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "x", thoughtNumber: 1_000_000 });
    for (const more of [{}, { thoughtNumber: 1_000_000 }]) {
      const error = await refusalWithCure(client, "thought", { sessionId, thought: "y", ...more });
      expect(error).toMatchObject({ code: "INVALID_PAYLOAD", recovery: { operation: "start_new" } });
      await resumeThinking(client, sessionId);
    }
    expect(await client.call("thought", { sessionId, thought: "z", thoughtNumber: 2 })).toMatchObject({
      thoughtNumber: 2,
    });
  });

  test.each([
    [{}, 4],
    [{ totalThoughts: 2 }, 4],
    [{ totalThoughts: 9 }, 9],
  ])("with %o the total of thought 4 is %i", async (more, totalThoughts) => {
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "x", thoughtNumber: 4, ...more });
    const { thoughts } = await client.call("read_thoughts", { sessionId, verbose: true });
    expect(thoughts).toMatchObject([{ totalThoughts, nextThoughtNeeded: true }]);
  });

  test("verbose adds totals, branches, history and structure", async () => {
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "one" });
    await client.call("thought", { sessionId, thought: "or", branchFromThought: 1, branchId: "alt" });
    const told = await client.call("thought", { sessionId, thought: "two", totalThoughts: 5, verbose: true });
    expect(told).toEqual({
      thoughtNumber: 2,
      sessionId,
      totalThoughts: 5,
      nextThoughtNeeded: true,
      thoughtHistoryLength: 3,
      branches: ["alt"],
      structure: expect.objectContaining({ totalThoughts: 3, branchCount: 1 }),
    });
  });

  test("the cookbook is included only on request", async () => {
    const sessionId = await startThinking(client);
    const { guide } = await client.call("thought", { sessionId, thought: "x", includeGuide: true });
    for (const pattern of ["forward", "backward", "branching", "revision", "interleaved", "first principles"])
      expect(guide.toLowerCase()).toContain(pattern);
    expect(await client.call("thought", { sessionId, thought: "y" })).not.toHaveProperty("guide");
  });

  test("a thought keeps its exact text and the fields that its author set", async () => {
    const sessionId = await startThinking(client);
    const said = { thought: "Grüße, 思考 👩‍🚀 \u202e ‮", needsMoreThoughts: true, agentId: "ada.1" };
    await client.call("thought", { sessionId, ...said });
    const { thoughts } = await client.call("read_thoughts", { sessionId });
    const shown = said.thought.replaceAll("\u202e", "\\u{202e}");
    expect(thoughts).toMatchObject([{ ...said, thought: shown }]);
    const { export: kept } = await client.call("session.export", { sessionId });
    expect(JSON.stringify(kept)).toContain(said.thought);
  });

  test("if no one can give a critique, the thought is recorded with a warning", async () => {
    const sessionId = await startThinking(client);
    expect(await client.call("thought", { sessionId, thought: "x", critique: true })).toMatchObject({
      thoughtNumber: 1,
      warnings: [{ code: "SAMPLING_NOT_SUPPORTED" }],
    });
  });

  test("doubts about the notation are reported, and the thought is recorded anyway", async () => {
    const sessionId = await startThinking(client);
    const answer = await client.call("thought", { sessionId, thought: "S5|R|It was the cache" });
    expect(answer).toMatchObject({
      thoughtNumber: 1,
      warnings: [
        { code: "CIPHER_DOUBT", message: expect.stringMatching(/^Line 1, revision-without-target: /) },
      ],
    });
    expect(await client.call("thought", { sessionId, thought: "S6|C|S5|So be it" })).not.toHaveProperty(
      "warnings",
    );
  });

  test("a text in cipher is stored with its parse, but prose is not", async () => {
    const sessionId = await startThinking(client);
    const cipher = "S1|H|The pool is too small\nS2|E|S1|40 of 40 taken\nS3|C|^S1|It is the cache";
    await client.call("thought", { sessionId, thought: cipher });
    await client.call("thought", { sessionId, thought: "plain | words | S1 | here" });
    const { thoughts } = await client.call("read_thoughts", { sessionId, verbose: true });
    expect(thoughts[0].cipher).toEqual([
      { number: 1, type: "H", references: [] },
      { number: 2, type: "E", references: [{ number: 1 }] },
      { number: 3, type: "C", references: [{ number: 1, revises: true }] },
    ]);
    expect(thoughts[1]).not.toHaveProperty("cipher");
  });

  test("many callers at once get distinct numbers, and nothing is lost", async () => {
    const sessionId = await startThinking(client);
    const callers = Array.from({ length: manyCallers[backend] }, () => app[era]());
    await Promise.all(callers.map((caller) => resumeThinking(caller, sessionId)));
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        callers[n % callers.length]?.call("thought", { sessionId, thought: `${n}` }),
      ),
    );
    const told = answers.map(({ thoughtNumber }) => thoughtNumber).sort((a, b) => a - b);
    expect(told).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 500 });
    expect(new Set(thoughts.map(({ thought }: any) => thought)).size).toBe(200);
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });

  describe("an idempotencyKey", () => {
    test("makes a repeated call return the same thought", async () => {
      const sessionId = await startThinking(client);
      const call = { sessionId, thought: "once", idempotencyKey: "k-1", nextThoughtNeeded: false };
      const first = await client.call("thought", call);
      await client.call("thought", { sessionId, thought: "meanwhile" });
      expect(await client.call("thought", call)).toEqual(first);
      expect(await numbers(sessionId)).toEqual([1, 2]);
    });

    test("with other content is refused, and the first call is kept", async () => {
      const sessionId = await startThinking(client);
      await client.call("thought", { sessionId, thought: "once", idempotencyKey: "k-1" });
      const error = await client.refusal("thought", { sessionId, thought: "other", idempotencyKey: "k-1" });
      expect(error).toMatchObject({
        code: "INVALID_PAYLOAD",
        message: expect.stringContaining("idempotencyKey"),
      });
      expect(await numbers(sessionId)).toEqual([1]);
    });

    test("belongs to one session", async () => {
      const sessionId = await startThinking(client);
      const other = await startThinking(client);
      for (const id of [sessionId, other])
        expect(
          await client.call("thought", { sessionId: id, thought: "x", idempotencyKey: "same" }),
        ).toMatchObject({ sessionId: id, thoughtNumber: 1 });
    });

    test("of a refused call may be used again", async () => {
      const sessionId = await startThinking(client);
      const call = { sessionId, thought: "x", idempotencyKey: "k-2" };
      await client.refusal("thought", { ...call, revisesThought: 9 });
      expect(await client.call("thought", call)).toMatchObject({ thoughtNumber: 1 });
    });
  });
});
