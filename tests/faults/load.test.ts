import { join } from "node:path";
import { expect, test } from "vitest";
import { checkSession, createOracle, type Oracle } from "../support/oracle.ts";
import { connectRaw, type RawClient, startThinking } from "../support/raw-client.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const seconds = times("load seconds", 4);
const processes = 4;
const inFlight = 4;
/** The number of thoughts up to which a whole session can be checked quickly. */
const maxThoughts = 2_000;

/** Reads and searches between writes, as agents do. None of the calls may fail. */
async function work(client: RawClient, sessions: Map<string, Oracle>, writer: number, until: number) {
  let sent = 0;
  const write = async (): Promise<void> => {
    while (performance.now() < until) {
      const [sessionId = "", oracle] = [...sessions].at(-1) ?? [];
      if (!oracle || oracle.sent.size >= maxThoughts) {
        sessions.set(await startThinking(client), createOracle());
        continue;
      }
      const thought = `writer ${writer}, thought ${sent++} ${"x".repeat((sent * 131) % 3_000)}`;
      oracle.sent.add(thought);
      const { thoughtNumber } = await client.call("thought", { sessionId, thought });
      oracle.acknowledged.set(thought, thoughtNumber);
      if (sent % 50 === 0) await client.call("read_thoughts", { sessionId, last: 5 });
      if (sent % 200 === 0)
        await client.call("session", { subOperation: "search", sessionId, query: "writer", limit: 3 });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, write));
}

test(`${seconds} s of load by ${processes} processes: no call fails, nothing is lost, every chain verifies`, {
  timeout: enoughTime(seconds, 4_000),
}, async () => {
  const dataDir = join(tempDir(), "data");
  const clients = await Promise.all(
    Array.from({ length: processes }, () => connectRaw(spawnServer(dataDir), "modern")),
  );
  const sessions = new Map<string, Oracle>();
  const until = performance.now() + seconds * 1_000;
  await Promise.all(clients.map((client, n) => work(client, sessions, n, until)));
  const reader = await connectRaw(spawnServer(dataDir), "modern");
  for (const [sessionId, oracle] of sessions) await checkSession(reader, sessionId, oracle);
  expect(clients.map(({ server }) => server.stderr())).toEqual(clients.map(() => ""));
  const total = [...sessions.values()].reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  expect(total).toBeGreaterThan(seconds * 10);
  reportSoak(
    "load",
    `${seconds} s, ${processes} processes, ${total} thoughts in ${sessions.size} sessions, none lost`,
  );
});
