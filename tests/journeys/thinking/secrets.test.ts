import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { backends, createTestApp, fewWays, startThinking, type TestClient } from "../../support/test-app.ts";

/** Assembled here so that secret scanners do not flag this file. */
const secret = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");
const text = `The token is ${secret} for now`;
const masked = "The token is [secret:github-token] for now";

const settingOf = (mode?: string) => (mode === undefined ? {} : { THOUGHTBOX_SECRETS: mode });

async function tell(client: TestClient) {
  const sessionId = await startThinking(client);
  const answer = await client.call("thought", { sessionId, thought: text });
  return { answer, sessionId };
}

describe.each(fewWays)("a secret in a thought of a %s client on %s", (era, backend) => {
  async function told(mode?: string) {
    const client = createTestApp({ backend, env: settingOf(mode) })[era]();
    const { answer, sessionId } = await tell(client);
    const [stored] = (await client.call("read_thoughts", { sessionId })).thoughts;
    const { path } = await client.call("session.export", { sessionId, destination: "out" });
    return { answer, stored: stored.thought, exported: readFileSync(path, "utf8"), client, sessionId };
  }

  test.each([undefined, "warn"])(
    "is stored as written, with a warning that shows where, and masked in answers (%s)",
    async (mode) => {
      const { answer, stored, exported } = await told(mode);
      expect(answer).toMatchObject({
        thoughtNumber: 1,
        warnings: [
          { code: "SECRET_DETECTED", message: expect.stringContaining("github-token at character 13") },
        ],
      });
      expect(JSON.stringify(answer)).not.toContain(secret);
      expect(stored).toBe(masked);
      expect(exported).toContain(secret);
    },
  );

  test("is masked before it is stored under redact", async () => {
    const { answer, stored, exported, client, sessionId } = await told("redact");
    expect(answer).toMatchObject({ warnings: [{ code: "SECRET_MASKED" }] });
    expect(stored).toBe(masked);
    expect(exported).not.toContain(secret);
    expect(await client.call("session.search", { sessionId, query: secret })).toMatchObject({ count: 0 });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });

  test("is ignored under off", async () => {
    const { answer, stored } = await told("off");
    expect(answer).toEqual({ thoughtNumber: 1, sessionId: expect.any(String) });
    expect(stored).toBe(text);
  });

  test("is not suspected in an ordinary thought", async () => {
    const client = createTestApp({ backend })[era]();
    const sessionId = await startThinking(client);
    expect(
      await client.call("thought", { sessionId, thought: "The password policy needs a token ring." }),
    ).toEqual({
      thoughtNumber: 1,
      sessionId,
    });
  });
});

