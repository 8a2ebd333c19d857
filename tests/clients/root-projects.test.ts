import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHttpDoor, openPipeDoor } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

type Options = {
  /** Returns what the client answers to `roots/list`. */
  tell(): Promise<unknown>;
  env?: Record<string, string>;
  search?: string;
  hasToken?: boolean;
  era?: "legacy" | "modern";
};

/** Connects a client over HTTP that counts the requests for its roots. */
async function connect({ tell, env = {}, search = "", hasToken = false, era = "legacy" }: Options) {
  const dataDir = join(tempDir(), "data");
  const door = await openHttpDoor(dataDir, env);
  onTestFinished(() => door.close());
  const client = new Client(
    { name: "editor", version: "1" },
    {
      versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
      capabilities: { roots: { listChanged: true } },
    },
  );
  let asked = 0;
  client.setRequestHandler("roots/list", (async () => {
    asked += 1;
    return tell();
  }) as never);
  const headers = { Authorization: `Bearer ${readFileSync(join(dataDir, "token"), "utf8").trim()}` };
  const options = hasToken ? { requestInit: { headers } } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(search, door.url), options));
  onTestFinished(() => client.close());
  const call = async (name: string, args = {}): Promise<any> => {
    const { structuredContent, content } = await client.callTool({ name, arguments: args });
    return structuredContent ?? content;
  };
  return {
    client,
    call,
    isClaimed: (project: string) => existsSync(join(dataDir, "roots", project)),
    asked: () => asked,
    projectOf: async (sessionId: string) => (await call("get_state", { sessionId })).project,
  };
}

/** Creates a repository with a folder in it. */
function createRepository(name: string) {
  const repository = join(tempDir(), name);
  mkdirSync(join(repository, ".git"), { recursive: true });
  mkdirSync(join(repository, "web"));
  return repository;
}

const rootsAt = (...folders: string[]) => ({
  roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: `${basename(folder)}!` })),
});

