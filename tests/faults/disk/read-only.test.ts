import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { departures, leaveStore } from "../../support/disk/leave-store.ts";
import { mountSmallDisk, noSmallDisk } from "../../support/disk/small-disk.ts";
import { connectRaw, type RawClient } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";

if (noSmallDisk) process.stderr.write(`skipped: ${noSmallDisk}\n`);

const unwritable = {
  code: "STORAGE_ERROR",
  message: "The data directory is not writable. Nothing was changed.",
  recovery: { hint: expect.stringContaining("Make the data directory writable") },
};

async function expectReadsToGoOn(client: RawClient, sessionId: string): Promise<void> {
  expect((await client.call("list_sessions")).sessions).toMatchObject([{ id: sessionId, thoughtCount: 1 }]);
  const { thoughts } = await client.call("read_thoughts", { sessionId });
  expect(thoughts).toMatchObject([{ thoughtNumber: 1, thought: "the first needle" }]);
  expect(await client.call("load_context", { sessionId })).toMatchObject({ nextThoughtNumber: 2, stage: 2 });
  expect(await client.call("get_structure", { sessionId })).toMatchObject({ totalThoughts: 1 });
  const found = await client.call("session", { subOperation: "search", sessionId, query: "needles" });
  expect(found.hits).toMatchObject([{ thought: { thoughtNumber: 1 } }]);
  expect((await client.call("session", { subOperation: "verify", sessionId })).valid).toBe(true);
}

describe.skipIf(noSmallDisk).each(departures)(
  "a read-only data directory whose last process was %s",
  (departure) => {
    test("can be read as usual, and refuses every write with a hint", async () => {
      const disk = mountSmallDisk(16);
      const sessionId = await leaveStore(disk.dataDir, departure);
      disk.makeReadOnly();
      const client = await connectRaw(spawnServer(disk.dataDir), "modern");
      await expectReadsToGoOn(client, sessionId);
      const writes: [string, Record<string, unknown>][] = [
        ["thought", { sessionId, thought: "no room for this" }],
        ["start_new", { title: "nor for this" }],
        ["navigate", { sessionId, task: "nor this" }],
      ];
      for (const [operation, args] of writes) {
        expect((await client.gateway(operation, args)).error).toMatchObject(unwritable);
      }
      await expectReadsToGoOn(client, sessionId);
    });

    test("accepts writes again once it is writable, and the old process sees those of a new one", async () => {
      const disk = mountSmallDisk(16);
      const sessionId = await leaveStore(disk.dataDir, departure);
      disk.makeReadOnly();
      const old = await connectRaw(spawnServer(disk.dataDir), "modern");
      await expectReadsToGoOn(old, sessionId);
      const write = { sessionId, thought: "one more" };
      expect((await old.gateway("thought", write)).error).toMatchObject(unwritable);
      disk.makeWritable();
      const newcomer = await connectRaw(spawnServer(disk.dataDir), "modern");
      expect((await newcomer.call("thought", write)).thoughtNumber).toBe(2);
      // SQLite may keep what it read from a log that was read-only. The server then asks for a restart.
      const answer = await old.gateway("thought", write);
      if (departure === "closed") expect(answer.thoughtNumber).toBe(3);
      else expect(answer.error ?? unwritable).toMatchObject(unwritable);
      const { thoughts } = await old.call("read_thoughts", { sessionId });
      expect(thoughts).toHaveLength(answer.error ? 2 : 3);
    });
  },
);

test.skipIf(noSmallDisk)("an empty store that cannot be migrated is reported", async () => {
  const disk = mountSmallDisk(16);
  mkdirSync(disk.dataDir);
  writeFileSync(join(disk.dataDir, "thoughtbox.db"), "");
  disk.makeReadOnly();
  const client = await connectRaw(spawnServer(disk.dataDir), "modern");
  for (const operation of ["list_sessions", "start_new"]) {
    expect((await client.gateway(operation)).error).toMatchObject({
      code: "STORAGE_ERROR",
      message: expect.stringMatching(/older Thoughtbox \(format 0\)/),
      recovery: { hint: expect.stringContaining("Make the data directory writable") },
    });
  }
});

test.skipIf(noSmallDisk)(
  "an empty directory that is not writable is reported, for reads and writes",
  async () => {
    const disk = mountSmallDisk(1);
    mkdirSync(disk.dataDir);
    disk.makeReadOnly();
    const client = await connectRaw(spawnServer(disk.dataDir), "modern");
    for (const operation of ["list_sessions", "start_new"]) {
      const { error } = await client.gateway(operation);
      expect(error).toMatchObject({ code: "STORAGE_ERROR", recovery: { hint: expect.any(String) } });
    }
  },
);

test.skipIf(noSmallDisk)("a directory that cannot be created is reported", async () => {
  const disk = mountSmallDisk(1);
  disk.makeReadOnly();
  const client = await connectRaw(spawnServer(disk.dataDir), "modern");
  for (const operation of ["list_sessions", "start_new"]) {
    expect((await client.gateway(operation)).error).toMatchObject({
      code: "STORAGE_ERROR",
      message: "The store cannot be opened. Nothing was changed.",
      recovery: { hint: expect.stringContaining("can be created") },
    });
  }
});
