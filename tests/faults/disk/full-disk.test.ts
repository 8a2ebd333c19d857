import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { departures, leaveStore } from "../../support/disk/leave-store.ts";
import { mountSmallDisk, noSmallDisk } from "../../support/disk/small-disk.ts";
import { connectRaw, type RawClient, startThinking } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";

if (noSmallDisk) process.stderr.write(`skipped: ${noSmallDisk}\n`);

const big = "needle ".repeat(30_000);

/** Writes until the disk is full. Returns the acknowledged numbers and the final error. */
async function writeUntilFull(client: RawClient, sessionId: string) {
  const acknowledged: number[] = [];
  while (acknowledged.length < 200) {
    const answer = await client.gateway("thought", { sessionId, thought: big });
    if (answer.error) return { acknowledged, error: answer.error };
    acknowledged.push(answer.thoughtNumber);
  }
  throw new Error("the disk never filled up");
}

async function expectReadsToGoOn(client: RawClient, sessionId: string, length: number): Promise<void> {
  const { sessions } = await client.call("list_sessions");
  expect(sessions).toContainEqual(expect.objectContaining({ id: sessionId, thoughtCount: length }));
  const { thoughts } = await client.call("read_thoughts", { sessionId, thoughtNumber: 1 });
  expect(thoughts[0].thought).toBe("the first needle");
  expect((await client.call("load_context", { sessionId })).nextThoughtNumber).toBe(length + 1);
  expect(
    (await client.call("session", { subOperation: "search", sessionId, query: "needle first" })).hits[0],
  ).toMatchObject({
    thought: { thoughtNumber: 1 },
  });
  const { valid, chain } = await client.call("session", { subOperation: "verify", sessionId });
  expect({ valid, length: chain.length }).toEqual({ valid: true, length });
}

const diskFull = {
  code: "STORAGE_ERROR",
  message: expect.stringMatching(/^The disk is full\. Nothing was changed\.$/),
  recovery: { hint: expect.stringContaining("Free some space") },
};

test.skipIf(noSmallDisk)(
  "on a full disk, whole writes are refused and reads continue, and writes resume once there is room",
  async () => {
    const disk = mountSmallDisk(16);
    const client = await connectRaw(spawnServer(disk.dataDir), "modern");
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "the first needle" });
    await client.call("session", { subOperation: "search", sessionId, query: "needle" });
    disk.fill();

    const { acknowledged, error } = await writeUntilFull(client, sessionId);
    expect(error).toMatchObject(diskFull);
    const length = 1 + acknowledged.length;
    await expectReadsToGoOn(client, sessionId, length);

    const started = await client.gateway("start_new", { title: "one more" });
    expect(started.error ?? diskFull).toMatchObject(diskFull);

    const newcomer = await connectRaw(spawnServer(disk.dataDir), "modern");
    await expectReadsToGoOn(newcomer, sessionId, length);

    disk.free();
    for (const [n, one] of [client, newcomer].entries()) {
      const answer = await one.call("thought", { sessionId, thought: big });
      expect(answer.thoughtNumber).toBe(length + 1 + n);
    }
    await expectReadsToGoOn(client, sessionId, length + 2);
  },
);

test.skipIf(noSmallDisk)(
  "on a full disk, a new store is refused, and is created once there is room",
  async () => {
    const disk = mountSmallDisk(16);
    disk.fill();
    const client = await connectRaw(spawnServer(disk.dataDir), "modern");
    expect((await client.gateway("start_new", { title: "x" })).error).toMatchObject({
      code: "STORAGE_ERROR",
    });
    disk.free();
    const sessionId = await startThinking(client);
    expect((await client.call("thought", { sessionId, thought: "room again" })).thoughtNumber).toBe(1);
  },
);

test.skipIf(noSmallDisk).each(departures)(
  "on a full disk, a store whose last process was %s can be read, and written once there is room",
  async (departure) => {
    const disk = mountSmallDisk(16);
    const sessionId = await leaveStore(disk.dataDir, departure);
    disk.fill();
    const client = await connectRaw(spawnServer(disk.dataDir), "modern");
    await expectReadsToGoOn(client, sessionId, 1);
    disk.free();
    expect((await client.call("thought", { sessionId, thought: "room" })).thoughtNumber).toBe(2);
  },
);

test.skipIf(noSmallDisk)(
  "on a full disk, a setting is refused in one sentence, and is saved once there is room",
  async () => {
    const disk = mountSmallDisk(16);
    const set = () => runCommand("config set project other", { dataDir: disk.dataDir });
    await runCommand("config set project first", { dataDir: disk.dataDir });
    disk.fill();
    const { code, err } = await set();
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^thoughtbox: The disk is full\. Nothing was changed\.\n/),
    ]);
    disk.free();
    expect(await set()).toMatchObject({ code: 0 });
  },
);
