import { join } from "node:path";
import { expect, test } from "vitest";
import { openBareApp } from "../../support/bare-app.ts";
import { noCompiler } from "../../support/disk/compile-c.ts";
import { compileShim, createDiskShim } from "../../support/disk/disk-shim.ts";
import {
  appendUntilWrittenBack,
  never,
  numbersOf,
  type Order,
  pick,
  placesFor,
  sampled,
  survey,
  visitAll,
} from "../../support/disk/fault-visits.ts";
import { connectRaw, startThinking } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

if (noCompiler) process.stderr.write(`skipped: ${noCompiler}\n`);

const timeout = 180_000 + sampled * 4_000;

/** Calls on the database file itself, which is written when the log is written back. */
const end = "thoughtbox.db";

test.skipIf(noCompiler).each(["crash", "EIO", "ENOSPC", "short"] as const)(
  "%s while the log is written back into the database loses nothing",
  { timeout },
  async (fault) => {
    const { store, calls } = await survey(appendUntilWrittenBack, fault);
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
  "%s while the first process creates the store leaves one that the next process can use",
  { timeout },
  async (fault) => {
    const library = compileShim();
    const { calls } = await beginStore(library, { at: never, fault });
    let struck = 0;
    for (const at of [1, 2, ...pick(numbersOf(calls).slice(2), sampled / 3)]) {
      const first = await beginStore(library, { at, fault });
      if (first.struck) struck += 1;
      const { client, close } = openBareApp("fs", first.dataDir);
      const { sessionId } = await client.call("start_new");
      await client.call("thought", { sessionId, thought: "goes on" });
      const { sessions } = await client.call("list_sessions");
      const ids = sessions.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(expect.arrayContaining([...first.acknowledged, sessionId]));
      expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
      await close();
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
