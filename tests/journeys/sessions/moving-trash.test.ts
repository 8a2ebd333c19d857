import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { noon } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp, startThinking } from "../../support/test-app.ts";

const clock = () => new Date(noon);
const pattern = { title: "Kept pattern", description: "What it is.", content: "# Body", tags: ["kept"] };

test("a dump includes the trash, and deleted items can be restored in another store", async () => {
  const source = createTestApp({ backend: "fs", clock });
  const client = source.modern();
  const sessionId = await startThinking(client, { project: "shop" });
  await client.call("thought", { sessionId, thought: "the needle" });
  await client.call("thought", { sessionId, thought: "aside", branchFromThought: 1, branchId: "alt" });
  await client.call("knowledge.create_pattern", { sessionId, ...pattern });
  await client.call("knowledge.delete_pattern", { sessionId, id: "kept-pattern" });
  const before = await client.call("session.export", { sessionId, format: "json" });
  await client.call("session.delete", { sessionId, confirm: true });
  await source.close();

  const [file, dataDir] = [join(tempDir(), "all.jsonl"), join(tempDir(), "data")];
  expect(await runCommand(["dump", file], { dataDir: source.dataDir })).toMatchObject({ code: 0 });
  for (const _ of ["first", "again"])
    expect(await runCommand(["restore", file], { dataDir })).toMatchObject({ code: 0 });

  const target = createTestApp({ backend: "fs", dataDir, clock }).modern();
  expect((await target.refusal("read_thoughts", { sessionId })).code).toBe("SESSION_NOT_FOUND");
  await target.call("session.restore", { sessionId });
  expect(await target.call("session.export", { sessionId, format: "json" })).toEqual(before);
  const verify = () => target.call("session.verify", { sessionId });
  await expect.poll(verify, { timeout: 10_000 }).toMatchObject({ valid: true, errors: [] });
  const { hits } = await target.call("session.search", { query: "needle", project: "shop" });
  expect(hits).toHaveLength(1);
  await target.call("knowledge.restore", { sessionId, id: "kept-pattern" });
  expect(await target.call("knowledge.get_pattern", { sessionId, id: "kept-pattern" })).toMatchObject({
    pattern: { title: pattern.title, content: pattern.content },
  });
});
