import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noCompiler } from "../../support/disk/compile-c.ts";
import { createFailingSync } from "../../support/disk/failing-sync.ts";
import { leaveStore } from "../../support/disk/leave-store.ts";
import { connectRaw, type RawClient, startThinking } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

if (noCompiler) process.stderr.write(`skipped: ${noCompiler}\n`);

const storageError = (message: RegExp) => ({
  code: "STORAGE_ERROR",
  message: expect.stringMatching(message),
  recovery: { hint: expect.stringContaining("thoughtbox doctor") },
});

const texts = async (client: RawClient, sessionId: string): Promise<string[]> => {
  const { thoughts } = await client.call("read_thoughts", { sessionId });
  return thoughts.map(({ thought }: { thought: string }) => thought);
};

test.skipIf(noCompiler)(
  "if the disk cannot flush, writes are refused truthfully and reads continue",
  async () => {
    const dataDir = join(tempDir(), "data");
    const disk = createFailingSync();
    const struck = await connectRaw(spawnServer(dataDir, disk.env), "modern");
    const sessionId = await startThinking(struck);
    const write = (client: RawClient, thought: string) => client.gateway("thought", { sessionId, thought });
    await write(struck, "safe");

    disk.fail();
    const doubtful = ["doubtful one", "doubtful two"];
    const answers = await Promise.all(doubtful.map((text) => write(struck, text)));
    for (const { error } of answers)
      expect(error).toMatchObject(
        storageError(/disk reported an error\. A write may or may not|no longer accepts writes/),
      );
    expect(await texts(struck, sessionId)).toEqual(["safe"]);

    disk.recover();
    const late = await write(struck, "late");
    expect(late.error).toMatchObject(
      storageError(/no longer accepts writes, because .* Nothing was changed\.$/),
    );
    expect(await texts(struck, sessionId)).toEqual(["safe"]);

    struck.server.child.kill("SIGKILL");
    await struck.server.exited;
    const after = await connectRaw(spawnServer(dataDir), "modern");
    expect((await write(after, "goes on")).error).toBeUndefined();
    const stored = await texts(after, sessionId);
    expect([stored.at(0), stored.at(-1)]).toEqual(["safe", "goes on"]);
    for (const [n, answer] of [...answers, late].entries())
      if (answer.error.message.endsWith("Nothing was changed."))
        expect(stored).not.toContain([...doubtful, "late"][n]);
    expect((await after.call("session", { subOperation: "verify", sessionId })).valid).toBe(true);
  },
);

test("a store with overwritten pages is reported as damaged and is not written to", async () => {
  const dataDir = join(tempDir(), "data");
  const sessionId = await leaveStore(dataDir, "closed");
  const file = join(dataDir, "thoughtbox.db");
  const bytes = readFileSync(file).fill(0xaa, 4096);
  writeFileSync(file, bytes);
  const client = await connectRaw(spawnServer(dataDir), "modern");
  const calls: [string, Record<string, unknown>][] = [
    ["list_sessions", {}],
    ["read_thoughts", { sessionId }],
    ["start_new", { title: "on sand" }],
  ];
  for (const [operation, args] of calls) {
    expect((await client.gateway(operation, args)).error).toMatchObject(storageError(/damaged/));
  }
  client.server.child.stdin.end();
  await client.server.exited;
  expect(readFileSync(file).equals(bytes)).toBe(true);
});
