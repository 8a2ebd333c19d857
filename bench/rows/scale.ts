import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/kernel/clock.ts";
import { maskForExport } from "../../src/kernel/secrets/secrets-policy.ts";
import type { Store } from "../../src/ports/store.ts";
import { createPostgresStore } from "../../src/storage/postgres/postgres-store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { openSyncFloor } from "../floors/fdatasync.ts";
import { atLeast, atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, p99, ratioOf, type Samples, sumOf } from "../measure/samples.ts";
import { median } from "../measure/statistics.ts";
import { timeCrowd, timeEach, timeOnce } from "../measure/timing.ts";
import type { Bench, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { startChild } from "../servers/child.ts";
import { connectModern, type HttpClient } from "../servers/http-client.ts";
import { startHttpServer } from "../servers/http-server.ts";
import { type Database, openClient, startPostgres, withoutHints } from "../servers/postgres.ts";
import { processorTime } from "../servers/processor-time.ts";
import { callNoop } from "../servers/rivals.ts";
import { startStdioServer } from "../servers/stdio-server.ts";
import { callOperation, think } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { fillStore, importShelves, sessionIdOf } from "../stores/fill-store.ts";
import { wordAt } from "../stores/prose.ts";
import { someThought } from "../stores/some-thought.ts";

export const scale: Row = {
  id: "scale",
  about:
    "PostgreSQL compared with SQLite: one caller, many processes, several servers, the feed, search, start",

  async run(bench) {
    const database = await startPostgres();
    if (!database) {
      process.stderr.write(" skipped, because there is no PostgreSQL here");
      return [];
    }
    try {
      return [
        ...(await oneCaller(bench, database.url)),
        ...(await manyProcesses(bench, database.url)),
        ...(await threeServers(bench, database.url)),
        ...(await changesSeen(bench, database.url)),
        ...(await rankedSearch(bench, database)),
        ...(await start(bench, database.url)),
      ];
    } finally {
      await database.stop();
    }
  },
};

const settings = (url: string, tenant: string) => ({
  THOUGHTBOX_STORAGE: "postgres",
  DATABASE_URL: url,
  THOUGHTBOX_TENANT: tenant,
});

async function oneCaller(bench: Bench, url: string): Promise<Line[]> {
  const dataDir = bench.stores.freshDirectory();
  const floor = openSyncFloor(dataDir);
  const row = openClient(url);
  await row.connect();
  await row.query("CREATE TABLE one_row (id bigserial PRIMARY KEY, thought text)");
  const commit = () =>
    row.query({
      name: "one_row",
      text: "INSERT INTO one_row (thought) VALUES ($1)",
      values: [someThought()],
    });
  const commands = {
    postgres: candidates.thoughtbox(bench.stores.freshDirectory(), settings(url, randomUUID())),
    sqlite: candidates.thoughtbox(dataDir),
    noop: candidates.noop(),
  };
  const measured = await withServers(commands, async ({ postgres, sqlite, noop }) => {
    const open = async (server: typeof postgres) =>
      String((await callOperation(server, "start_new", { title: "alone" })).sessionId);
    const [inPostgres, inSqlite] = [await open(postgres), await open(sqlite)];
    const turns = {
      postgres: () => timeEach(10, () => think(postgres, inPostgres)),
      note: () => timeEach(10, () => callOperation(postgres, "notes_commit", { content: someThought() })),
      sqlite: () => timeEach(10, () => think(sqlite, inSqlite)),
      noop: () => timeEach(10, () => callNoop(noop)),
      commit: () => timeEach(10, commit),
      sync: () => timeEach(10, () => floor.append()),
    };
    await interleave(5, turns);
    return interleave(bench.times(60), turns);
  }).finally(() => floor.close());
  await row.end();
  const least = sumOf(measured.noop, measured.commit);
  const line = (id: string, what: string, ours: Samples): Line => ({
    id: `scale.${id}`,
    what: `${what}, PostgreSQL, one caller`,
    ours: milliseconds(ours),
    against: { name: "no-op call + one-row commit", figure: milliseconds(least) },
    ratio: ratioOf(ours, least),
    ...(id === "thought" && { goal: atMost(2, ratioOf(ours, least)) }),
  });
  const leastOfSqlite = sumOf(measured.noop, measured.sync);
  return [
    line("thought", "thought", measured.postgres),
    line("note", "notes_commit", measured.note),
    {
      id: "scale.commit",
      what: "(one-row commit, PostgreSQL)",
      ours: milliseconds(measured.commit),
      against: { name: "no-op call", figure: milliseconds(measured.noop) },
      ratio: ratioOf(measured.commit, measured.noop),
    },
    {
      id: "scale.thought-sqlite",
      what: "(thought, SQLite, one caller)",
      ours: milliseconds(measured.sqlite),
      against: { name: "no-op call + fdatasync", figure: milliseconds(leastOfSqlite) },
      ratio: ratioOf(measured.sqlite, leastOfSqlite),
    },
  ];
}

const processes = 3;
const callersInAll = 256;

/** Times processes that each have their own session and share one tenant or one file. */
async function timeProcesses(
  place: string,
  count: number,
  callers: number,
  calls: number,
): Promise<{ perSecond: number; processorMs: number }> {
  const tenant = randomUUID();
  const writers = Array.from({ length: count }, () => {
    const args = [place, tenant, randomUUID(), String(callers), String(calls)];
    const { child } = startChild(candidates.storeWriter(...args), ["pipe", "pipe", "inherit"]);
    const ready = new Promise((resolve) => child.stdout?.once("data", resolve));
    return { child, ready };
  });
  for (const { ready } of writers) await ready;
  const answers = writers.map(({ child }) => text(child.stdout as Readable));
  const taken = await timeOnce(async () => {
    for (const { child } of writers) child.stdin?.write("go\n");
    await Promise.all(answers);
  });
  const told = (await Promise.all(answers)).map(
    (answer) => JSON.parse(answer) as { perSecond: number; processorMs: number },
  );
  return {
    perSecond: (count * calls * 1_000) / taken,
    processorMs: told.reduce((sum, { processorMs }) => sum + processorMs, 0) / (count * calls),
  };
}

async function manyProcesses(bench: Bench, url: string): Promise<Line[]> {
  const each = Math.floor(callersInAll / processes);
  const many = bench.times(10_000);
  const rounds = bench.quick ? 1 : 3;
  const rates: Record<"one" | "many" | "sqlite", number[]> = { one: [], many: [], sqlite: [] };
  let processorMs = 0;
  for (let n = 0; n < rounds; n += 1) {
    rates.one.push((await timeProcesses(url, 1, 1, bench.times(500))).perSecond);
    const crowd = await timeProcesses(url, processes, each, many);
    rates.many.push(crowd.perSecond);
    processorMs = crowd.processorMs;
    const file = bench.stores.freshDirectory();
    rates.sqlite.push((await timeProcesses(file, processes, each, many)).perSecond);
  }
  const [one, crowd] = [median(rates.one), median(rates.many)];
  const what = `${processes} processes, ${callersInAll} callers at the store, PostgreSQL`;
  return [
    {
      id: "scale.crowd",
      what,
      ours: { value: crowd, unit: "/s" },
      against: { name: "one process, one caller", figure: { value: one, unit: "/s" } },
      ratio: crowd / one,
      goal: atLeast(10, crowd / one),
    },
    {
      id: "scale.crowd-rate",
      what: "… thoughts per second",
      ours: { value: crowd, unit: "/s" },
      against: { name: "the same, SQLite", figure: { value: median(rates.sqlite), unit: "/s" } },
      ratio: crowd / median(rates.sqlite),
      goal: atLeast(5_000, crowd, "/s"),
    },
    {
      id: "scale.crowd-processor",
      what: "… processor time per thought in these processes, without the database",
      ours: { value: processorMs, unit: "ms" },
    },
  ];
}

async function threeServers(bench: Bench, url: string): Promise<Line[]> {
  const tenant = randomUUID();
  const open = (command: Parameters<typeof startHttpServer>[0]) => startHttpServer(command);
  const ours = await Promise.all(
    Array.from({ length: processes }, () =>
      open(candidates.thoughtboxHttp(bench.stores.freshDirectory(), settings(url, tenant))),
    ),
  );
  const noops = await Promise.all(Array.from({ length: processes }, () => open(candidates.noopHttp())));
  try {
    const [first] = ours;
    if (!first) throw new Error("there are no servers");
    const opener = connectModern(first.url);
    const sessionId = String((await callOperation(opener, "start_new", { title: "three" })).sessionId);
    opener.close();
    const calls = bench.times(1_500);
    const spent: Record<"ours" | "noop", number[]> = { ours: [], noop: [] };
    const spentBy = (servers: typeof ours) =>
      servers.reduce((sum, { pid }) => sum + (processorTime(pid) ?? 0), 0);
    /** Opens new connections in each turn, because servers close idle ones. */
    const crowd = (servers: typeof ours, call: (client: HttpClient) => Promise<unknown>) => async () => {
      const clients = servers.map((server) => connectModern(server.url));
      const before = spentBy(servers);
      let turn = 0;
      const { perSecond } = await timeCrowd(64, calls, () => {
        turn += 1;
        return call(clients[turn % clients.length] as HttpClient);
      });
      for (const client of clients) client.close();
      const each = (spentBy(servers) - before) / calls;
      if (servers === ours) spent.ours.push(each);
      else spent.noop.push(each);
      return [perSecond];
    };
    const turns = {
      ours: crowd(ours, (client) => think(client, sessionId)),
      noop: crowd(noops, callNoop),
    };
    await interleave(1, turns);
    const measured = await interleave(bench.quick ? 2 : 5, turns);
    const ratio = ratioOf(measured.ours, measured.noop);
    return [
      {
        id: "scale.http",
        what: "thoughts per second over HTTP, 3 servers, 64 callers, PostgreSQL",
        ours: { value: p50(measured.ours), unit: "/s" },
        against: { name: "3 no-op servers", figure: { value: p50(measured.noop), unit: "/s" } },
        ratio,
        goal: atLeast(0.75, ratio),
      },
      {
        id: "scale.http-processor",
        what: "… processor time per thought in these servers, without the database",
        ours: { value: median(spent.ours), unit: "ms" },
        against: { name: "3 no-op servers", figure: { value: median(spent.noop), unit: "ms" } },
        ratio: median(spent.ours) / median(spent.noop),
      },
    ];
  } finally {
    await Promise.all([...ours, ...noops].map((server) => server.stop()));
  }
}

const draft = (sessionId: string) => ({
  draft: { sessionId, thought: someThought(), nextThoughtNeeded: true },
  timestamp: new Date().toISOString(),
  salt: "0".repeat(32),
});

const openStore = (url: string, tenant: string) =>
  createPostgresStore({ url, tenant, poolSize: 4 }, systemClock);

/** Measures the time from an acknowledgement at one server until another has read the change from its feed. */
async function changesSeen(bench: Bench, url: string): Promise<Line[]> {
  const proxy = await withoutHints(url);
  const tenant = randomUUID();
  const writer = openStore(url, tenant);
  await importShelves(writer, [{ sessions: 1, thoughts: 1 }]);
  const sessionId = sessionIdOf(0, 0);
  const seenBy = async (reader: Store, times: number): Promise<number[]> => {
    let last = await reader.feed.lastSeq();
    let seen = (_seq: number) => {};
    const look = async () => {
      const page = await reader.feed.readFeed(last, 100);
      last = page.at(-1)?.seq ?? last;
      seen(last);
    };
    const stop = reader.feed.onChange(() => void look());
    await sleep(300);
    const taken: number[] = [];
    for (let n = 0; n < times; n += 1) {
      // Write at varying times between two polls.
      await sleep(20 + ((n * 37) % 100));
      const { entry } = await writer.ledger.append(draft(sessionId));
      const acknowledged = performance.now();
      if (last < entry.seq)
        await new Promise<void>((resolve) => {
          seen = (seq) => seq >= entry.seq && resolve();
        });
      taken.push(performance.now() - acknowledged);
    }
    stop();
    return taken;
  };
  const readers = [openStore(url, tenant), openStore(proxy.url, tenant)] as const;
  try {
    const hinted = [await seenBy(readers[0], bench.times(150))];
    const polled = [await seenBy(readers[1], bench.times(150))];
    return [
      {
        id: "scale.seen",
        what: "a thought is seen by another server, with the hint",
        ours: milliseconds(hinted),
        goal: atMost(5, p50(hinted), "ms (p50)"),
      },
      {
        id: "scale.seen-polling",
        what: "… by polling alone",
        ours: milliseconds(polled),
        goal: atMost(150, p99(polled), "ms (p99)"),
      },
    ];
  } finally {
    await Promise.all([writer, ...readers].map((store) => store.close()));
    proxy.stop();
  }
}

const queries = [0, 1, 3, 10, 40, 160, 640, 2_500].flatMap((rank) => [
  wordAt(rank),
  `${wordAt(rank)} ${wordAt(rank + 1)}`,
]);

/**
 * Uses a tenth of the goal's million thoughts unless `--million` is given. Filling PostgreSQL with a million takes longer
 * than all other rows.
 */
async function rankedSearch(bench: Bench, { url, processorMs }: Database): Promise<Line[]> {
  const shelf = { sessions: bench.million ? 10_000 : bench.quick ? 100 : 1_000, thoughts: 100 };
  const directory = bench.stores.freshDirectory();
  await fillStore(directory, [shelf]);
  const sqlite = createSqliteStore({ kind: "directory", path: directory }, systemClock);
  const postgres = openStore(url, randomUUID());
  try {
    await importShelves(postgres, [shelf], 1_000);
    const client = openClient(url);
    await client.connect();
    await client.query("VACUUM ANALYZE thoughtbox.text_words");
    await client.end();
    const ask = (store: Store, query = "") =>
      store.ledger.search({
        query,
        order: "relevance",
        limit: 10,
        offset: 0,
        hideSecrets: maskForExport,
      });
    let same = 0;
    for (const query of queries) {
      const [one, other] = [await ask(sqlite, query), await ask(postgres, query)];
      if (JSON.stringify(one.hits) === JSON.stringify(other.hits)) same += 1;
    }
    const searches = (store: Store) => () => timeEach(queries.length, (n) => ask(store, queries[n]));
    const turns = { sqlite: searches(sqlite), postgres: searches(postgres) };
    await interleave(1, turns);
    const measured = await interleave(bench.times(10), turns);
    const ratio = ratioOf(measured.postgres, measured.sqlite);
    const spentBy = async (turn: () => Promise<unknown>) => {
      const [own, inDatabase] = [process.cpuUsage(), processorMs()];
      for (let n = 0; n < 5; n += 1) await turn();
      const { user, system } = process.cpuUsage(own);
      return ((user + system) / 1_000 + processorMs() - inDatabase) / (5 * queries.length);
    };
    const spent = { postgres: await spentBy(turns.postgres), sqlite: await spentBy(turns.sqlite) };
    const size = (shelf.sessions * shelf.thoughts).toLocaleString("en");
    return [
      {
        id: "scale.search",
        what: `ranked search of ${size} thoughts at the store, PostgreSQL`,
        ours: milliseconds(measured.postgres),
        against: { name: "SQLite", figure: milliseconds(measured.sqlite) },
        ratio,
        goal: atMost(2, ratio),
      },
      {
        id: "scale.search-processor",
        what: "… processor time per search, with the database",
        ours: { value: spent.postgres, unit: "ms" },
        against: { name: "SQLite", figure: { value: spent.sqlite, unit: "ms" } },
        ratio: spent.postgres / spent.sqlite,
      },
      {
        id: "scale.search-hits",
        what: `… questions of ${queries.length} with the same hits in the same order`,
        ours: { value: same / queries.length, unit: "share" },
        goal: atLeast(1, same / queries.length, ""),
      },
    ];
  } finally {
    await sqlite.close();
    await postgres.close();
  }
}

async function start(bench: Bench, url: string): Promise<Line[]> {
  const startsOf = (command: Parameters<typeof startStdioServer>[0]) => async () => {
    const began = performance.now();
    const server = startStdioServer(command);
    await server.initialize();
    await callOperation(server, "list_sessions");
    const taken = performance.now() - began;
    await server.stop();
    return [taken];
  };
  const connection = async () => {
    const client = openClient(url);
    const taken = await timeOnce(async () => {
      await client.connect();
      await client.query("SELECT 1");
    });
    await client.end();
    return [taken];
  };
  const measured = await interleave(bench.times(15), {
    postgres: startsOf(candidates.thoughtbox(bench.stores.freshDirectory(), settings(url, randomUUID()))),
    sqlite: startsOf(candidates.thoughtbox(bench.stores.freshDirectory())),
    connection,
  });
  const least = sumOf(measured.sqlite, measured.connection);
  const ratio = ratioOf(measured.postgres, least);
  return [
    {
      id: "scale.start",
      what: "spawn → list_sessions, PostgreSQL",
      ours: milliseconds(measured.postgres),
      against: { name: "SQLite + one connection", figure: milliseconds(least) },
      ratio,
      goal: atMost(1, ratio),
    },
  ];
}
