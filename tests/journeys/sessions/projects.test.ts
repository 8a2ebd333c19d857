import { describe, expect, test } from "vitest";
import type { Root } from "../../../src/operations/pipeline/context.ts";
import { refusalWithCure } from "../../support/replies/execute-recovery.ts";
import {
  backends,
  createTestApp,
  doors,
  eras,
  fewWays,
  lastingWays,
  shareTestApp,
  startThinking,
} from "../../support/test-app.ts";

const withRoots = { can: { roots: true, sampling: false } };
const roots: Root[] = [
  { uri: "file:///home/ada/shop", name: "Ada's shop" },
  { uri: "file:///srv/blog%20two/" },
];

describe.each(fewWays)("projects of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const [client, rooted] = [app[era](), app[era](withRoots)];

  test("a session belongs to the server's project by default", async () => {
    const client = createTestApp({ backend, env: { THOUGHTBOX_PROJECT: "home" } })[era]();
    expect((await client.call("start_new")).session).toMatchObject({ project: "home", tags: [] });
    expect((await createTestApp({ backend })[era]().call("start_new")).session.project).toBe("_default");
  });

  test.each([
    ["shop", "shop"],
    ["Ada's shop", "Ada-s-shop-c065ad885b"],
    ["../../etc", "etc-74ccf3c5b4"],
    ["a/b\\c", "a-b-c-7e65aa1c27"],
    [".hidden", "hidden-1692419006"],
    ["_private", "_private"],
    ["p".repeat(100), `${"p".repeat(53)}-abd3b172ac`],
  ])("the project %j is stored as %j", async (name, project) => {
    expect((await client.call("start_new", { project: name })).session.project).toBe(project);
    expect(await client.call("list_sessions", { project: name })).toMatchObject({ total: 1, project });
  });

  test("projects with names in other scripts are separate and can be found by the same name", async () => {
    for (const project of ["проект", "задача", "東京"]) {
      const { session } = await client.call("start_new", { project });
      expect(session.project).toMatch(/^project-[0-9a-f]{10}$/);
      const listed = await client.call("list_sessions", { project });
      expect(listed).toMatchObject({ total: 1, project: session.project });
      expect(await client.call("list_sessions", { project: session.project })).toMatchObject({ total: 1 });
    }
  });

  test("listing and search stay in the caller's project unless the call asks for all", async () => {
    const client = createTestApp({ backend })[era]();
    const mine = await startThinking(client, { title: "mine" });
    const shop = await startThinking(client, { title: "theirs", project: "shop" });
    await client.call("thought", { sessionId: shop, thought: "walrus" });
    const titles = async (args: object) =>
      (await client.call("list_sessions", args)).sessions.map(({ title }: any) => title);
    // A legacy connection uses its session's project. A modern caller without a session uses the server's.
    expect(await titles({})).toEqual([era === "legacy" ? "theirs" : "mine"]);
    expect(await titles({ sessionId: mine })).toEqual(["mine"]);
    expect(await titles({ sessionId: shop })).toEqual(["theirs"]);
    expect(await titles({ project: "shop" })).toEqual(["theirs"]);
    expect((await titles({ project: "*" })).sort()).toEqual(["mine", "theirs"]);
    const count = async (args: object) =>
      (await client.call("session.search", { query: "walrus", ...args })).count;
    expect(await count({ sessionId: mine })).toBe(0);
    expect(await count({ project: "*" })).toBe(1);
    expect(await count({ sessionId: mine, project: "*" })).toBe(0);
    expect(await count({ sessionId: shop })).toBe(1);
  });

  describe("navigate", () => {
    test.each([
      ["bakery", { project: "bakery", task: "speed", aspect: "cache" }],
      ["library", { target: { project: "library", task: "speed" }, aspect: "cache" }],
    ])("moves to project %s with %o and lists the sessions there", async (project, args) => {
      const place = { project, task: "speed", aspect: "cache" };
      const { sessionId } = await client.call("start_new", { title: "here", ...place });
      await client.call("start_new", { title: "elsewhere", project, task: "looks" });
      const told = await client.call("navigate", args);
      expect(told).toMatchObject({ project, navigation: place, total: 1 });
      expect(told.sessions).toMatchObject([{ sessionId, title: "here", thoughtCount: 0 }]);
    });

    test.each(["project", "task", "aspect"])("accepts to: %s with a value", async (to) => {
      const { navigation } = await client.call("navigate", { to, value: "speed" });
      expect(navigation[to]).toBe("speed");
    });
  });

  describe("roots", () => {
    test("are requested from the client and shown", async () => {
      expect(await rooted.reply("list_roots", {}, { answers: { roots } })).toMatchObject({
        result: { supported: true, roots },
      });
    });

    test("of a client that does not support them are empty, and the client is not asked", async () => {
      expect(await client.call("list_roots")).toMatchObject({ supported: false, roots: [] });
      const error = await refusalWithCure(client, "bind_root", { rootUri: "file:///home/ada/shop" });
      expect(error).toMatchObject({ code: "INVALID_PAYLOAD", details: { roots: [] } });
    });

    test("a root without a usable name is named after its path", async () => {
      const answers = { roots: [{ uri: "file:///home/ada/shop", name: "" }] };
      const bound = await rooted.reply("bind_root", { rootUri: "file:///home/ada/shop" }, { answers });
      expect(bound).toMatchObject({ result: { project: "shop" } });
    });

    test("a URI that is not a root of the client is refused with the valid roots", async () => {
      const reply = await rooted.reply("bind_root", { rootUri: "file:///etc" }, { answers: { roots } });
      expect(reply).toMatchObject({
        kind: "error",
        error: { code: "INVALID_PAYLOAD", details: { roots }, recovery: { operation: "list_roots" } },
      });
    });
  });

  describe("under a project lock", () => {
    const env = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };
    const client = shareTestApp({ backend, env })[era]();

    test.each([
      ["start_new", { project: "other" }],
      ["navigate", { project: "other" }],
      ["load_context", { latest: true, project: "other" }],
    ])("%s refuses another project, and its recovery works", async (name, args) => {
      const error = await refusalWithCure(client, name, args);
      expect(error).toMatchObject({ code: "INVALID_PAYLOAD", message: expect.stringContaining("mine") });
    });

    test("a root with another name cannot be bound", async () => {
      const client = createTestApp({ backend, env })[era](withRoots);
      const reply = await client.reply("bind_root", { rootUri: roots[0]?.uri }, { answers: { roots } });
      expect(reply).toMatchObject({ kind: "error", error: { code: "INVALID_PAYLOAD" } });
      expect(await client.call("get_state")).toMatchObject({ project: "mine", boundRoot: null });
    });

    test("the locked project may be named explicitly", async () => {
      expect((await client.call("start_new", { project: "mine" })).session.project).toBe("mine");
    });
  });
});

