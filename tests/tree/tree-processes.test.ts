import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRaw } from "../support/disk/raw-database.ts";
import { startSession, think } from "../support/ledger.ts";
import { connectRaw, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { eventually, filesBelow, openTree } from "../support/views/tree.ts";

/** Reads which process writes the tree, and when its lease ends. The time is 0 once the lease is returned. */
function watchLease(directory: string) {
  const raw = openRaw(directory);
  return () => raw.prepare("SELECT holder, expires_at FROM leases").get() ?? {};
}

test("several processes write one tree together", async () => {
  const first = openTree();
  const all = [first, openTree({ directory: first.directory }), openTree({ directory: first.directory })];
  const id = await startSession(first.ledger);
  const crowd = all.flatMap(({ ledger }) =>
    Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 50; n += 1) await think(ledger, id);
    }),
  );
  await Promise.all(crowd);
  await eventually(async () => (await first.tree.status()).pending === 0);
  for (const { tree } of all) expect(await tree.verify(id)).toMatchObject({ valid: true, pendingFiles: 0 });
});

test("a process that closes hands over the writing", async () => {
  const first = openTree();
  const id = await startSession(first.ledger);
  await first.tree.flush();
  const lease = watchLease(first.directory);
  const { holder } = lease();
  const second = openTree({ directory: first.directory });
  await think(second.ledger, id);
  await first.close();
  const after = lease();
  expect(after["expires_at"] === 0 || after["holder"] !== holder, "nobody need wait for it to run out").toBe(
    true,
  );
  await think(second.ledger, id, { thought: "alone" });
  await eventually(() =>
    existsSync(join(first.directory, "projects", "_default", "sessions", id, "002.json")),
  );
});

test("another process takes over and completes the tree if the writer is killed", {
  timeout: 180_000,
}, async () => {
  const dataDir = join(tempDir(), "data");
  const servers = [spawnServer(dataDir), spawnServer(dataDir)];
  const clients = await Promise.all(servers.map((server) => connectRaw(server, "modern")));
  const ids = await Promise.all(clients.map((client) => startThinking(client)));
  const acknowledged = new Map(ids.map((id) => [id, 0]));
  let stopped = false;
  const crowd = clients.flatMap((client, n) =>
    Array.from({ length: 8 }, async () => {
      const sessionId = ids[n] ?? "";
      while (!stopped) {
        await client.call("thought", { sessionId, thought: "again" });
        acknowledged.set(sessionId, (acknowledged.get(sessionId) ?? 0) + 1);
      }
    }),
  );
  const ended = Promise.allSettled(crowd);

  const lease = watchLease(dataDir);
  await eventually(
    () => [...acknowledged.values()].every((n) => n > 200) && Number(lease()["expires_at"]) > Date.now(),
    60_000,
  );
  const { holder } = lease();
  const writer = servers.find(({ child }) => String(holder).startsWith(`${child.pid}-`));
  expect(writer).toBeDefined();
  writer?.child.kill("SIGKILL");
  await writer?.exited;
  stopped = true;
  await ended;

  const survivor = clients.find(({ server }) => server !== writer);
  await survivor?.call("thought", { sessionId: ids[0], thought: "something to write, if all was written" });
  // The lease was returned, or it expired unused on a busy machine.
  await eventually(() => lease()["holder"] !== holder && Number(lease()["expires_at"]) <= Date.now(), 60_000);
  for (const sessionId of ids) {
    const told = await survivor?.call("session", { subOperation: "verify", sessionId });
    expect(told).toMatchObject({ valid: true, errors: [] });
    expect(told).not.toHaveProperty("warnings");
    expect(told.chain.length).toBeGreaterThanOrEqual(acknowledged.get(sessionId) ?? 0);
  }
  await eventually(() => filesBelow(dataDir).every((name) => !name.endsWith(".tmp")));
});