describe("a client over HTTP that offers roots", () => {
  test("records in the project of the repository around its root, and is asked once", async () => {
    const web = join(createRepository("shop"), "web");
    const { call, asked, projectOf } = await connect({ tell: async () => rootsAt(web) });
    const { sessionId } = await call("thought", { thought: "one" });
    expect(await projectOf(sessionId)).toBe("shop");
    await call("thought", { thought: "two" });
    expect(await call("list_sessions")).toMatchObject({ project: "shop", total: 1 });
    expect(await call("start_new")).toMatchObject({ session: { project: "shop" } });
    expect(await call("status")).toMatchObject({ workspace: "shop" });
    expect(asked()).toBe(1);
  });

  test("uses the first of several roots that is a repository", async () => {
    const tell = async () => rootsAt(tempDir(), createRepository("shop"), createRepository("blog"));
    const { call, isClaimed } = await connect({ tell });
    expect(await call("start_new")).toMatchObject({ session: { project: "shop" } });
    expect((await call("list_roots")).roots).toHaveLength(3);
    expect([isClaimed("shop"), isClaimed("blog")]).toEqual([true, false]);
  });

  test("uses only the first eight of many roots", async () => {
    const folders = Array.from({ length: 7 }, () => tempDir());
    const near = await connect({ tell: async () => rootsAt(...folders, createRepository("shop")) });
    expect(await near.call("start_new")).toMatchObject({ session: { project: "shop" } });
    const far = await connect({ tell: async () => rootsAt(...folders, tempDir(), createRepository("shop")) });
    expect(await far.call("start_new")).toMatchObject({ session: { project: "_default" } });
    expect(far.isClaimed("shop")).toBe(false);
  });

  test("skips a root that is nested more than 64 folders deep", async () => {
    const deep = join(createRepository("shop"), ...Array.from({ length: 64 }, () => "a"));
    const { call } = await connect({ tell: async () => rootsAt(deep, createRepository("blog")) });
    expect(await call("start_new")).toMatchObject({ session: { project: "blog" } });
  });

  test("keeps the server's project if no root is a repository on this machine", async () => {
    const tell = async () => ({
      roots: [
        { uri: pathToFileURL(tempDir()).href },
        { uri: "file:///no/such/folder" },
        { uri: "file://elsewhere/share/shop" },
        { uri: "https://example.org/shop" },
        { uri: "shop" },
      ],
    });
    const { call } = await connect({ tell });
    expect(await call("start_new")).toMatchObject({ session: { project: "_default" } });
  });

  test("provides only the name of its root if it sends a token, because its files may be on another machine", async () => {
    const web = join(createRepository("shop"), "web");
    const { call } = await connect({
      tell: async () => ({ roots: [{ uri: pathToFileURL(web).href }] }),
      hasToken: true,
    });
    expect(await call("start_new")).toMatchObject({ session: { project: "web" } });
  });

  test("stays in its session after its roots change, and opens the next session in the new project", async () => {
    let repository = createRepository("shop");
    const { client, call, asked, projectOf } = await connect({ tell: async () => rootsAt(repository) });
    const first = await call("thought", { thought: "one" });
    repository = createRepository("blog");
    await client.sendRootsListChanged();
    await expect.poll(async () => (await call("get_state")).project).toBe("blog");
    const second = await call("thought", { thought: "two" });
    expect(second).toMatchObject({ sessionId: first.sessionId, thoughtNumber: 2 });
    expect(await call("start_new")).toMatchObject({ session: { project: "blog" } });
    expect(await projectOf(first.sessionId)).toBe("shop");
    expect(await call("list_sessions", { project: "shop" })).toMatchObject({ total: 1 });
    expect(asked()).toBe(2);
  });

  test.each([
    ["a project in its URL", { search: "?project=office" }],
    ["a project of the server", { env: { THOUGHTBOX_PROJECT: "office" } }],
    [
      "a locked project",
      { env: { THOUGHTBOX_PROJECT: "office", THOUGHTBOX_PROJECT_LOCK: "true" }, search: "?project=x" },
    ],
  ])("is not asked if there is %s", async (_what, options) => {
    const { call, asked } = await connect({
      tell: async () => rootsAt(createRepository("shop")),
      ...options,
    });
    expect(await call("start_new")).toMatchObject({ session: { project: "office" } });
    expect(asked()).toBe(0);
  });

  test("is not asked if its call names the project", async () => {
    const { call, asked } = await connect({ tell: async () => rootsAt(createRepository("shop")) });
    expect(await call("start_new", { project: "named" })).toMatchObject({ session: { project: "named" } });
    expect(await call("start_new")).toMatchObject({ session: { project: "named" } });
    expect(asked()).toBe(0);
  });

  test.each([
    ["fails", () => Promise.reject(new Error("no folder is open"))],
    ["sends rubbish", async () => ({ roots: "everything" })],
  ])("records in the server's project if it %s, and is not asked again", async (_what, tell) => {
    const { call, asked } = await connect({ tell });
    expect(await call("start_new")).toMatchObject({ session: { project: "_default" } });
    expect(await call("thought", { thought: "one" })).toMatchObject({ thoughtNumber: 1 });
    expect(asked()).toBe(1);
  });

  test("is asked once more if it answers late", async () => {
    const tells = [() => new Promise<never>(() => {}), async () => rootsAt(createRepository("shop"))];
    const { call, asked } = await connect({ tell: async () => tells.shift()?.() });
    expect(await call("start_new")).toMatchObject({ session: { project: "_default" } });
    expect(await call("start_new")).toMatchObject({ session: { project: "shop" } });
    expect(await call("start_new")).toMatchObject({ session: { project: "shop" } });
    expect(asked()).toBe(2);
  });

  test("is asked twice if it never answers, and records in the server's project", async () => {
    const { call, asked } = await connect({ tell: () => new Promise<never>(() => {}) });
    for (const _ of [1, 2, 3])
      expect(await call("start_new")).toMatchObject({ session: { project: "_default" } });
    expect(asked()).toBe(2);
  });

  test("is not asked again after a late answer if it has chosen a project", async () => {
    const { call, asked } = await connect({ tell: () => new Promise<never>(() => {}) });
    await call("start_new");
    await call("start_new", { project: "_default" });
    expect(await call("start_new")).toMatchObject({ session: { project: "_default" } });
    expect(asked()).toBe(1);
  });

  test("is not asked with the newer protocol, in which every call would ask", async () => {
    const { call, asked } = await connect({
      tell: async () => rootsAt(createRepository("shop")),
      era: "modern",
    });
    expect(await call("start_new")).toMatchObject({ session: { project: "_default" } });
    expect(asked()).toBe(0);
  });

  test("stays in the workspaces that the server allows", async () => {
    const env = { THOUGHTBOX_WORKSPACE_ALLOW: "default,office" };
    const { call, isClaimed } = await connect({ tell: async () => rootsAt(createRepository("shop")), env });
    expect(await call("start_new")).toMatchObject({ session: { project: "_default" } });
    expect(isClaimed("shop")).toBe(false);
  });
});

test("a client over stdio is not asked for its roots", async () => {
  const door = openPipeDoor(join(tempDir(), "data"), {});
  onTestFinished(() => door.close());
  let asked = 0;
  const { call } = await door.connect("legacy", () => {
    asked += 1;
    return rootsAt(createRepository("shop")).roots;
  });
  expect(await call("start_new", {})).toMatchObject({ result: { session: { project: "_default" } } });
  expect(asked).toBe(0);
});
