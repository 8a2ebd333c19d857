import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { catalogue } from "../../../src/operations/catalogue.ts";
import { toolName } from "../../../src/operations/pipeline/normalise.ts";
import { openHttpDoor, openStdioDoor } from "../../support/real-door.ts";
import { refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { tempDir } from "../../support/temp-dir.ts";
import {
  createTestApp,
  eras,
  fewWays,
  shareTestApp,
  startThinking,
  throughGateway,
} from "../../support/test-app.ts";
import { eventually, filesBelow } from "../../support/views/tree.ts";

describe.each(fewWays)("the sessions of a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test("session.list returns the same as list_sessions", async () => {
    const sessionId = await startThinking(client, { title: "Listed", project: "twins", tags: ["a", "b"] });
    await startThinking(client, { title: "Other", project: "twins", tags: ["a"] });
    for (const filter of [{}, { tags: ["a", "b"] }, { search: "listed" }, { limit: 1, sortBy: "title" }]) {
      const args = { sessionId, project: "twins", ...filter };
      const [one, other] = [
        await client.call("session.list", args),
        await client.call("list_sessions", args),
      ];
      expect(one).toEqual(other);
      expect(one.total).toBeGreaterThan(0);
    }
  });

  test("a session can be renamed, described and tagged again, and its thoughts do not change", async () => {
    const sessionId = await startThinking(client, { title: "Old", tags: ["before"], project: "renamed" });
    await client.call("thought", { sessionId, thought: "walrus" });
    const before = await client.call("session.verify", { sessionId });
    const change = { title: "New", description: "What it is about.", tags: ["after"] };
    const { session } = await client.call("session.update", { sessionId, ...change });
    const told = { ...change, tags: ["after", "project:renamed"] };
    expect(session).toMatchObject(told);
    expect((await client.call("session.get", { sessionId })).session).toMatchObject(told);
    const count = async (filter: object) =>
      (await client.call("list_sessions", { project: "renamed", ...filter })).total;
    expect(await count({ tags: ["after"] })).toBe(1);
    expect(await count({ tags: ["before"] })).toBe(0);
    expect(await count({ search: "new" })).toBe(1);
    expect((await client.call("session.update", { sessionId, tags: [] })).session).toMatchObject({
      title: "New",
      tags: ["project:renamed"],
    });
    expect((await client.call("session.verify", { sessionId })).chain).toEqual(before.chain);
  });

  test("new tags keep the task and aspect unless they contain new ones", async () => {
    const place = { project: "My Shop", task: "speed", aspect: "reads" };
    const sessionId = await startThinking(client, { tags: ["old"], ...place });
    const retag = async (...tags: string[]) =>
      (await client.call("session.update", { sessionId, tags })).session.tags;
    expect(await retag("new")).toEqual(["new", "project:My-Shop-b14e767036", "task:speed", "aspect:reads"]);
    expect(await retag("task:size", "project:other")).toEqual([
      "task:size",
      "project:My-Shop-b14e767036",
      "aspect:reads",
    ]);
    const { sessions } = await client.call("list_sessions", { project: "My Shop", task: "size" });
    expect(sessions.map(({ id }: any) => id)).toEqual([sessionId]);
  });

  test("deleting a session needs confirm: true", async () => {
    const sessionId = await startThinking(client);
    const error = await client.refusal("session.delete", { sessionId });
    expect(error).toMatchObject({
      code: "INVALID_PAYLOAD",
      recovery: { operation: "session.get", args: { sessionId } },
    });
    expect(JSON.stringify(error)).not.toContain("true");
    expect(await client.call("session.get", { sessionId })).toMatchObject({ sessionId });
    await client.call("session.delete", { sessionId, confirm: true });
    expect(await client.refusal("load_context", { sessionId })).toMatchObject({ code: "SESSION_NOT_FOUND" });
    const trash = await client.call("session.list", { status: "deleted" });
    expect(trash.sessions).toContainEqual(
      expect.objectContaining({ id: sessionId, deletedAt: expect.any(String) }),
    );
    expect((await client.call("session.restore", { sessionId })).session.id).toBe(sessionId);
  });

  test("resuming another session makes it the active one", async () => {
    const first = await startThinking(client, { title: "First" });
    await client.call("thought", { sessionId: first, thought: "one" });
    const second = await startThinking(client, { title: "Second" });
    expect(await client.call("session.resume", { sessionId: second })).toMatchObject({ stage: 2 });
    const resumed = await client.call("session.resume", { sessionId: first });
    expect(resumed).toMatchObject({
      sessionId: first,
      nextThoughtNumber: 2,
      lastThoughts: [{ thought: "one" }],
      // A legacy connection has to read the cipher again. A modern session keeps its stage.
      stage: era === "legacy" ? 1 : 2,
    });
    if (era === "modern") return;
    expect(await client.call("get_state")).toMatchObject({ sessionId: first, stage: 1 });
    const error = await refusalWithCure(throughGateway(client), "thought", { thought: "two" });
    expect(error).toMatchObject({ code: "STAGE_REQUIREMENT_NOT_MET", recovery: { operation: "cipher" } });
  });

  test("tools can be listed, hidden and shown, and hidden ones stay callable", async () => {
    const own = createTestApp({ backend })[era]();
    const sessionId = await startThinking(own);
    const discover = (args: object) => own.call("session.discovery", { sessionId, ...args });
    expect(await discover({ action: "list" })).toMatchObject({ hidden: [] });
    await discover({ action: "hide", toolName: "get_structure" });
    const { hidden, tools, effective } = await discover({ action: "hide", toolName: "session.search" });
    expect(hidden).toEqual(["get_structure", "session_search"]);
    expect(tools).toEqual([{ name: "session_search", hidden: true }]);
    expect(effective).toContain("that start later");
    expect(await own.call("get_structure", { sessionId })).toMatchObject({ totalThoughts: 0 });
    expect((await discover({ action: "show", toolName: "get_structure" })).hidden).toEqual([
      "session_search",
    ]);
    for (const args of [{ action: "hide" }, { action: "hide", toolName: "no_such" }, { action: "paint" }])
      expect(await own.refusal("session.discovery", { sessionId, ...args })).toMatchObject({
        code: "INVALID_PAYLOAD",
      });
    const listed: { name: string; hidden: boolean }[] = [];
    for (let page: any = { hasMore: true }; page.hasMore; ) {
      page = await discover({ action: "list", limit: 60, offset: listed.length });
      expect(page).toMatchObject({ total: catalogue.length, hidden: ["session_search"] });
      listed.push(...page.tools);
    }
    expect(listed.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => toolName(name)));
    expect(listed.filter(({ hidden }) => hidden)).toEqual([{ name: "session_search", hidden: true }]);
  });
});

