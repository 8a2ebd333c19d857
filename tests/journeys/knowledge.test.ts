import { describe, expect, test } from "vitest";
import { refusalWithCure } from "../support/replies/execute-recovery.ts";
import { createTestApp, fewWays, shareTestApp, startThinking, throughGateway } from "../support/test-app.ts";

const pool = {
  title: "Check the pool",
  description: "Waiting looks like slow work.",
  content: "Count the waiting connections first.",
  tags: ["debugging", "database"],
};
const paging = {
  title: "Page through ids",
  description: "A list that shrinks while it is read.",
  content: "Collect the ids, change afterwards.",
  tags: ["api", "debugging"],
};

describe.each(fewWays)("the knowledge of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const client = app[era]();
  let projects = 0;
  async function inNewProject() {
    projects += 1;
    const sessionId = await startThinking(client, { project: `project-${projects}` });
    const ask = (verb: string, args: object = {}) => client.call(`knowledge.${verb}`, { sessionId, ...args });
    return { sessionId, ask };
  }
  const ids = (answer: any) => answer.patterns.map(({ id }: any) => id);

  test("creates a pattern, updates only the given fields and deletes it", async () => {
    const { sessionId, ask } = await inNewProject();
    const sources = { derivedFromSessions: [sessionId], createdBy: "ada" };
    const { pattern } = await ask("create_pattern", { ...pool, ...sources });
    expect(pattern).toMatchObject({ id: "check-the-pool", ...pool, ...sources });
    expect((await ask("get_pattern", { id: pattern.id })).pattern).toEqual(pattern);
    const changed = (await ask("update_pattern", { id: pattern.id, tags: ["database"] })).pattern;
    expect(changed).toEqual({ ...pattern, tags: ["database"], updatedAt: changed.updatedAt });
    expect(await ask("delete_pattern", { id: pattern.id })).toMatchObject({ deleted: true });
    expect(await ask("list_patterns")).toMatchObject({ patterns: [], total: 0, hasMore: false });
  });

  test("updates of different fields at the same time are all kept", async () => {
    const { ask } = await inNewProject();
    await ask("create_pattern", pool);
    const changes = { title: "Look at the pool", tags: ["pool"], content: "Count twice." };
    await Promise.all(
      Object.entries(changes).map(([field, value]) =>
        ask("update_pattern", { id: "check-the-pool", [field]: value }),
      ),
    );
    expect((await ask("get_pattern", { id: "check-the-pool" })).pattern).toMatchObject(changes);
  });

  test("refuses an update if its expectedRevision is no longer current", async () => {
    const { sessionId, ask } = await inNewProject();
    await ask("create_pattern", pool);
    const id = "check-the-pool";
    const { revision } = await ask("get_pattern", { id });
    const changed = await ask("update_pattern", { id, content: "Count twice.", expectedRevision: revision });
    expect(changed.revision).not.toBe(revision);
    const late = { sessionId, id, content: "Count thrice.", expectedRevision: revision };
    expect(await refusalWithCure(client, "knowledge.update_pattern", late)).toMatchObject({
      code: "REVISION_MISMATCH",
      details: { expected: revision, current: changed.revision },
    });
    expect((await ask("get_pattern", { id })).pattern.content).toBe("Count twice.");
    const note = await ask("write_scratchpad", { topic: "Handover", content: "Next: the proxy." });
    const next = { topic: "Handover", content: "Next: the pool.", expectedRevision: note.revision };
    expect(await ask("write_scratchpad", next)).toMatchObject({ note: { content: "Next: the pool." } });
    await refusalWithCure(client, "knowledge.write_scratchpad", { sessionId, ...next });
  });

  test("restores deleted patterns and notes with their latest content, and only once", async () => {
    const { ask } = await inNewProject();
    await ask("create_pattern", pool);
    await ask("update_pattern", { id: "check-the-pool", content: "Count twice." });
    await ask("delete_pattern", { id: "check-the-pool" });
    expect(await ask("restore", { id: "check-the-pool" })).toMatchObject({ restored: true });
    expect(ids(await ask("list_patterns", { search: "twice" }))).toEqual(["check-the-pool"]);
    await expect(ask("restore", { id: "check-the-pool" })).rejects.toThrow("UNKNOWN_ID");
    await ask("write_scratchpad", { topic: "Handover", content: "Next: the proxy." });
    await ask("delete_scratchpad", { topic: "Handover" });
    await ask("restore", { id: "handover", kind: "scratchpad" });
    expect((await ask("read_scratchpad", { topic: "Handover" })).note.content).toBe("Next: the proxy.");
  });

  test("finds patterns by words, by all of several tags, sorted and page by page", async () => {
    const { ask } = await inNewProject();
    await ask("create_pattern", pool);
    await ask("create_pattern", paging);
    expect(ids(await ask("list_patterns", { search: "connections" }))).toEqual(["check-the-pool"]);
    expect(ids(await ask("list_patterns", { search: "shrinks" }))).toEqual(["page-through-ids"]);
    expect(ids(await ask("list_patterns", { search: "walrus" }))).toEqual([]);
    expect(ids(await ask("list_patterns", { tags: ["debugging"] }))).toHaveLength(2);
    expect(ids(await ask("list_patterns", { tags: ["debugging", "api"] }))).toEqual(["page-through-ids"]);
    const byTitle = { sortBy: "title", sortOrder: "asc", limit: 1 };
    const first = await ask("list_patterns", byTitle);
    expect(first).toMatchObject({ total: 2, hasMore: true, limit: 1, offset: 0 });
    const second = await ask("list_patterns", { ...byTitle, offset: 1 });
    expect([...ids(first), ...ids(second)]).toEqual(["check-the-pool", "page-through-ids"]);
    expect(second.hasMore).toBe(false);
    expect(await ask("list_tags")).toMatchObject({
      tags: [
        { name: "debugging", count: 2 },
        { name: "api", count: 1 },
        { name: "database", count: 1 },
      ],
      count: 3,
    });
  });

  test("has one note per topic, which a later write replaces", async () => {
    const { ask } = await inNewProject();
    const { note } = await ask("write_scratchpad", { topic: "Release 5", content: "Open: phones" });
    expect(note).toMatchObject({ id: "release-5", title: "Release 5", content: "Open: phones" });
    await ask("write_scratchpad", { topic: "release 5", content: "Open: nothing" });
    expect((await ask("read_scratchpad", { topic: "Release 5" })).note).toMatchObject({
      content: "Open: nothing",
      createdAt: note.createdAt,
    });
    expect(await ask("list_scratchpad")).toMatchObject({ total: 1, notes: [{ id: "release-5" }] });
    expect(await ask("delete_scratchpad", { topic: "Release 5" })).toMatchObject({ id: "release-5" });
    expect(await ask("list_scratchpad")).toMatchObject({ total: 0 });
  });

  test("keeps topics and titles in non-Latin scripts apart", async () => {
    const { ask } = await inNewProject();
    await ask("write_scratchpad", { topic: "Передача", content: "one" });
    await ask("write_scratchpad", { topic: "Вопросы", content: "other" });
    expect((await ask("read_scratchpad", { topic: "Передача" })).note.content).toBe("one");
    expect((await ask("read_scratchpad", { topic: "Вопросы" })).note.content).toBe("other");
    await ask("create_pattern", { ...pool, title: "引き継ぎ" });
    await ask("create_pattern", { ...pool, title: "メモ" });
    expect((await ask("list_patterns")).total).toBe(2);
  });

  test("belongs to its project, and other projects can neither see nor change it", async () => {
    const here = await inNewProject();
    await here.ask("create_pattern", pool);
    await here.ask("write_scratchpad", { topic: "Handover", content: "x" });
    const there = await inNewProject();
    expect(await there.ask("list_patterns")).toMatchObject({ total: 0 });
    const { sessionId } = there;
    for (const [verb, args] of [
      ["get_pattern", { id: "check-the-pool" }],
      ["update_pattern", { id: "check-the-pool", title: "Mine now" }],
      ["delete_pattern", { id: "check-the-pool" }],
      ["read_scratchpad", { topic: "Handover" }],
      ["delete_scratchpad", { topic: "Handover" }],
    ] as const) {
      const error = await refusalWithCure(client, `knowledge.${verb}`, { sessionId, ...args });
      expect(error.code, verb).toBe("UNKNOWN_ID");
    }
    expect((await here.ask("get_pattern", { id: "check-the-pool" })).pattern).toMatchObject(pool);
  });

  test("never overwrites a pattern with one of the same title, and points to the existing one", async () => {
    const { sessionId, ask } = await inNewProject();
    await ask("create_pattern", pool);
    const args = { sessionId, ...pool, content: "Other words." };
    const error = await refusalWithCure(client, "knowledge.create_pattern", args);
    expect(error).toMatchObject({ code: "CONFLICT", recovery: { operation: "knowledge.get_pattern" } });
    expect((await ask("get_pattern", { id: "check-the-pool" })).pattern.content).toBe(pool.content);
    const key = { ...paging, idempotencyKey: "once" };
    expect((await ask("create_pattern", key)).pattern).toEqual((await ask("create_pattern", key)).pattern);
  });

  test.each([
    ["get_pattern", { id: "../../etc/passwd" }],
    ["get_pattern", { id: "constructor;" }],
    ["delete_pattern", { id: "UPPER" }],
    ["create_pattern", { title: "x", description: "y" }],
    ["create_pattern", { ...pool, colour: "red" }],
    ["write_scratchpad", { topic: "", content: "x" }],
    ["list_patterns", { sortBy: "mood" }],
  ])("refuses %s with %o", async (verb, args) => {
    const { sessionId } = await inNewProject();
    const error = await client.refusal(`knowledge.${verb}`, { sessionId, ...args });
    expect(error.code).toBe("INVALID_PAYLOAD");
  });

  test("is unavailable until the cipher has been read", async () => {
    const newcomer = throughGateway(createTestApp({ backend })[era]());
    const { sessionId } = await newcomer.call("start_new");
    const error = await refusalWithCure(newcomer, "knowledge.list_patterns", { sessionId });
    expect(error).toMatchObject({ code: "STAGE_REQUIREMENT_NOT_MET", recovery: { operation: "cipher" } });
  });
});
