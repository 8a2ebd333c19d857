import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, test } from "vitest";
import { openHttpDoor } from "../support/real-door.ts";
import { once } from "../support/run/once.ts";
import { binary, cleanEnv } from "../support/server-process.ts";

const modes = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;
const wires = (["legacy", "modern"] as const).flatMap((era) =>
  (["stdio", "http"] as const).map((transport) => [era, transport] as const),
);

/** Opens a store with a session, a branch and two notes, and a client that reads it from outside. */
function open(era: keyof typeof modes, transport: "stdio" | "http") {
  const dataDir = mkdtempSync(join(tmpdir(), "thoughtbox-resources-"));
  const endings: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return once(async () => {
    const client = new Client({ name: "reader", version: "1" }, { versionNegotiation: { mode: modes[era] } });
    if (transport === "http") {
      const door = await openHttpDoor(dataDir, {});
      endings.push(() => door.close());
      await client.connect(new StreamableHTTPClientTransport(door.url));
    } else {
      const env = { ...cleanEnv(), DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_DATA_DIR: dataDir };
      const server = { command: process.execPath, args: [binary, "stdio"], env };
      await client.connect(new StdioClientTransport({ ...server, stderr: "ignore" }));
    }
    endings.push(() => client.close());
    const call = async (name: string, args: Record<string, unknown>): Promise<any> => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
      if (isError) throw new Error(JSON.stringify(content));
      return structuredContent;
    };
    const gateway = (operation: string, subOperation: string, args: object) =>
      call("thoughtbox_gateway", { operation, subOperation, ...args });
    const { sessionId } = await call("start_new", {
      sessionTitle: "Why do logins time out?",
      project: "shop",
    });
    await call("thoughtbox_gateway", { operation: "cipher", sessionId });
    await call("thought", { sessionId, thought: "Logins time out." });
    await call("thought", { sessionId, thought: "Or the proxy?", branchFromThought: 1, branchId: "proxy" });
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      expect(contents).toHaveLength(1);
      return contents[0] as { uri: string; mimeType: string; text: string };
    };
    return { client, call, gateway, dataDir, sessionId: sessionId as string, read };
  });
}

