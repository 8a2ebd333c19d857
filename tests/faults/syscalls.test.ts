import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { noCompiler } from "../support/compile-c.ts";
import { compileShim, createDiskShim, type DiskCall, type DiskFault } from "../support/disk-shim.ts";
import {
  appendAndFollow,
  appendUntilWrittenBack,
  createStore,
  never,
  type Order,
  visit,
  visitAll,
} from "../support/fault-visits.ts";
import { connectRaw, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { times } from "../support/soak.ts";
import { tempDir } from "../support/temp-dir.ts";

if (noCompiler) process.stderr.write(`skipped: ${noCompiler}\n`);

const sampled = times("syscall samples", 12);
const timeout = 180_000;

const pick = <Value>(values: readonly Value[], count: number): Value[] =>
  [...values].sort(() => Math.random() - 0.5).slice(0, count);
const numbersOf = (calls: readonly unknown[]): number[] => calls.map((_, n) => n + 1);
const writesOf = (calls: readonly DiskCall[]): number[] =>
  calls.flatMap(({ call }, n) => (call === "write" ? [n + 1] : []));
const placesFor = (fault: DiskFault, calls: readonly DiskCall[]): number[] =>
  fault === "short" || fault === "torn" ? writesOf(calls) : numbersOf(calls);

describe.skipIf(noCompiler)("every call of an append to the disk", () => {
  test("can be the last one of the process: nothing acknowledged is lost, and no repair is needed", {
    timeout,
  }, async () => {
    const store = await createStore(compileShim());
    const { calls } = await visit(store, { at: never, fault: "crash" }, appendAndFollow);
    const kinds = calls.map(({ call }) => call);
    expect(kinds).toEqual(expect.arrayContaining(["write", "sync", "create", "rename"]));
    const crashes = numbersOf(calls).map((at): Order => ({ at, fault: "crash" }));
    const torn = pick(writesOf(calls), sampled).map((at): Order => ({ at, fault: "torn" }));
    const struck = await visitAll(store, [...crashes, ...torn], appendAndFollow);
    expect(struck.length).toBeGreaterThan((crashes.length + torn.length) * 0.8);
  });

  test.each(["EIO", "ENOSPC", "short"] as const)(
    "can fail with %s: a STORAGE_ERROR or a whole thought, and the next process goes on",
    { timeout },
    async (fault) => {
      const store = await createStore(compileShim());
      const { calls } = await visit(store, { at: never, fault }, appendAndFollow);
      const orders = pick(placesFor(fault, calls), sampled).map((at): Order => ({ at, fault }));
      const struck = await visitAll(store, orders, appendAndFollow);
      expect(struck.length).toBeGreaterThan(orders.length / 2);
    },
  );
});

/** Calls on the database's own file, which is written when the log is written back. */
const end = "thoughtbox.db";

test.skipIf(noCompiler).each(["crash", "EIO", "ENOSPC", "short"] as const)(
  "%s while the log is written back into the database loses nothing",
  { timeout },
  async (fault) => {
    const store = await createStore(compileShim());
    const { calls } = await visit(store, { at: never, fault }, appendUntilWrittenBack);
    const touched = calls.filter(({ path }) => path === end);
    expect(touched.length).toBeGreaterThan(100);
    const places = placesFor(fault, touched);
    const chosen = [...places.slice(0, 1), ...pick(places.slice(1, -1), sampled / 6), ...places.slice(-1)];
    const orders = chosen.map((at): Order => ({ at, fault, end }));
    const struck = await visitAll(store, orders, appendUntilWrittenBack);
    expect(struck.length).toBeGreaterThan(1);
    expect(new Set(struck.map(({ path }) => path))).toEqual(new Set([end]));
  },
);

test.skipIf(noCompiler).each(["crash", "EIO", "ENOSPC"] as const)(
  "%s while the very first process makes the store leaves one that the next process can use",
  { timeout },
  async (fault) => {
    const library = compileShim();
    const { calls } = await beginStore(library, { at: never, fault });
    let struck = 0;
    for (const at of [1, 2, ...pick(numbersOf(calls).slice(2), sampled / 3)]) {
      const first = await beginStore(library, { at, fault });
      if (first.struck) struck += 1;
      const client = await connectRaw(spawnServer(first.dataDir), "modern");
      const sessionId = await startThinking(client);
      await client.call("thought", { sessionId, thought: "goes on" });
      const { sessions } = await client.call("list_sessions");
      const ids = sessions.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(expect.arrayContaining([...first.acknowledged, sessionId]));
      expect(await client.call("session", { subOperation: "verify", sessionId })).toMatchObject({
        valid: true,
      });
      client.server.child.kill("SIGKILL");
    }
    expect(struck).toBeGreaterThan(2);
  },
);

async function beginStore(library: string, { at, fault }: Order) {
  const dataDir = join(tempDir(), "data");
  const shim = createDiskShim(library, dataDir);
  shim.arm(at, fault);
  const server = spawnServer(dataDir, shim.env);
  const client = await connectRaw(server, "modern");
  const acknowledged = await startThinking(client).then(
    (sessionId) => [sessionId],
    (thrown: Error) => {
      expect(thrown.message).toMatch(/the server ended before|STORAGE_ERROR/);
      return [];
    },
  );
  server.child.kill("SIGKILL");
  await server.exited;
  return { dataDir, acknowledged, calls: shim.armedCalls(), struck: shim.struck() };
}