describe.each(eras)("a tool that a %s client hides or shows", (era) => {
  test.each(["stdio", "http"] as const)(
    "is hidden or listed by a server over %s that starts later, but not by a running one",
    async (transport) => {
      const dataDir = tempDir();
      const open = async () => {
        const door = transport === "http" ? await openHttpDoor(dataDir, {}) : openStdioDoor(dataDir, {});
        onTestFinished(() => door.close());
        return door.connect(era);
      };
      const listed = async ({ client }: Awaited<ReturnType<typeof open>>) =>
        (await client.listTools()).tools.map(({ name }) => name);
      const first = await open();
      const started = await first.call("start_new", {});
      const sessionId = started.kind === "result" ? started.result["sessionId"] : undefined;
      const before = await listed(first);
      expect(before).toContain("session_search");
      await first.call("session.discovery", { sessionId, action: "hide", toolName: "session_search" });
      expect(await listed(first)).toEqual(before);
      await first.call("session.discovery", { sessionId, action: "show", toolName: "get_structure" });
      expect(before).not.toContain("get_structure");
      const second = await open();
      const after = await listed(second);
      expect(after).toContain("get_structure");
      expect(after.filter((name) => name !== "get_structure")).toEqual(
        before.filter((name) => name !== "session_search"),
      );
      if (era === "legacy") await second.call("load_context", { sessionId });
      await second.call("cipher", { sessionId });
      expect(await second.call("session_search", { sessionId, query: "anything" })).toMatchObject({
        kind: "result",
      });
    },
  );
});

test("the files of a restored session are back when the call returns", async () => {
  const { modern, dataDir } = createTestApp({ backend: "fs" });
  const client = modern();
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "kept" });
  const names = ["001.json", "manifest.json"];
  const files = () => filesBelow(dataDir).filter((path) => path.includes(sessionId));
  await eventually(() => files().length === names.length);
  const folder = join(dataDir, dirname(files()[0] ?? ""));
  await client.call("session.delete", { sessionId, confirm: true });
  await eventually(() => !names.some((name) => existsSync(join(folder, name))));
  await client.call("session.restore", { sessionId });
  expect(filesBelow(folder)).toEqual(names);
});