describe.each(wires)("a %s client over %s", (era, transport) => {
  const opened = open(era, transport);
  const alone = open(era, transport);

  test("reads a large session page by page without writing a file", async () => {
    const { call, dataDir, read } = await alone();
    const { sessionId } = await call("start_new", { sessionTitle: "Long" });
    const texts = Array.from({ length: 4 }, (_, n) => `${n} ${"words ".repeat(5_000)}end ${n}`);
    for (const thought of texts) await call("thought", { sessionId, thought });
    const pages: string[] = [];
    let next: string | undefined = `thoughtbox://sessions/${sessionId}`;
    while (next !== undefined) {
      const { text } = await read(next);
      next = text.match(/\nContinues at (\S+)\n$/)?.[1];
      pages.push(text);
    }
    expect(pages.length).toBeGreaterThan(1);
    for (const n of texts.keys()) expect(pages.join("")).toContain(`end ${n}`);
    expect(existsSync(join(dataDir, "exports"))).toBe(false);
  });

  test("reads a pattern in full, even if it is longer than an answer", async () => {
    const { gateway, sessionId, read } = await opened();
    const content = 'a "quoted" line\n'.repeat(16_000);
    const pattern = { sessionId, title: "Long", description: "Longer than an answer.", content };
    await gateway("knowledge", "create_pattern", pattern);
    const { uri } = await gateway("knowledge", "get_pattern", { sessionId, id: "long" });
    const lines = content.trimEnd().split("\n");
    expect((await read(uri)).text).toBe(`# Long\n\n${lines.map((line) => `> ${line}`).join("\n")}\n`);
  });

  test("reads a long thought in full, on the main line and on a branch", async () => {
    const { call, read } = await alone();
    const thought = 'a "quoted" thought 🙂\n'.repeat(8_000).trimEnd();
    const { sessionId } = await call("start_new", { sessionTitle: "One long thought" });
    await call("thought", { sessionId, thought });
    await call("thought", { sessionId, thought, branchFromThought: 1, branchId: "alt" });
    const session = `thoughtbox://sessions/${sessionId}`;
    for (const uri of [`${session}/thoughts/1`, `${session}/branches/alt/thoughts/2`])
      expect(JSON.parse((await read(uri)).text).thought).toBe(thought);
  });

  test("finds the pages of the contract, each with something to send in its first 300 words", async () => {
    const { client, read } = await opened();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri).sort()).toEqual(
      ["architecture", "cipher", "init", "mental-models", "patterns-cookbook", "session-analysis-guide"].map(
        (name) => `thoughtbox://${name}`,
      ),
    );
    for (const { uri, mimeType, description } of resources) {
      expect(description).toBeTruthy();
      const page = await read(uri);
      expect(page.mimeType).toBe(mimeType);
      if (mimeType !== "text/markdown") continue;
      // Each page shows something to send or write near the top: a call, a step in the notation, or a table.
      const start = page.text.split(/\s+/).slice(0, 300).join(" ");
      expect(start, uri).toMatch(/\{"operation"|S1\||\| ?-{3}|```/);
    }
  });

  test("finds the fifteen models at their listed addresses", async () => {
    const { read } = await opened();
    const { models, count } = JSON.parse((await read("thoughtbox://mental-models")).text);
    expect(count).toBe(15);
    for (const { uri, title } of models) expect((await read(uri)).text).toContain(`# ${title}`);
    expect((await read("thoughtbox://mental-models/problem-solving/five-whys")).text).toContain(
      "# Five Whys",
    );
    await expect(read("thoughtbox://mental-models/planning/five-whys")).rejects.toThrow();
  });

  test("reads a session, its structure, a thought and a thought of a branch", async () => {
    const { read, sessionId } = await opened();
    const session = `thoughtbox://sessions/${sessionId}`;
    expect((await read(session)).text).toContain("Branch `proxy` from thought 1");
    expect(JSON.parse((await read(`${session}/structure`)).text)).toMatchObject({ branchCount: 1 });
    expect(JSON.parse((await read(`${session}/thoughts/1`)).text)).toMatchObject({
      thought: "Logins time out.",
    });
    expect(JSON.parse((await read(`${session}/branches/proxy/thoughts/2`)).text)).toMatchObject({
      thought: "Or the proxy?",
      branchId: "proxy",
    });
  });

  test("reads a note at the address that its operation returns", async () => {
    const { gateway, read, sessionId } = await opened();
    const words = {
      title: "Check the pool",
      description: "Waiting looks like work.",
      content: "Count first.",
    };
    await gateway("knowledge", "create_pattern", { sessionId, ...words });
    await gateway("knowledge", "write_scratchpad", { sessionId, topic: "Handover", content: "The proxy." });
    const pattern = await gateway("knowledge", "get_pattern", { sessionId, id: "check-the-pool" });
    const note = await gateway("knowledge", "read_scratchpad", { sessionId, topic: "Handover" });
    expect(pattern.uri).toMatch(/^thoughtbox:\/\/knowledge\/patterns\/check-the-pool/);
    expect((await read(pattern.uri)).text).toBe("# Check the pool\n\n> Count first.\n");
    expect((await read(note.uri)).text).toBe("# Handover\n\n> The proxy.\n");
  });

  test("opens the cell that a recorded run links to as it ran, even if it was changed or deleted", async () => {
    const { gateway, read, sessionId } = await opened();
    const on = (subOperation: string, args: object) =>
      gateway("notebook", subOperation, { sessionId, ...args });
    const { notebookId } = await on("create", { name: "Sums" });
    const { cellId } = await on("add_cell", {
      notebookId,
      type: "code",
      filename: "sum.js",
      content: "33 * 3",
    });
    const { recorded } = await on("run_cell", { notebookId, cellId, recordAs: { sessionId } });
    const thought = JSON.parse(
      (await read(`thoughtbox://sessions/${sessionId}/thoughts/${recorded.thoughtNumber}`)).text,
    );
    const link = /thoughtbox:\/\/notebooks\/\S+/.exec(thought.thought)?.[0] ?? "";
    expect(JSON.parse((await read(link)).text)).toMatchObject({ source: "33 * 3", run: { value: "99" } });
    await on("update_cell", { notebookId, cellId, content: "0" });
    await on("delete_cell", { notebookId, cellId });
    expect(JSON.parse((await read(link)).text)).toMatchObject({
      ...{ id: cellId, version: 1, source: "33 * 3" },
      run: { value: "99" },
    });
    const whole = link.replace(/\/cells\/[^?]*\?version=1&run=\d+&?/, "?").replace(/\?$/, "");
    expect(JSON.parse((await read(whole)).text)).toMatchObject({ title: "Sums", total: 2 });
    await expect(read(link.replace("version=1", "version=9"))).rejects.toThrow(/not found/i);
  });

  test.each([
    "thoughtbox://nothing",
    "thoughtbox://sessions/00000000-0000-4000-8000-000000000000",
    "thoughtbox://sessions/../../etc/passwd",
    "thoughtbox://knowledge/patterns/nothing",
    "thoughtbox://mental-models/debugging/nothing",
    "thoughtbox://notebooks/00000000-0000-4000-8000-000000000000",
    "thoughtbox://notebooks/00000000-0000-4000-8000-000000000000/cells/sum.js",
    "file:///etc/passwd",
  ])("receives a not-found error for %s", async (uri) => {
    const { client } = await opened();
    await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
  });

  test("finds a template for every kind of address", async () => {
    const { client } = await opened();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate.slice("thoughtbox://".length)).sort(),
    ).toEqual([
      "knowledge/patterns/{id}",
      "knowledge/scratchpad/{topic}",
      "mental-models/{tag}/{model}",
      "notebooks/{notebookId}",
      "notebooks/{notebookId}/cells/{cellId}{?version,run}",
      "sessions/{sessionId}",
      "sessions/{sessionId}/branches/{branchId}/thoughts/{thoughtNumber}",
      "sessions/{sessionId}/structure",
      "sessions/{sessionId}/thoughts/{thoughtNumber}",
    ]);
  });

  test("finds the four prompts with their arguments, which fill in the given values", async () => {
    const { client } = await opened();
    const { prompts } = await client.listPrompts();
    const shapes = prompts.map(({ name, arguments: given = [] }) => [
      name,
      given.map(({ name: argument, required }) => `${argument}${required ? "" : "?"}`).join(", "),
    ]);
    expect(Object.fromEntries(shapes)).toEqual({
      "evolution-check": "newThought, sessionId?, priorThoughts?",
      "interleaved-thinking": "task, thoughts_limit?, clear_folder?",
      list_mcp_assets: "",
      "subagent-summarize": "request?",
    });
    const get = async (name: string, given: Record<string, string> = {}) => {
      const { messages } = await client.getPrompt({ name, arguments: given });
      const [first] = messages as { content: unknown }[];
      return (first?.content as { text: string } | undefined)?.text ?? "";
    };
    const hostile = "{{thoughts_limit}} $& </task>";
    const text = await get("interleaved-thinking", { task: hostile, thoughts_limit: "7" });
    expect(text).toContain(hostile);
    expect(text).toContain("7");
    expect(await get("evolution-check", { newThought: "It was DNS." })).toContain("It was DNS.");
    for (const name of ["list_mcp_assets", "subagent-summarize"]) {
      expect(await get(name)).not.toContain("{{");
    }
    const [{ resources }, { resourceTemplates }] = await Promise.all([
      client.listResources(),
      client.listResourceTemplates(),
    ]);
    const addresses = [
      ...resources.map(({ uri }) => uri),
      ...resourceTemplates.map((one) => one.uriTemplate),
    ];
    const assets = await get("list_mcp_assets");
    for (const address of addresses) expect(assets).toContain(/^[a-z]+:\/\/[\w-]+/.exec(address)?.[0]);
  });

  test("receives the available prompts and the required arguments in errors", async () => {
    const { client } = await opened();
    await expect(client.getPrompt({ name: "nothing" })).rejects.toThrow("evolution-check");
    await expect(client.getPrompt({ name: "evolution-check" })).rejects.toThrow("needs newThought");
  });

  test("receives the defaults of a prompt, and errors for invalid arguments", async () => {
    const { client } = await opened();
    const get = async (args: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name: "interleaved-thinking", arguments: args });
      return messages.map(({ content }) => (content as { text: string }).text).join("");
    };
    expect(await get({ task: "Find it" })).toMatch(/Limit of thoughts\*\*: 20\n.*at the end\*\*: false\n/);
    expect(await get({ task: "Find it", thoughts_limit: "7" })).toContain("Limit of thoughts**: 7");
    for (const [args, message] of [
      [{ task: "x", thoughts_limit: "many" }, "thoughts_limit must be a whole number from 1 to 1000"],
      [{ task: "x", clear_folder: "perhaps" }, "clear_folder must be true or false"],
      [{ task: "x", thought_limit: "7" }, "Did you mean thoughts_limit?"],
      [{ task: " " }, "needs task"],
    ] as const)
      await expect(get(args)).rejects.toThrow(message);
  });

  test("sees the server's icon and title", async () => {
    const { client } = await opened();
    expect(client.getServerVersion()).toMatchObject({
      title: "Thoughtbox",
      icons: [{ mimeType: "image/svg+xml", src: expect.stringMatching(/^data:image\/svg/) }],
    });
  });

  test("receives completions that match the arguments so far", async () => {
    const { client, sessionId } = await opened();
    const offered = async (uri: string, name: string, args: Record<string, string>) =>
      (
        await client.complete({
          ref: { type: "ref/resource", uri },
          argument: { name, value: "" },
          context: { arguments: args },
        })
      ).completion.values;
    const model = "thoughtbox://mental-models/{tag}/{model}";
    expect(await offered(model, "model", { tag: "debugging" })).toEqual(["five-whys", "rubber-duck"]);
    expect(await offered(model, "model", { tag: "cooking" })).toEqual([]);
    expect(await offered(model, "tag", { model: "five-whys" })).toEqual(["debugging", "problem-solving"]);
    const thought = "thoughtbox://sessions/{sessionId}/branches/{branchId}/thoughts/{thoughtNumber}";
    expect(await offered(thought, "branchId", { sessionId })).toEqual(["proxy"]);
    expect(await offered(thought, "thoughtNumber", { sessionId, branchId: "proxy" })).toEqual(["2"]);
    expect(await offered(thought, "thoughtNumber", { sessionId, branchId: "none" })).toEqual([]);
  });

  test.runIf(era === "legacy")(
    "is refused subscriptions to resources that never change or do not exist",
    async () => {
      const { client, sessionId } = await opened();
      const session = `thoughtbox://sessions/${sessionId}`;
      await client.subscribeResource({ uri: `${session}/branches/proxy/thoughts/2` });
      for (const uri of ["thoughtbox://cipher", "thoughtbox://mental-models/debugging/five-whys"])
        await expect(client.subscribeResource({ uri })).rejects.toThrow("There are no updates for");
      const unknown = session.replace(/.{12}$/, "000000000000");
      for (const uri of [`${session}/thoughts/99`, unknown, "thoughtbox://nothing"])
        await expect(client.subscribeResource({ uri })).rejects.toThrow();
    },
  );

  test("receives completions for session IDs, models and tags", async () => {
    const { client, sessionId } = await opened();
    const complete = async (uri: string, name: string, value: string) =>
      (await client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } })).completion;
    const model = "thoughtbox://mental-models/{tag}/{model}";
    expect((await complete(model, "model", "f")).values).toEqual(["fermi-estimation", "five-whys"]);
    expect((await complete(model, "tag", "")).total).toBe(6);
    expect((await complete(model, "nothing", "")).values).toEqual([]);
    const session = "thoughtbox://sessions/{sessionId}";
    const found = (await complete(session, "sessionId", "logins")).values;
    // Over stdio, the tools of a modern client also continue its session without naming it.
    expect(found).toEqual(era === "legacy" || transport === "stdio" ? [sessionId] : []);
    const prompt = { type: "ref/prompt", name: "evolution-check" } as const;
    const argument = { name: "sessionId", value: "no such title" };
    expect((await client.complete({ ref: prompt, argument })).completion.values).toEqual([]);
  });
});
