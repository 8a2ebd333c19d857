import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveOverPipes } from "../../support/pipes/serve-over-pipes.ts";
import { openHttpDoor } from "../../support/real-door.ts";
import { binary, cleanEnv } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { eras, shareTestApp, startThinking, ways } from "../../support/test-app.ts";

type Sample = (params: any) => Promise<any>;

const modes = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;
const answer = (text: string) =>
  ({ role: "assistant", model: "critic-1", content: { type: "text", text } }) as const;

/** Connects a real client that supports sampling, over a real transport. */
async function connect(
  era: "legacy" | "modern",
  transport: "stdio" | "binary" | "http",
  sample: Sample | undefined,
  sampling: { context?: Record<string, never> } = {},
) {
  const client = new Client(
    { name: "critic", version: "1" },
    { versionNegotiation: { mode: modes[era] }, capabilities: { sampling } },
  );
  if (sample) client.setRequestHandler("sampling/createMessage", ({ params }) => sample(params));
  const dataDir = tempDir();
  if (transport === "http") {
    const door = await openHttpDoor(dataDir, {});
    onTestFinished(() => door.close());
    await client.connect(new StreamableHTTPClientTransport(door.url));
  } else if (transport === "stdio") {
    const { input, output, end } = serveOverPipes(dataDir);
    onTestFinished(end);
    await client.connect(new StdioServerTransport(output, input));
  } else {
    const env = { ...cleanEnv(), DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_DATA_DIR: dataDir };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [binary, "stdio"], env, stderr: "ignore" }),
    );
  }
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })).structuredContent as any;
  const { sessionId } = await call("start_new", { sessionTitle: "Criticised" });
  await call("thoughtbox_gateway", { operation: "cipher", sessionId });
  return { call: (name: string, args: object) => call(name, { sessionId, ...args }), sessionId };
}

const transports = ["stdio", "http"] as const;
const wires = eras.flatMap((era) => transports.map((transport) => [era, transport] as const));

describe.each(wires)("a %s client over %s", (era, transport) => {
  test("gets the same warnings about a thought with and without a critique", async () => {
    const { call } = await connect(era, transport, async () => answer("Say why."));
    const token = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");
    const thought = `S1|H|S9|The token is ${token}`;
    const { warnings: plain } = await call("thought", { thought });
    const { warnings: criticised, critique } = await call("thought", { thought, critique: true });
    expect(critique).toMatchObject({ text: "Say why." });
    expect(plain.map(({ code }: any) => code)).toContain("SECRET_DETECTED");
    expect(criticised).toEqual(plain);
  });

  test("answers with a critique, and the thought is stored exactly once", async () => {
    const asked: any[] = [];
    const built = transport === "stdio" ? "binary" : transport;
    const { call } = await connect(era, built, async (params) => {
      asked.push(params);
      return answer("The second step assumes the first.");
    });
    await call("thought", { thought: "The pool is small." });
    const recorded = await call("thought", { thought: "So it is the pool.", critique: true });
    expect(recorded).toMatchObject({
      thoughtNumber: 2,
      critique: { text: "The second step assumes the first.", model: "critic-1" },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      maxTokens: 1_000,
      modelPreferences: { intelligencePriority: 0.9, costPriority: 0.3 },
    });
    expect(asked[0].messages[0].content.text).toContain("The pool is small.");
    const { thoughts } = await call("read_thoughts", { last: 5 });
    expect(thoughts).toHaveLength(2);
    expect(thoughts[1].critique).toMatchObject({ model: "critic-1" });
  });

  test("is asked to include its context only if it declares that it can", async () => {
    for (const [sampling, includeContext] of [
      [{}, undefined],
      [{ context: {} }, "thisServer"],
    ] as const) {
      const asked: any[] = [];
      const critic = async (params: unknown) => {
        asked.push(params);
        return answer("Sound.");
      };
      const { call } = await connect(era, transport, critic, sampling);
      await call("thought", { thought: "It is the pool.", critique: true });
      expect(asked).toHaveLength(1);
      expect(asked[0].includeContext).toBe(includeContext);
      expect(asked[0].modelPreferences.hints).toEqual([{ name: "claude-sonnet-4-5-20250929" }]);
      expect(asked[0].systemPrompt).toContain("review");
    }
  });

  test("that fails or returns an invalid critique keeps its thought, and a legacy one is told why", async () => {
    let turn = 0;
    const { call } = await connect(era, transport, async () => {
      turn += 1;
      if (turn === 1) throw new Error("the user said no");
      return {
        role: "assistant",
        model: "critic-1",
        content: { type: "image", data: "AA==", mimeType: "image/png" },
      };
    });
    for (const thoughtNumber of [1, 2]) {
      // If its own model fails, a modern client does not repeat the call. The thought is recorded anyway.
      const recorded = await call("thought", { thought: `step ${thoughtNumber}`, critique: true }).catch(
        () => undefined,
      );
      if (era === "legacy") {
        expect(recorded.warnings).toMatchObject([{ code: "CRITIQUE_FAILED" }]);
        expect(recorded.selfCritique).toMatchObject({
          prompt: expect.stringContaining(`step ${thoughtNumber}`),
          answerWith: { attachCritique: { thoughtNumber } },
        });
      }
      expect(recorded?.critique).toBeUndefined();
    }
    expect(
      (await call("read_thoughts", { last: 5 })).thoughts.map((thought: any) => thought.thought),
    ).toEqual(["step 1", "step 2"]);
  });

  test("that refuses the critique and sends the thought again has recorded it once", async () => {
    const { call } = await connect(era, transport, async () => {
      throw new Error("the user said no");
    });
    const { sessionId } = await call("thought", { thought: "before" });
    const refused = { sessionId, thought: "It is the pool.", critique: true };
    const first = await call("thought", refused).catch(() => undefined);
    if (era === "legacy") return expect(first.selfCritique).toBeDefined();
    for (const again of [refused, { sessionId, thought: "It is the pool." }]) {
      const recorded = await call("thought", again);
      expect(recorded).toMatchObject({ thoughtNumber: 2, warnings: [{ code: "CRITIQUE_FAILED" }] });
      expect(recorded.selfCritique.answerWith).toMatchObject({ attachCritique: { thoughtNumber: 2 } });
    }
    await call("thought", { sessionId, thought: "Next." });
    const { thoughts } = await call("read_thoughts", { sessionId, last: 5 });
    expect(thoughts.map(({ thought }: any) => thought)).toEqual(["before", "It is the pool.", "Next."]);
  });

  test("that refuses the critique of a first thought and repeats it has one session, which it can still close", async () => {
    const { call } = await connect(era, transport, async () => {
      throw new Error("the user said no");
    });
    const count = async () => (await call("session.list", { project: "*" })).sessions.length;
    const refused = { sessionId: undefined, thought: "It is the pool.", critique: true };
    const first = await call("thought", refused).catch(() => undefined);
    if (era === "legacy") return expect(first.selfCritique).toBeDefined();
    const before = await count();
    const again = await call("thought", refused);
    expect(again).toMatchObject({ thoughtNumber: 1, warnings: [{ code: "CRITIQUE_FAILED" }] });
    expect(await count()).toBe(before);
    const ending = { sessionId: again.sessionId, thought: "It is the pool.", nextThoughtNeeded: false };
    expect(await call("thought", ending)).toMatchObject({ thoughtNumber: 2, sessionClosed: true });
  });

  test("gets only the thoughts that led to the criticised one, including those before its fork", async () => {
    const asked: string[] = [];
    const { call } = await connect(era, transport, async ({ messages }) => {
      asked.push(messages[0].content.text);
      return answer("Sound.");
    });
    for (const n of [1, 2, 3]) await call("thought", { thought: `main-${n}` });
    const fork = { branchFromThought: 2, branchId: "alt" };
    await call("thought", { thought: "alt-3", ...fork });
    await call("thought", { thought: "main-4" });
    await call("thought", { thought: "alt-4", branchId: "alt", critique: true });
    await call("thought", { thought: "main-9", thoughtNumber: 9 });
    await call("thought", { thought: "main-5", thoughtNumber: 5, critique: true });
    const quoted = asked.map((text) => text.match(/(main|alt)-\d/g));
    expect(quoted).toEqual([
      ["main-1", "main-2", "alt-3", "alt-4"],
      ["main-1", "main-2", "main-3", "main-4", "main-9", "main-5"],
    ]);
  });

  test("that never returns a critique does not delay other calls", async () => {
    const { call } = await connect(era, transport, () => new Promise(() => {}));
    void call("thought", { thought: "waits for a critic", critique: true }).catch(() => {});
    for (const number of [2, 3, 4]) await call("thought", { thought: `goes on ${number}` });
    const { thoughts } = await call("read_thoughts", { last: 5 });
    expect(thoughts.map((thought: any) => thought.thought).sort()).toEqual([
      "goes on 2",
      "goes on 3",
      "goes on 4",
      "waits for a critic",
    ]);
  });
});

