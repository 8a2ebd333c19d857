import { describe, expect, test } from "vitest";
import { backends, createTestApp, startThinking } from "../../support/test-app.ts";

describe.each(backends)("notes of the memory in a search on %s", (backend) => {
  async function open(env: Record<string, string> = {}) {
    const client = createTestApp({ backend, env }).legacy();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "the flywheel is slow" });
    const search = async (args: Record<string, unknown>) => (await client.call("session.search", args)).hits;
    return { client, sessionId, search };
  }
  const ids = (hits: any[]) => hits.map(({ id }) => id);

  test("appear in the same list as thoughts and can be opened", async () => {
    const { client, sessionId, search } = await open();
    const { entry } = await client.call("notes_commit", {
      content: "why the flywheel stalls",
      title: "Bearings",
    });
    const hits = await search({ query: "flywheel" });
    expect(ids(hits).sort()).toEqual([`${sessionId}:1`, `notes@${entry.seq}`].sort());
    expect(hits.find(({ note }: any) => note)).toMatchObject({
      note: { branch: "main", doc: "notes", seq: entry.seq, title: "Bearings" },
      snippet: expect.stringContaining("«flywheel»"),
    });
    expect((await search({ query: "bearings" })).length).toBe(1);
    expect(await client.call("open", { id: `notes@${entry.seq}` })).toBeDefined();
  });

  test("are left out if the call filters by session, type or tag, but not by date", async () => {
    const { client, sessionId, search } = await open();
    await client.call("notes_commit", { content: "the flywheel" });
    for (const only of [{ sessionId }, { type: "H" }, { tags: ["none"] }])
      expect((await search({ query: "flywheel", ...only })).every(({ note }: any) => !note)).toBe(true);
    expect((await search({ since: "2000-01-01" })).some(({ note }: any) => note)).toBe(true);
    expect(await search({ query: "flywheel", until: "2000-01-01" })).toEqual([]);
  });

  test("are shown once however often they were merged, unless every branch with them is deleted", async () => {
    const { client, search } = await open();
    const found = async () => (await search({ query: "gyroscope" })).map(({ note }: any) => note.branch);
    await client.call("notes_commit", { content: "first" });
    for (const name of ["kept", "gone"]) {
      await client.call("branch_create", { name, from: "main" });
      await client.call("notes_commit", { content: `the gyroscope, ${name}`, branch: name });
    }
    expect((await found()).sort()).toEqual(["gone", "kept"]);
    await client.call("merge", { from: "kept", into: "main", doc: "notes" });
    expect((await found()).sort()).toEqual(["gone", "kept"]);
    for (const name of ["kept", "gone"]) await client.call("branch_delete", { name });
    expect(await found()).toEqual(["main"]);
  });

  test("of other workspaces are shown only on request", async () => {
    const { client, search } = await open();
    await client.call("notes_commit", { content: "the gyroscope", workspace: "elsewhere" });
    expect(await search({ query: "gyroscope" })).toEqual([]);
    for (const asked of [{ project: "*" }, { workspace: "elsewhere" }])
      expect(await search({ query: "gyroscope", ...asked })).toMatchObject([
        { note: { workspace: "elsewhere" } },
      ]);
  });

  test("show no secret", async () => {
    const { client, search } = await open();
    const secret = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
    await client.call("notes_commit", { content: `the gyroscope ${secret}`, title: `of ${secret}` });
    expect(JSON.stringify(await search({ query: "gyroscope" }))).not.toContain(secret);
  });

  test("are found in scripts without spaces, as are graph nodes", async () => {
    const { client, search } = await open();
    await client.call("notes_commit", { content: "夜間に回転儀が止まった" });
    expect(await search({ query: "回転" })).toHaveLength(1);
    const node = { op: "node_upsert", id: "n1", type: "idea", title: "回転儀の軸", text: "夜間" };
    await client.call("graph_apply", { ops: [node] });
    expect((await client.call("graph_query", { text: "転儀" })).nodes).toHaveLength(1);
  });
});