describe.each(fewWays)("a secret in any field of a %s client on %s", (era, backend) => {
  const leak = `pool ${secret}`;
  const clean = "pool [secret:github-token]";
  const note = { title: leak, description: leak, content: leak, tags: [leak] };

  async function everywhere(mode: string) {
    const app = createTestApp({ backend, env: settingOf(mode) });
    const client = app[era]();
    const answers: any[] = [];
    const call = async (name: string, args: object) => {
      answers.push(await client.call(name, args));
      return answers.at(-1);
    };
    const { sessionId } = await call("start_new", { title: leak, description: leak, tags: [leak] });
    await client.call("cipher", { sessionId });
    const { session: opened } = await client.call("session.get", { sessionId });
    const { session: updated } = await call("session.update", { sessionId, title: `${leak}!` });
    const { pattern } = await call("knowledge.create_pattern", { sessionId, ...note });
    await call("knowledge.update_pattern", { sessionId, id: pattern.id, content: `${leak}!` });
    await call("knowledge.write_scratchpad", { sessionId, topic: "Handover", content: leak });
    const kept = await client.call("knowledge.get_pattern", { sessionId, id: pattern.id });
    const pad = await client.call("knowledge.read_scratchpad", { sessionId, topic: "Handover" });
    const { content: markdown } = await client.call("session.export", { sessionId, format: "markdown" });
    return { answers, opened, updated, pattern: kept.pattern, pad: pad.note, markdown };
  }

  test("is masked in answers under warn, with a warning for each field", async () => {
    const { answers, opened, pattern, pad, markdown } = await everywhere("warn");
    expect(opened).toMatchObject({ title: clean, description: clean, tags: [clean] });
    expect(pattern).toMatchObject({ title: clean, content: `${clean}!` });
    expect(pad.content).toBe(clean);
    expect(markdown).not.toContain(secret);
    const warned = answers.map(({ warnings }) => warnings.map(({ code }: any) => code));
    expect(warned.map((codes) => codes.length)).toEqual([3, 1, 4, 1, 1]);
    expect(new Set(warned.flat())).toEqual(new Set(["SECRET_DETECTED"]));
    expect(answers[0].warnings.map(({ message }: any) => message.split(" ")[1])).toEqual([
      "sessionTitle",
      "description",
      "tags",
    ]);
  });

  test("is masked before it is stored under redact", async () => {
    const { answers, opened, updated, pattern, pad, markdown } = await everywhere("redact");
    expect(opened).toMatchObject({ title: clean, description: clean, tags: [clean] });
    expect(updated.title).toBe(`${clean}!`);
    expect(pattern).toMatchObject({ title: clean, description: clean, content: `${clean}!`, tags: [clean] });
    expect(pad.content).toBe(clean);
    expect(JSON.stringify([answers, markdown])).not.toContain(secret);
  });

  test("causes a warning in an import, but stays as recorded", async () => {
    const source = createTestApp({ backend })[era]();
    const { sessionId } = await tell(source);
    const content = JSON.stringify((await source.call("session.export", { sessionId })).export);
    const client = createTestApp({ backend, env: settingOf("redact") })[era]();
    const { warnings } = await client.call("session.import", { content });
    expect(warnings).toMatchObject([
      { code: "SECRET_DETECTED", message: expect.stringContaining("thought 1") },
    ]);
    if (era === "legacy") await client.call("load_context", { sessionId });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });

  test("is masked in another session's cross-references, but kept in its own export", async () => {
    const client = createTestApp({ backend })[era]();
    const quoted = await startThinking(client, { title: "The cache" });
    await client.call("thought", { sessionId: quoted, thought: `S1|O|${text}` });
    const kept = JSON.stringify((await client.call("session.export", { sessionId: quoted })).export);
    expect(kept).toContain(secret);
    const sessionId = await startThinking(client, { title: "The shop" });
    await client.call("thought", { sessionId, thought: "see @cache:S1" });
    const { crossReferences } = await client.call("session.export", { sessionId });
    expect(crossReferences).toMatchObject({ resolved: 1 });
    expect(JSON.stringify(crossReferences)).toContain("[secret:github-token]");
    expect(JSON.stringify(crossReferences)).not.toContain(secret);
  });

  test("is ignored under off", async () => {
    const { answers, opened } = await everywhere("off");
    expect(opened.title).toBe(leak);
    expect(answers.flatMap(({ warnings = [] }) => warnings)).toEqual([]);
  });
});

describe.each(backends)("a secret on %s", (backend) => {
  test.each(["warn", "redact", "off"])("never reaches the log under %s", async (mode) => {
    const lines: string[] = [];
    const app = createTestApp({ backend, env: settingOf(mode), log: (line) => void lines.push(line) });
    await tell(app.modern());
    await app.close();
    const log = lines.join("");
    expect(log).toContain(masked);
    expect(log).not.toContain(secret);
  });
});

describe("the log of thoughts", () => {
  async function logged(
    thought: string,
    env: Record<string, string> = {},
    more: object = {},
  ): Promise<string[]> {
    const lines: string[] = [];
    const app = createTestApp({ env, log: (line) => void lines.push(line) });
    const sessionId = await startThinking(app.modern());
    await app.modern().call("thought", { sessionId, thought, ...more });
    await app.close();
    return lines.map((line) => line.replace(sessionId.slice(0, 8), "<session>"));
  }

  test("contains one line per thought", async () => {
    expect(await logged("one\ntwo", {}, { totalThoughts: 4 })).toEqual(["<session> 1/4  one⏎two\n"]);
  });

  test("escapes characters that would control a terminal", async () => {
    const [line] = await logged("\u001b[31mred \u202e\u0007");
    expect(line).toBe("<session> 1/1  \\u{1b}[31mred \\u{202e}\\u{7}\n");
  });

  test("contains only the beginning of a long thought", async () => {
    const [line = ""] = await logged("x".repeat(5_000));
    expect(line.length).toBeLessThan(250);
  });

  test("stays empty under DISABLE_THOUGHT_LOGGING", async () => {
    expect(await logged("one", { DISABLE_THOUGHT_LOGGING: "true" })).toEqual([]);
  });
});

test("under redact, every operation that would create a workspace refuses a name that looks like a secret", async () => {
  const client = createTestApp({ env: settingOf("redact") }).modern();
  for (const [name, args] of [
    ["init", {}],
    ["notes_commit", { content: "x" }],
    ["tasks_create", { title: "x" }],
    ["think_add_note", { card: { title: "x" } }],
  ] as const)
    expect(await client.refusal(name, { ...args, workspace: secret }), name).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: expect.stringContaining("workspace looks like it contains a secret"),
    });
});