test.each(transports)(
  "a malformed critique of a legacy client over %s is reported in plain words",
  async (transport) => {
    const { call } = await connect("legacy", transport, async () => ({
      role: "robot",
      content: [{ no: 1 }],
    }));
    const { warnings } = await call("thought", { thought: "It is DNS.", critique: true });
    expect(warnings).toMatchObject([{ code: "CRITIQUE_FAILED" }]);
    expect(warnings[0].message).not.toMatch(/[{}[\]"\n]|Zod/);
  },
);

test.each(transports)(
  "a legacy client over %s that declares sampling but does not support it gets the questions",
  async (transport) => {
    const { call } = await connect("legacy", transport, undefined);
    const recorded = await call("thought", { thought: "It is DNS.", critique: true });
    expect(recorded.warnings).toMatchObject([{ code: "SAMPLING_NOT_SUPPORTED" }]);
    expect(recorded.selfCritique.prompt).toContain("It is DNS.");
  },
);

describe.each(ways)("a %s client without sampling on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test("gets the questions, and can attach its own answer with the next thought", async () => {
    const sessionId = await startThinking(client);
    const recorded = await client.call("thought", { sessionId, thought: "It is DNS.", critique: true });
    expect(recorded.warnings).toMatchObject([{ code: "SAMPLING_NOT_SUPPORTED" }]);
    expect(recorded.selfCritique.prompt).toContain("It is DNS.");
    const { attachCritique } = recorded.selfCritique.answerWith;
    await client.call("thought", {
      sessionId,
      thought: "Checked.",
      attachCritique: { ...attachCritique, text: "No evidence." },
    });
    const { thoughts } = await client.call("read_thoughts", { sessionId, thoughtNumber: 1 });
    expect(thoughts[0].critique).toMatchObject({ text: "No evidence.", model: "self" });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
    expect(await client.call("session.analyze", { sessionId })).toMatchObject({
      quality: { critiqueRequests: 1 },
    });
  });

  test("cannot criticise a thought that does not exist, and nothing is recorded", async () => {
    const sessionId = await startThinking(client);
    const attachCritique = { thoughtNumber: 7, text: "No." };
    expect(await client.refusal("thought", { sessionId, thought: "x", attachCritique })).toMatchObject({
      code: "THOUGHT_NOT_FOUND",
    });
    expect((await client.call("read_thoughts", { sessionId })).count).toBe(0);
  });
});
