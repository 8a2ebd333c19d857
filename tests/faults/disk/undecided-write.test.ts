import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noCompiler } from "../../support/disk/compile-c.ts";
import { compileShim, createDiskShim } from "../../support/disk/disk-shim.ts";
import { createStore, never } from "../../support/disk/fault-visits.ts";
import { connectRaw, type RawClient } from "../../support/raw-client.ts";
import { once } from "../../support/run/once.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { readSession } from "../../support/views/read-session.ts";

if (noCompiler) process.stderr.write(`skipped: ${noCompiler}\n`);

const log = "thoughtbox.db-wal";
const cutOff = { thought: "cut off", idempotencyKey: "cut-off" };

const open = (dataDir: string) => connectRaw(spawnServer(dataDir), "modern");

async function end({ server }: RawClient): Promise<void> {
  server.child.kill("SIGKILL");
  await server.exited;
}

/** Counts thoughts in the list, because other reads record the time of access, which is a write. */
async function countThoughts(client: RawClient, sessionId: string): Promise<number> {
  const { sessions } = await client.call("list_sessions");
  return sessions.find(({ id }: Record<string, unknown>) => id === sessionId).thoughtCount;
}

/** Opens the store in a process that only reads. Another process gets the fault at its first thought. */
async function thinkBeside(library: string, at: number) {
  const { dataDir, sessionId } = await createStore(library);
  const witness = await open(dataDir);
  await countThoughts(witness, sessionId);
  const shim = createDiskShim(library, dataDir);
  const writer = await connectRaw(spawnServer(dataDir, shim.env), "modern");
  shim.arm(at, "crash", log);
  await writer.gateway("thought", { sessionId, ...cutOff }).catch(() => undefined);
  await end(writer);
  const calls = shim.armedCalls().filter(({ path }) => path === log);
  return { dataDir, sessionId, witness, calls };
}

/** Returns the number of the log call that syncs a first thought, which is the same in every new store. */
const syncCall = once(async () => {
  const { calls } = await thinkBeside(compileShim(), never);
  const sync = calls.findIndex(({ call }) => call === "sync");
  expect(sync).toBeGreaterThan(0);
  return sync + 1;
});

/** Ends the process between the last write to the log and its sync: the thought is complete but not acknowledged. */
async function endInSync(library: string) {
  const sync = await syncCall();
  const left = await thinkBeside(library, sync);
  expect(left.calls.at(-1)).toMatchObject({ call: "struck", number: sync });
  expect(await countThoughts(left.witness, left.sessionId)).toBe(0);
  return left;
}

const textsIn = async (client: RawClient, sessionId: string) =>
  (await readSession(client, sessionId)).map(([thought]) => thought);

/**
 * Checks what a new process finds. That process reads the log again, because no other process has the store
 * open.
 */
async function expectAfterAllEnded(dataDir: string, sessionId: string, texts: string[]): Promise<void> {
  const next = await open(dataDir);
  expect(await textsIn(next, sessionId)).toEqual(texts);
  expect(await next.call("session", { subOperation: "verify", sessionId })).toMatchObject({ valid: true });
}

test.skipIf(noCompiler)(
  "a thought whose process died during the sync of the log appears when the log is read again",
  async () => {
    const { dataDir, sessionId, witness } = await endInSync(compileShim());
    await end(witness);
    await expectAfterAllEnded(dataDir, sessionId, ["cut off"]);
  },
);

test.skipIf(noCompiler)(
  "such a thought never reappears after another write has taken its place",
  async () => {
    const { dataDir, sessionId, witness } = await endInSync(compileShim());
    const copy = join(tempDir(), "data");
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith("-shm") });
    await expectAfterAllEnded(copy, sessionId, ["cut off"]);

    expect(await witness.call("thought", { sessionId, thought: "next" })).toMatchObject({ thoughtNumber: 1 });
    await end(witness);
    await expectAfterAllEnded(dataDir, sessionId, ["next"]);
  },
);

test.skipIf(noCompiler)("such a thought is recorded once if it is sent again with its key", async () => {
  const library = compileShim();
  for (const restarted of [false, true]) {
    const { dataDir, sessionId, witness } = await endInSync(library);
    if (restarted) await end(witness);
    const again = restarted ? await open(dataDir) : witness;
    expect(await again.call("thought", { sessionId, ...cutOff })).toMatchObject({ thoughtNumber: 1 });
    await end(again);
    await expectAfterAllEnded(dataDir, sessionId, ["cut off"]);
  }
});
