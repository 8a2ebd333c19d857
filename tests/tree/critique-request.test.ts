import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

/** A requested critique stays requested, however the session is moved. */

async function leaveSession() {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "one", critique: true });
  await client.call("thought", { sessionId, thought: "two" });
  const verify = () => client.call("session.verify", { sessionId });
  await expect.poll(verify, { timeout: 10_000 }).toMatchObject({ valid: true, errors: [] });
  return { dataDir: app.dataDir, sessionId };
}

async function critiqueRequests(dataDir: string, sessionId: string): Promise<number> {
  const client = createTestApp({ backend: "fs", dataDir }).modern();
  expect(await client.call("session.verify", { sessionId })).toMatchObject({
    chain: { valid: true, length: 2 },
  });
  return (await client.call("session.analyze", { sessionId })).quality.critiqueRequests;
}

test("the files of the tree keep a requested critique", async () => {
  const { dataDir, sessionId } = await leaveSession();
  const target = join(tempDir(), "data");
  const config = readConfig({ env: { THOUGHTBOX_DATA_DIR: target } });
  const app = createApp({ config, version: "0.0.0-test", contentDir: tempDir(), log: () => {} });
  onTestFinished(() => app.close());
  expect(await app.importTree(dataDir)).toMatchObject({ imported: 1, refused: [], badFiles: [] });
  await app.close();
  expect(await critiqueRequests(target, sessionId)).toBe(1);
});

test("a dump keeps a requested critique", async () => {
  const { dataDir, sessionId } = await leaveSession();
  const [file, target] = [join(tempDir(), "all.jsonl"), join(tempDir(), "data")];
  expect(await runCommand(["dump", file], { dataDir })).toMatchObject({ code: 0 });
  expect(await runCommand(["restore", file], { dataDir: target })).toMatchObject({ code: 0 });
  expect(await critiqueRequests(target, sessionId)).toBe(1);
});
