import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { openRaw } from "../support/disk/raw-database.ts";
import { connectRaw } from "../support/raw-client.ts";
import { times } from "../support/run/soak.ts";
import { chanceFor } from "../support/seeded-random.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const { upTo } = chanceFor("large merge kills");
const workspace = "acme/repo";
const keys = 2_000;

async function connect(dataDir: string) {
  const { server, call } = await connectRaw(spawnServer(dataDir), "modern");
  return {
    server,
    call: (operation: string, args: object = {}) => call(operation, { workspace, ...args }),
    async kill() {
      server.child.kill("SIGKILL");
      await server.exited;
    },
  };
}

test("a large merge that is killed at any moment is either complete or absent, and the next one succeeds", async () => {
  const dataDir = join(tempDir(), "data");
  const first = await connect(dataDir);
  const nodesOn = async ({ call }: Pick<typeof first, "call">): Promise<number> =>
    (await call("graph_validate", { branch: "main" })).stats.nodes;
  await first.call("graph_apply", {
    branch: "main",
    ops: [{ op: "node_upsert", id: "first", type: "fact" }],
  });
  await first.call("branch_create", { name: "side" });
  const ops = Array.from({ length: keys }, (_, n) => ({ op: "node_upsert", id: `n${n}`, type: "fact" }));
  await first.call("graph_apply", { branch: "side", ops });
  await first.kill();

  const found = new Set<number>();
  for (let round = 0; round < times("large merge kills", 4); round += 1) {
    const client = await connect(dataDir);
    await client.call("status");
    const merging = client.call("graph_merge", { from: "side", into: "main" }).catch(() => undefined);
    await Promise.race([merging, delay(upTo(250))]);
    await client.kill();
    await merging;
    const reader = await connect(dataDir);
    found.add(await nodesOn(reader));
    expect((await reader.call("graph_query", { branch: "main", ids: ["n0", "n1999"] })).nodes.length).toBe(
      (await nodesOn(reader)) === 1 ? 0 : 2,
    );
    await reader.kill();
  }
  expect([...found].filter((nodes) => nodes !== 1 && nodes !== keys + 1)).toEqual([]);

  const last = await connect(dataDir);
  await last.call("graph_merge", { from: "side", into: "main" });
  expect(await nodesOn(last)).toBe(keys + 1);
  expect(await last.call("graph_merge", { from: "side", into: "main" })).toMatchObject({ merged: 0 });
  const db = openRaw(dataDir);
  const count = (from: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${from}`).get()?.["n"]);
  // Once the killed writer is certainly gone, the server removes the unfinished merge in the background.
  await expect.poll(() => count("graph_merges"), { timeout: 60_000 }).toBe(0);
  await last.kill();
  expect(count("graph_versions WHERE seq > (SELECT value FROM counters WHERE name = 'seq')")).toBe(0);
});
