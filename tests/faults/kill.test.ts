import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { checkSession, createOracle, type Oracle } from "../support/oracle.ts";
import { connectRaw, startThinking } from "../support/raw-client.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { chanceFor, runSeed } from "../support/seeded-random.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const lanes = 2;
const writers = 5;
const rounds = Math.ceil(times("kills", 30) / lanes / writers);
const inFlight = 8;

/** Writes without a pause and is killed at a random moment, usually while writing and sometimes during startup. */
async function writeUntilKilled(dataDir: string, sessionId: string, writer: string, oracle: Oracle) {
  const { next, upTo } = chanceFor(writer);
  const server = spawnServer(dataDir);
  const killSoon = (maxMs: number) => void delay(upTo(maxMs)).then(() => server.child.kill("SIGKILL"));
  const killAfter = next() < 0.2 ? 0 : 1 + upTo(40);
  if (killAfter === 0) killSoon(300);

  const client = await connectRaw(server, "modern");
  let acknowledged = 0;
  const write = async (): Promise<void> => {
    for (;;) {
      const thought = `${writer}:${oracle.sent.size} ${"x".repeat(upTo(4_000))}`;
      oracle.sent.add(thought);
      const { thoughtNumber } = await client.call("thought", { sessionId, thought });
      oracle.acknowledged.set(thought, thoughtNumber);
      acknowledged += 1;
      if (acknowledged === killAfter) killSoon(5);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: inFlight }, write));
  const [, signal] = await server.exited;
  expect(signal).toBe("SIGKILL");
  // A writer may stop only because of the kill.
  for (const end of ends) {
    expect(String((end as PromiseRejectedResult).reason)).toContain("the server ended before it answered");
  }
}

/**
 * Kills the processes of one store repeatedly. Between rounds, no process has the store open, so the next
 * process repairs it.
 */
async function runLane(dataDir: string, lane: number): Promise<number> {
  const oracles = new Map<string, Oracle>();
  for (let round = 0; round < rounds; round += 1) {
    const oracle = createOracle();
    const sessionId = await checkAndStart(dataDir, [...oracles].slice(-1));
    oracles.set(sessionId, oracle);
    await Promise.all(
      Array.from({ length: writers }, (_, n) =>
        writeUntilKilled(dataDir, sessionId, `${lane}.${round}.${n}`, oracle),
      ),
    );
  }
  await checkAndStart(dataDir, [...oracles]);
  return [...oracles.values()].reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
}

async function checkAndStart(dataDir: string, written: [string, Oracle][]): Promise<string> {
  const server = spawnServer(dataDir);
  const client = await connectRaw(server, "modern");
  for (const [sessionId, oracle] of written) await checkSession(client, sessionId, oracle);
  const next = await startThinking(client);
  server.child.kill("SIGKILL");
  await server.exited;
  return next;
}

test(`${lanes * rounds * writers} kill -9 at random moments lose no acknowledged thought, and every chain verifies (seed ${runSeed})`, {
  timeout: enoughTime(lanes * rounds * writers, 900),
}, async () => {
  const acknowledged = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => runLane(join(tempDir(), "data"), lane)),
  );
  expect(Math.min(...acknowledged)).toBeGreaterThan(rounds * writers);
  const total = acknowledged.reduce((sum, count) => sum + count, 0);
  reportSoak("kill -9", `${lanes * rounds * writers} kills, ${total} thoughts acknowledged, none lost`);
});
