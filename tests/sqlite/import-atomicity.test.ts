import { expect, test } from "vitest";
import { openRaw } from "../support/disk/raw-database.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

/** Returns the JSON export of a session with two criticised thoughts, written by another store. */
async function exportCriticised(): Promise<string> {
  const client = createTestApp({ backend: "memory" }).modern();
  const sessionId = await startThinking(client);
  for (const thought of ["one", "two", "three"]) await client.call("thought", { sessionId, thought });
  const { export: session } = await client.call("session.export", { sessionId });
  for (const node of session.nodes.slice(1))
    node.data.critique = {
      text: `Why ${node.data.thought}?`,
      model: "critic-1",
      timestamp: node.data.timestamp,
    };
  return JSON.stringify(session);
}

test("an import that fails at its last critique stores nothing, and succeeds when it is repeated", async () => {
  const content = await exportCriticised();
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await startThinking(client);
  const raw = openRaw(app.dataDir);
  raw.exec(`CREATE TRIGGER broken BEFORE INSERT ON critiques WHEN new.position = 2
    BEGIN SELECT RAISE(ABORT, 'injected'); END`);
  const rows = () =>
    raw
      .prepare(
        "SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM thoughts) AS thoughts, (SELECT count(*) FROM critiques) AS critiques",
      )
      .get();
  const before = rows();
  expect((await client.refusal("session.import", { content })).code).toBe("STORAGE_ERROR");
  expect(rows()).toEqual(before);
  raw.exec("DROP TRIGGER broken");
  raw.close();

  const { sessionId, imported, alreadyThere } = await client.call("session.import", { content });
  expect({ imported, alreadyThere }).toEqual({ imported: 3, alreadyThere: undefined });
  const { thoughts } = await client.call("read_thoughts", { sessionId, last: 3 });
  expect(thoughts.map(({ critique }: { critique?: { text: string } }) => critique?.text)).toEqual([
    undefined,
    "Why two?",
    "Why three?",
  ]);
  expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  expect(await client.call("session.import", { content })).toMatchObject({ imported: 0, alreadyThere: true });
});
