import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectRaw, startThinking } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { readSession } from "../../support/views/read-session.ts";
import { filesBelow, readJson } from "../../support/views/tree.ts";

test("the file of a thought that a corrupt log has lost is kept when its number is reused", async () => {
  const dataDir = join(tempDir(), "data");
  const first = await connectRaw(spawnServer(dataDir), "modern");
  const sessionId = await startThinking(first);
  for (const thought of ["kept by the log", "lost by the log"])
    await first.call("thought", { sessionId, thought });
  expect(await first.call("session", { subOperation: "verify", sessionId })).toMatchObject({ valid: true });
  first.server.child.kill("SIGKILL");
  await first.server.exited;

  const log = join(dataDir, "thoughtbox.db-wal");
  const bytes = readFileSync(log);
  const at = bytes.indexOf("lost by the log");
  expect(at).toBeGreaterThan(0);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(log, bytes);

  const next = await connectRaw(spawnServer(dataDir), "modern");
  expect(await readSession(next, sessionId)).toEqual([["kept by the log", 1]]);
  const { valid, errors } = await next.call("session", { subOperation: "verify", sessionId });
  expect({ valid, errors }).toEqual({
    valid: false,
    errors: expect.arrayContaining(["002.json does not belong to any record."]),
  });
  const { thoughtNumber } = await next.call("thought", { sessionId, thought: "in its place" });
  expect(thoughtNumber).toBe(2);
  expect(await next.call("session", { subOperation: "verify", sessionId })).toMatchObject({ valid: true });
  const quarantine = join(dataDir, "quarantine");
  const files = filesBelow(quarantine).filter((name) => name.endsWith("002.json"));
  expect(files.map((name) => readJson(join(quarantine, name)).thought)).toEqual(["lost by the log"]);
});