describe.each(doors)("where clients of each era keep their place, on %s", (backend) => {
  test("load_context finds a session of any project and moves a legacy connection there", async () => {
    const app = createTestApp({ backend });
    const { sessionId } = await app.modern().call("start_new", { title: "theirs", project: "shop" });
    const client = app.legacy();
    expect(await client.call("get_state")).toMatchObject({ project: "_default" });
    await client.call("load_context", { sessionId });
    expect(await client.call("get_state")).toMatchObject({ project: "shop" });
    expect(await client.call("list_sessions")).toMatchObject({ total: 1, project: "shop" });
    expect((await client.call("start_new")).session.project).toBe("shop");
  });

  test("navigate moves a legacy connection, and the next session is created there", async () => {
    const client = createTestApp({ backend }).legacy();
    await client.call("navigate", { project: "shop", task: "speed" });
    expect(await client.call("get_state")).toMatchObject({
      project: "shop",
      navigation: { project: "shop", task: "speed", aspect: null },
    });
    expect((await client.call("start_new")).session.project).toBe("shop");
  });

  test("navigate stores a modern caller's place with its session, and returns the project if there is none", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const { project } = await client.call("navigate", { project: "My shop" });
    expect(project).toBe("My-shop-7cde64cbe9");
    const { sessionId } = await client.call("start_new", { project });
    await client.call("navigate", { sessionId, task: "speed" });
    await client.call("navigate", { sessionId, aspect: "cache" });
    const { navigation } = await client.call("get_state", { sessionId });
    expect(navigation).toEqual({ project: "My-shop-7cde64cbe9", task: "speed", aspect: "cache" });
    expect(await app.modern().call("get_state")).toMatchObject({ project: "_default" });
  });

  test("moving to another project clears task and aspect, and moving to another task clears the aspect", async () => {
    const client = createTestApp({ backend }).legacy();
    await client.call("navigate", { project: "shop", task: "speed", aspect: "cache" });
    expect((await client.call("navigate", { task: "looks" })).navigation).toEqual({
      project: "shop",
      task: "looks",
      aspect: null,
    });
    expect((await client.call("navigate", { project: "blog" })).navigation).toEqual({
      project: "blog",
      task: null,
      aspect: null,
    });
  });

  test.each(eras)("navigate moves a %s caller for later calls, but not its current session", async (era) => {
    const client = createTestApp({ backend })[era]();
    const { sessionId } = await client.call("start_new", { title: "at home" });
    const here = era === "legacy" ? {} : { sessionId };
    await client.call("navigate", { ...here, project: "shop" });
    expect(await client.call("list_sessions", here)).toMatchObject({ project: "shop", total: 0 });
    expect(await client.call("get_state", here)).toMatchObject({
      project: "shop",
      session: { project: "_default" },
    });
    expect((await client.call("start_new", here)).session.project).toBe("shop");
  });

  test.each(eras)("binding a root moves a %s caller the same way", async (era) => {
    const client = createTestApp({ backend })[era](withRoots);
    const { sessionId } = await client.call("start_new");
    const here = era === "legacy" ? {} : { sessionId };
    await client.reply("bind_root", { ...here, rootUri: "file:///home/ada/shop" }, { answers: { roots } });
    expect(await client.call("list_sessions", here)).toMatchObject({ project: "Ada-s-shop-c065ad885b" });
  });

  test.each(eras)(
    "an empty project is explained to a %s caller only if the caller did not name it",
    async (era) => {
      const app = createTestApp({ backend });
      const { sessionId } = await app.modern().call("start_new", { title: "theirs" });
      const client = app[era]();
      const { project } = await client.call("navigate", { project: "empty" });
      const here = era === "legacy" ? {} : { project };
      const listed = await client.call("list_sessions", here);
      const hint =
        'Project empty has no sessions. Other projects do: _default 1. Pass project: "_default" to see them';
      expect(listed.hint).toEqual(era === "legacy" ? expect.stringContaining(hint) : undefined);
      if (era === "modern") return;
      const error = await refusalWithCure(client, "load_context", { latest: true });
      expect(error).toMatchObject({ code: "SESSION_NOT_FOUND", message: expect.stringContaining(hint) });
      expect(await client.call("get_state")).toMatchObject({ sessionId, project: "_default" });
    },
  );

  test("an anchor that another project could resolve is reported without its content", async () => {
    const app = createTestApp({ backend });
    const other = app.modern();
    const client = app.modern();
    const theirs = await startThinking(other, { title: "Auth flow", tags: ["auth-flow"], project: "shop" });
    await other.call("thought", { sessionId: theirs, thought: "secret walrus" });
    const sessionId = await startThinking(client, { title: "mine" });
    await client.call("thought", { sessionId, thought: "As in @auth-flow:S1" });
    const exported = await client.call("session.export", { sessionId, resolveAnchors: true });
    const [detail] = exported.crossReferences.details;
    expect(detail).toMatchObject({
      status: "unresolved",
      candidates: [],
      hint: expect.stringContaining("shop"),
    });
    expect(JSON.stringify(exported)).not.toContain("walrus");
  });

  test.each([
    ["its name", "file:///home/ada/shop", "Ada-s-shop-c065ad885b"],
    ["the end of its path", "file:///srv/blog%20two/", "blog-two-dee4ffddb2"],
  ])("a root that a legacy connection binds names the project after %s", async (_what, rootUri, project) => {
    const client = createTestApp({ backend }).legacy(withRoots);
    const bound = await client.reply("bind_root", { rootUri }, { answers: { roots } });
    expect(bound).toMatchObject({ result: { boundRoot: rootUri, project, root: { uri: rootUri } } });
    expect(await client.call("get_state")).toMatchObject({ boundRoot: rootUri, project });
    expect((await client.call("start_new")).session.project).toBe(project);
  });

  test("a modern caller that binds a root gets the project to pass in later calls, and its session keeps the root", async () => {
    const client = createTestApp({ backend }).modern(withRoots);
    const { sessionId } = await client.call("start_new");
    const args = { sessionId, root: "file:///home/ada/shop" };
    expect(await client.reply("bind_root", args, { answers: { roots } })).toMatchObject({
      result: { project: "Ada-s-shop-c065ad885b" },
    });
    expect(await client.call("get_state", { sessionId })).toMatchObject({
      boundRoot: "file:///home/ada/shop",
    });
  });
});

