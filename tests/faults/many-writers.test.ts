import { join } from "node:path";
import { expect, test } from "vitest";
import { connectRaw, type RawClient, startThinking } from "../support/raw-client.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const processes = 8;
const thoughtsEach = times("writer thoughts", 200);

/** Writes one thought at a time, like a single agent, or keeps many calls waiting. `writer` decides which. */
async function writeAll(client: RawClient, sessionId: string, writer: number): Promise<[number, string][]> {
  const written: [number, string][] = [];
  let sent = 0;
  const write = async (): Promise<void> => {
    while (sent < thoughtsEach) {
      const thought = `writer ${writer}, thought ${sent++}`;
      const { thoughtNumber } = await client.call("thought", { sessionId, thought });
      written.push([thoughtNumber, thought]);
    }
  };
  await Promise.all(Array.from({ length: writer % 2 === 0 ? 1 : 16 }, write));
  return written;
}

async function readAll(client: RawClient, sessionId: string, total: number): Promise<[number, string][]> {
  const read: [number, string][] = [];
  for (let from = 1; from <= total; from += 100) {
    const { thoughts } = await client.call("read_thoughts", { sessionId, range: [from, from + 99] });
    for (const { thoughtNumber, thought } of thoughts) read.push([thoughtNumber, thought]);
  }
  return read;
}

test(`eight processes write ${thoughtsEach} thoughts each to one session, with distinct numbers and one chain`, {
  timeout: enoughTime(processes * thoughtsEach, 20),
}, async () => {
  const dataDir = join(tempDir(), "data");
  const clients = await Promise.all(
    Array.from({ length: processes }, () => connectRaw(spawnServer(dataDir), "modern")),
  );
  const [first] = clients;
  if (!first) throw new Error("no client");
  const sessionId = await startThinking(first);
  const written = (await Promise.all(clients.map((client, n) => writeAll(client, sessionId, n)))).flat();

  const total = processes * thoughtsEach;
  const byNumber = (a: [number, string], b: [number, string]) => a[0] - b[0];
  expect(written.map(([number]) => number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: total }, (_, n) => n + 1),
  );
  for (const client of [first, await connectRaw(spawnServer(dataDir), "modern")]) {
    expect(await readAll(client, sessionId, total)).toEqual([...written].sort(byNumber));
    const { valid, chain } = await client.call("session", { subOperation: "verify", sessionId });
    expect({ valid, length: chain.length, verified: chain.verified }).toEqual({
      valid: true,
      length: total,
      verified: total,
    });
  }
  expect(clients.map(({ server }) => server.stderr())).toEqual(clients.map(() => ""));
  reportSoak("writers in one session", `${processes} processes, ${total} thoughts acknowledged, none lost`);
});

test("processes that open an empty directory at the same moment all get their session", async () => {
  for (let round = 0; round < 2; round += 1) {
    const dataDir = join(tempDir(), "deep", "data");
    const clients = await Promise.all(
      Array.from({ length: 6 }, () => connectRaw(spawnServer(dataDir), "modern")),
    );
    await Promise.all(clients.map(({ request }) => request("server/discover")));
    const ids = await Promise.all(clients.map((client) => startThinking(client)));
    expect(new Set(ids).size).toBe(6);
    const { total } = await (clients[0] as RawClient).call("list_sessions");
    expect(total).toBe(6);
  }
});
