import { join } from "node:path";
import { expect, test } from "vitest";
import { connectRaw, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

test("under a project lock, resources of other projects are neither read nor subscribed to", async () => {
  const dataDir = join(tempDir(), "data");
  const others = await connectRaw(spawnServer(dataDir, { THOUGHTBOX_PROJECT: "theirs" }), "legacy");
  const theirs = `thoughtbox://sessions/${await startThinking(others)}`;
  expect(await others.request("resources/subscribe", { uri: theirs })).toHaveProperty("result");

  const env = { THOUGHTBOX_PROJECT: "ours", THOUGHTBOX_PROJECT_LOCK: "true" };
  const locked = await connectRaw(spawnServer(dataDir, env), "legacy");
  const ours = `thoughtbox://sessions/${await startThinking(locked)}`;
  for (const method of ["resources/subscribe", "resources/read"]) {
    expect(await locked.request(method, { uri: theirs })).toHaveProperty("error");
    expect(await locked.request(method, { uri: ours })).toHaveProperty("result");
  }
});
