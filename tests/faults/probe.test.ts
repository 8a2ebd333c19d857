import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noProcessTraces, tracesOf } from "../support/disk/process-traces.ts";
import { connectRaw, type RawClient, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

if (noProcessTraces) process.stderr.write(`skipped: ${noProcessTraces}\n`);

/** Starts a server whose home, working directory and data directory are all in one empty directory. */
function spawnProbe() {
  const world = tempDir();
  const home = join(world, "home");
  mkdirSync(home);
  const env = { HOME: home, XDG_DATA_HOME: join(home, "data"), TMPDIR: home };
  const server = spawnServer(join(home, "thoughtbox"), env, (command) => ["env", "-C", home, ...command]);
  return { home, server };
}

async function end({ server }: ReturnType<typeof spawnProbe>): Promise<number> {
  server.child.stdin.end();
  const [code] = await once(server.child, "close");
  return code;
}

const nothing = { ports: [], locks: [], files: [] };

const probes: [what: string, era: RawClient["era"], methods: [string, Record<string, unknown>?][]][] = [
  ["server/discover", "modern", [["server/discover"]]],
  ["initialize", "legacy", []],
  [
    "exploring with a legacy client",
    "legacy",
    [["ping"], ["tools/list"], ["resources/list"], ["resources/read", { uri: "thoughtbox://init" }]],
  ],
  [
    "exploring with a modern client",
    "modern",
    [["server/discover"], ["tools/list"], ["resources/read", { uri: "thoughtbox://cipher" }]],
  ],
];

test.skipIf(noProcessTraces).each(probes)("%s leaves no file, port or lock", async (_what, era, methods) => {
  const probe = spawnProbe();
  const client = await connectRaw(probe.server, era);
  for (const [method, params] of methods) {
    const { error } = await client.request(method, params);
    expect(error).toBeUndefined();
  }
  if (era === "legacy" && methods.length === 0) await client.request("ping");
  expect(tracesOf(probe.server.child.pid ?? 0, probe.home)).toEqual(nothing);
  expect(await end(probe)).toBe(0);
  expect(readdirSync(probe.home)).toEqual([]);
});

test.skipIf(noProcessTraces)("the first real operation leaves traces that the probe can see", async () => {
  const probe = spawnProbe();
  const client = await connectRaw(probe.server, "modern");
  await startThinking(client);
  const { files, locks, ports } = tracesOf(probe.server.child.pid ?? 0, probe.home);
  expect(files.length).toBeGreaterThan(0);
  expect(locks.length).toBeGreaterThan(0);
  expect(ports).toEqual([]);
  await end(probe);
  expect(readdirSync(probe.home)).toEqual(["thoughtbox"]);
});