describe.each(backends)("the request for roots, in process on %s", (backend) => {
  test("is sent to the client before list_roots or bind_root can answer", async () => {
    const client = createTestApp({ backend }).modern(withRoots);
    const question = { kind: "ask", ask: { ask: "roots" } };
    expect(await client.reply("list_roots")).toEqual(question);
    expect(await client.reply("bind_root", { rootUri: "file:///home/ada/shop" })).toEqual(question);
  });
});

describe.each(backends)("roots that the client failed to list, on %s", (backend) => {
  const answers = { roots: { failed: "Request timed out" } };

  test.each(eras)("differ from an empty list for a %s client", async (era) => {
    const client = createTestApp({ backend })[era](withRoots);
    expect(await client.reply("list_roots", {}, { answers })).toMatchObject({
      result: { supported: true, roots: [], problem: expect.stringContaining("timed out") },
    });
    const none = await client.reply("list_roots", {}, { answers: { roots: [] } });
    expect(none).not.toHaveProperty("result.problem");
    const bound = await client.reply("bind_root", { rootUri: "file:///home/ada/shop" }, { answers });
    expect(bound).toMatchObject({
      error: { message: expect.stringContaining("timed out"), recovery: { operation: "navigate" } },
    });
  });
});

describe.each(lastingWays)("a store that a %s client reaches over %s", (era, backend) => {
  test("under a project lock, sessions of other projects do not exist", async () => {
    const free = createTestApp({ backend });
    const writer = free[era]();
    const other = await startThinking(writer, { title: "secret walrus", project: "other" });
    await writer.call("thought", { sessionId: other, thought: "walrus" });
    await free.close();

    const env = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };
    const client = createTestApp({ backend, dataDir: free.dataDir, env })[era]();
    const mine = await startThinking(client);
    for (const name of [
      "load_context",
      "get_state",
      "thought",
      "read_thoughts",
      "session.export",
      "session.verify",
    ]) {
      const error = await refusalWithCure(client, name, {
        sessionId: other,
        ...(name === "thought" && { thought: "x" }),
      });
      expect(error.code, name).toBe("SESSION_NOT_FOUND");
    }
    for (const project of ["*", "other", "mine"]) {
      expect(await client.call("list_sessions", { project })).toMatchObject({ total: 1, project: "mine" });
      const found = await client.call("session.search", { sessionId: mine, query: "walrus", project });
      expect(found.count, project).toBe(0);
    }
  });
});
