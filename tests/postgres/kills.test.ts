import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Cluster, startCluster, startStandbyOf } from "../support/postgres/own-cluster.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { connect, hasPostgres } from "../support/stores/postgres-server.ts";
import { createTestApp, startThinking, type TestClient } from "../support/test-app.ts";

const kills = times("database kills", 10);
const failovers = times("database failovers", 1);
const writersAtOnce = 6;
const synchronous = [["synchronous_standby_names", "*"]] as const;

/** Starts writers that continue until they are stopped, and remember what was acknowledged. */
function startWriters(client: TestClient, sessionId: string) {
  const promised: string[] = [];
  const outcomes = { acknowledged: 0, unknown: 0, refused: 0 };
  let isOver = false;

  /** Repeats the call with the same key until it is answered, as a client does. */
  async function storeOnce(thought: string): Promise<void> {
    for (;;) {
      const reply = await client.reply("thought", { sessionId, thought, idempotencyKey: thought });
      if (reply.kind === "result") {
        promised.push(thought);
        outcomes.acknowledged += 1;
        return;
      }
      if (reply.kind !== "error") throw new Error(`answered ${JSON.stringify(reply)}`);
      expect(reply.error.code).toBe("STORAGE_ERROR");
      if (reply.error.details?.["outcome"] === "unknown") outcomes.unknown += 1;
      else outcomes.refused += 1;
    }
  }
  const write = async () => {
    while (!isOver) await storeOnce(randomUUID());
  };
  const writing = Promise.all(Array.from({ length: writersAtOnce }, write));
  return {
    outcomes,
    promised: () => promised.length,
    async stop(): Promise<string[]> {
      isOver = true;
      await writing;
      return promised;
    },
  };
}

async function readAll(client: TestClient, sessionId: string): Promise<string[]> {
  const { totalThoughts } = await client.call("get_structure", { sessionId });
  const found: string[] = [];
  for (let from = 1; from <= totalThoughts; from += 500) {
    const range = { sessionId, range: [from, from + 499] };
    const { thoughts } = await client.call("read_thoughts", range);
    found.push(...thoughts.map(({ thought }: { thought: string }) => thought));
  }
  return found;
}

/** Checks that everything acknowledged is stored once, in a valid chain. */
async function expectKept(client: TestClient, sessionId: string, promised: readonly string[]): Promise<void> {
  const found = await readAll(client, sessionId);
  expect([...found].sort()).toEqual([...promised].sort());
  expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
}

/** Waits until this many more thoughts are acknowledged. */
async function more(writers: ReturnType<typeof startWriters>, count: number): Promise<void> {
  const until = writers.promised() + count;
  await expect.poll(writers.promised, { timeout: 40_000, interval: 20 }).toBeGreaterThanOrEqual(until);
}

const openOn = (url: string) => createTestApp({ backend: "postgres", env: { DATABASE_URL: url } });

const timeout = Math.max(enoughTime(kills, 6_000), enoughTime(failovers, 30_000));

describe.skipIf(!hasPostgres)("a database that dies", { timeout }, () => {
  test(`loses no acknowledged thought and stores none twice, over ${kills} kills`, async () => {
    const cluster = await startCluster();
    const client = openOn(cluster.url()).modern();
    const sessionId = await startThinking(client);
    const writers = startWriters(client, sessionId);
    for (let kill = 0; kill < kills; kill += 1) {
      await more(writers, 5);
      await cluster.crash();
      await cluster.resume();
    }
    await more(writers, 5);
    const promised = await writers.stop();
    await expectKept(client, sessionId, promised);
    const { acknowledged, unknown, refused } = writers.outcomes;
    reportSoak(
      "the database killed and restarted under six writers",
      `${kills} kills, ${acknowledged} thoughts acknowledged and stored once. ${unknown} calls with an unknown outcome and ${refused} refused calls were retried`,
    );
  });

  test(`fails over to its synchronous standby, and servers switch by themselves, over ${failovers} failovers`, async () => {
    let primary = await startCluster(synchronous);
    let standby = await startStandbyOf(primary);
    const app = openOn(at(standby, primary));
    const sessionId = await startThinking(app.modern());
    const promised: string[] = [];
    const outcomes = { acknowledged: 0, unknown: 0, refused: 0 };
    for (let failover = 0; failover < failovers; failover += 1) {
      // Each standby has a new address that running servers cannot know, as when a cluster node is replaced.
      const server =
        failover === 0
          ? app
          : createTestApp({ ...sameStore(app), env: { DATABASE_URL: at(primary, standby) } });
      const writers = startWriters(server.modern(), sessionId);
      await more(writers, 10);
      await failOver(primary, standby);
      await more(writers, 10);
      promised.push(...(await writers.stop()));
      for (const kind of ["acknowledged", "unknown", "refused"] as const)
        outcomes[kind] += writers.outcomes[kind];
      primary = standby;
      if (failover < failovers - 1) standby = await startSynchronousStandbyOf(primary);
    }
    const last = createTestApp({ ...sameStore(app), env: { DATABASE_URL: primary.url() } });
    await expectKept(last.modern(), sessionId, promised);
    const { acknowledged, unknown, refused } = outcomes;
    reportSoak(
      "the primary killed and its synchronous standby promoted under six writers",
      `${failovers} failovers, ${acknowledged} thoughts acknowledged and stored once. ${unknown} calls with an unknown outcome and ${refused} refused calls were retried`,
    );
  });

  test("answers reads as a replica, refuses writes in one sentence, and accepts them once it is promoted", async () => {
    const first = await startCluster();
    const written = openOn(first.url());
    const sessionId = await startThinking(written.modern());
    await written.modern().call("thought", { sessionId, thought: "before" });
    const second = await startStandbyOf(first);
    const tenant = { THOUGHTBOX_DATA_DIR: written.dataDir };
    const replica = createTestApp({
      backend: "postgres",
      dataDir: written.dataDir,
      env: { DATABASE_URL: second.url(), ...tenant },
    }).modern();
    expect(await replica.call("read_thoughts", { sessionId, last: 5 })).toMatchObject({
      thoughts: [{ thought: "before" }],
    });
    const error = await replica.refusal("thought", { sessionId, thought: "not here" });
    expect(error).toMatchObject({ code: "STORAGE_ERROR", details: { outcome: "not_stored" } });
    expect(error.message).toMatch(/is read-only\. It may be a replica/);
    await failOver(first, second);
    expect(await replica.call("thought", { sessionId, thought: "now" })).toMatchObject({ thoughtNumber: 2 });
  });
});

const sameStore = ({ dataDir }: { dataDir: string }) => ({ backend: "postgres" as const, dataDir });

const at = (...clusters: readonly Cluster[]): string =>
  `postgres://thoughtbox@${clusters.map((cluster) => cluster.place()).join(",")}/postgres`;

/** Starts a standby and makes the primary wait for it. A promoted primary waits for no standby. */
async function startSynchronousStandbyOf(primary: Cluster): Promise<Cluster> {
  const standby = await startStandbyOf(primary);
  const client = await connect(primary.url());
  await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await client.query("SELECT pg_reload_conf()");
  const states = async () =>
    (await client.query("SELECT sync_state FROM pg_stat_replication")).rows.map((row) => row["sync_state"]);
  await expect.poll(states, { timeout: 30_000 }).toEqual(["sync"]);
  await client.end();
  return standby;
}

async function failOver(from: Cluster, to: Cluster): Promise<void> {
  await from.crash();
  await to.promote();
}
