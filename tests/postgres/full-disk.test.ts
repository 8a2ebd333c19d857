import { spawnSync } from "node:child_process";
import { appendFileSync, chownSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startCluster } from "../support/postgres/own-cluster.ts";
import { connect, hasPostgres } from "../support/stores/postgres-server.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

const mayMount = process.getuid?.() === 0 && process.platform === "linux";

/** Mounts a disk of this many megabytes for the tables. The log is elsewhere, so the server keeps running. */
function mountSmallDisk(directory: string, megabytes: number): string {
  const place = join(directory, "small");
  const { uid, gid } = statSync(directory);
  mkdirSync(place);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", place]);
  if (status !== 0) return "";
  onTestFinished(() => void spawnSync("umount", ["-l", place]));
  chownSync(place, uid, gid);
  return place;
}

const name = `a full disk is reported in one clear sentence, and writes resume once there is room${mayMount ? "" : " (skipped: needs root to mount a small disk)"}`;

test.skipIf(!hasPostgres || !mayMount)(name, async ({ skip }) => {
  const cluster = await startCluster();
  const place = mountSmallDisk(cluster.directory, 32);
  if (place === "") return skip("no disk can be mounted here");
  const owner = await connect(cluster.url());
  await owner.query(`CREATE TABLESPACE small LOCATION '${place}'`);
  await owner.query("CREATE DATABASE thoughts TABLESPACE small");
  await owner.end();
  const app = createTestApp({ backend: "postgres", env: { DATABASE_URL: cluster.url("thoughts") } });
  const client = app.modern();
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "before" });

  const filler = join(place, "filler");
  expect(() => {
    for (;;) appendFileSync(filler, Buffer.alloc(65_536));
  }, "the disk is full").toThrow(/ENOSPC/);
  const kept = ["before"];
  let refusal: any;
  for (let n = 0; n < 200 && !refusal; n += 1) {
    const thought = `${n} ${"random words ".repeat(4)}${"x".repeat(30_000 + n)}`;
    const reply = await client.reply("thought", { sessionId, thought, idempotencyKey: `${n}` });
    if (reply.kind === "error") refusal = reply.error;
    else kept.push(thought);
  }
  expect(refusal).toMatchObject({ code: "STORAGE_ERROR", details: { outcome: "not_stored" } });
  expect(refusal.message).toMatch(/disk is full/);
  expect(await client.call("session.get", { sessionId })).toMatchObject({
    session: { thoughtCount: kept.length },
  });

  rmSync(filler);
  await client.call("thought", { sessionId, thought: "after" });
  expect(await client.call("session.verify", { sessionId })).toMatchObject({
    valid: true,
    chain: { length: kept.length + 1 },
  });
});
