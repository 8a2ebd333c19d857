import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTestApp, fewWays, keepsFiles, startThinking } from "../../support/test-app.ts";

describe.each(fewWays)("a stray session of a %s client on %s", (era, backend) => {
  test("moves to another project, with its tags, its files and its callers", async () => {
    const app = createTestApp({ backend });
    const client = app[era]();
    const sessionId = await startThinking(client, { title: "Stray", project: "attic", task: "sort" });
    await client.call("thought", { sessionId, thought: "Whose is this?" });
    await client.call("thought", { sessionId, thought: "Or", branchFromThought: 1, branchId: "alt" });
    await client.call("session.verify", { sessionId });

    const { session } = await client.call("session.update", { sessionId, project: "Web Shop" });
    expect(session).toMatchObject({
      project: "Web-Shop-b0a1bcd2eb",
      tags: ["project:Web-Shop-b0a1bcd2eb", "task:sort"],
    });
    const inProject = async (project: string) => (await client.call("list_sessions", { project })).total;
    expect([await inProject("attic"), await inProject("Web-Shop-b0a1bcd2eb")]).toEqual([0, 1]);
    const { hits } = await client.call("session.search", { query: "whose", project: "Web-Shop-b0a1bcd2eb" });
    expect(hits).toMatchObject([{ sessionId }]);
    expect(await client.call("get_state", { sessionId })).toMatchObject({
      project: "Web-Shop-b0a1bcd2eb",
      navigation: { project: "Web-Shop-b0a1bcd2eb", task: "sort" },
    });
    await client.call("thought", { sessionId, thought: "It is ours" });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
    if (!keepsFiles(backend)) return;
    const folders = ["attic", "Web-Shop-b0a1bcd2eb"].map((project) => {
      const at = join(app.dataDir, "projects", project, "sessions", session.partitionPath ?? "", sessionId);
      return existsSync(join(at, "manifest.json"));
    });
    expect(folders).toEqual([false, true]);
  });
});

test("a server that is locked to a project cannot move a session out of it", async () => {
  const client = createTestApp({
    env: { THOUGHTBOX_PROJECT: "shop", THOUGHTBOX_PROJECT_LOCK: "true" },
  }).modern();
  const sessionId = await startThinking(client);
  const args = { sessionId, project: "elsewhere" };
  expect(await client.refusal("session.update", args)).toMatchObject({ code: "INVALID_PAYLOAD" });
});
