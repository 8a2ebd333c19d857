import { expect, test } from "vitest";
import { createTestApp, startThinking } from "../support/test-app.ts";

test("context_pack without arguments works in a fresh workspace and writes nothing", async () => {
  const client = createTestApp().modern();
  const { capsule, cards } = await client.call("context_pack", {});
  expect(cards).toBeUndefined();
  expect(capsule.next.primary.calls).toEqual([
    { operation: "init", args: { workspace: expect.any(String) } },
  ]);
  expect(await client.call("status", {})).toMatchObject({ workspace_exists: false });
});

test("context_pack without arguments shows the latest session of the ledger beside the memory", async () => {
  const client = createTestApp().modern();
  const sessionId = await startThinking(client, { title: "Slow logins" });
  for (const thought of [
    "S1|H|The pool is too small",
    "S2|E|S1|40 of 40 taken",
    "S3|C|S2|Pool of 80",
    "S4|Q|Which host?",
  ])
    await client.call("thought", { sessionId, thought });
  const fresh = await client.call("context_pack", {});
  expect(fresh.session).toMatchObject({
    sessionId,
    title: "Slow logins",
    conclusions: [expect.stringContaining("Pool of 80")],
    open_questions: [expect.stringContaining("Which host?")],
  });
  expect(fresh.session.thoughts.at(-1)).toContain("Which host?");
  expect(fresh.capsule.next.primary.calls).toEqual([{ operation: "load_context", args: { sessionId } }]);
  await client.call("notes_commit", { content: "Waits grow with load." });
  const both = await client.call("context_pack", {});
  expect(both).toMatchObject({
    session: { sessionId },
    notes: { entries: [{ content: "Waits grow with load." }] },
  });
  expect((await client.call("context_pack", { ref: "main" })).session).toBeUndefined();
});
