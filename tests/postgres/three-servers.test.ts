import { readFileSync } from "node:fs";
import { Agent, request as ask, createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type HttpProcess, spawnHttpServer } from "../support/http-process.ts";
import { openLegacySession, post, request } from "../support/mcp-http.ts";
import { type Era, openRemoteDoor, type RealConnection } from "../support/real-door.ts";
import { hasPostgres } from "../support/stores/postgres-server.ts";
import { storageSettings } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

/**
 * Passes every request to the next server, like nginx. Skips servers that are not ready or accept no connection, and
 * never repeats a call in progress. `keepsAlive`: connections to the servers are reused.
 */
async function startRoundRobin(servers: HttpProcess[], { keepsAlive = false } = {}) {
  const asked = new Map<string, number>();
  const unready = new Set<string>();
  let turn = 0;
  const agent = new Agent({ keepAlive: keepsAlive });
  const isReady = ({ url }: HttpProcess) => !unready.has(url.host);
  async function probe({ url }: HttpProcess): Promise<void> {
    const status = await fetch(new URL("/readyz", url)).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) unready.delete(url.host);
    else unready.add(url.host);
  }
  const probing = setInterval(() => void Promise.all(servers.map(probe)), 50);
  const proxy = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => pass(servers.length));
    function pass(tries: number): void {
      turn += 1;
      const ready = servers.filter(isReady);
      const { url } = (ready[turn % ready.length] ?? servers[turn % servers.length]) as HttpProcess;
      const { connection: _, ...headers } = { ...incoming.headers, host: url.host };
      const options = { agent, method: incoming.method, headers };
      const upstream = ask(new URL(incoming.url ?? "/", url), options, (answer) => {
        asked.set(url.host, (asked.get(url.host) ?? 0) + 1);
        const { connection: _closes, "keep-alive": _keeps, ...received } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, received);
        answer.pipe(outgoing);
      });
      upstream.on("error", (thrown: NodeJS.ErrnoException) => {
        if (thrown.code === "ECONNREFUSED" && tries > 0) return pass(tries - 1);
        outgoing.destroy(thrown);
      });
      outgoing.on("close", () => outgoing.writableFinished || upstream.destroy());
      upstream.end(Buffer.concat(chunks));
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    clearInterval(probing);
    proxy.closeAllConnections();
    proxy.close();
    agent.destroy();
  });
  const { port } = proxy.address() as { port: number };
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), asked };
}

/** Starts servers as if on separate machines: different data directories, the same database. */
async function startServers(count: number, env: Record<string, string> = {}) {
  const base = tempDir();
  const { THOUGHTBOX_DATA_DIR: _, ...settings } = storageSettings("postgres", base);
  const directories: string[] = [];
  const start = () => {
    const directory = join(base, `machine-${directories.length}`);
    directories.push(directory);
    return spawnHttpServer(directory, { ...settings, ...env });
  };
  const servers = await Promise.all(Array.from({ length: count }, start));
  return { servers, start, directories };
}

async function result(connection: RealConnection, name: string, args: object): Promise<any> {
  const reply = await connection.call(name, args);
  if (reply.kind !== "result") throw new Error(`${name} answered ${JSON.stringify(reply)}`);
  return reply.result;
}

async function connectAll(
  url: URL,
  count: number,
  era: (n: number) => Era = () => "modern",
): Promise<[RealConnection, ...RealConnection[]]> {
  const door = openRemoteDoor(url, 64);
  onTestFinished(() => door.close());
  return (await Promise.all(Array.from({ length: count }, (_, n) => door.connect(era(n))))) as [
    RealConnection,
    ...RealConnection[],
  ];
}

describe.skipIf(!hasPostgres)("three servers behind a round-robin proxy", () => {
  test("64 writers to shared sessions and one workspace get distinct numbers, valid chains and one memory", async () => {
    const { servers } = await startServers(3);
    const { url, asked } = await startRoundRobin(servers);
    const clients = await connectAll(url, 8);
    const [client] = clients;
    const sessionIds: string[] = [];
    for (const title of ["one", "other"])
      sessionIds.push((await result(client, "start_new", { title })).sessionId);
    const writers = Array.from({ length: 64 }, (_, n) => n);
    const numbers = await Promise.all(
      writers.map(async (n) => {
        const writer = clients[n % clients.length] ?? client;
        const sessionId = sessionIds[n % 2] ?? "";
        const { thoughtNumber } = await result(writer, "thought", { sessionId, thought: `by ${n}` });
        await result(writer, "notes_commit", { content: `note ${n}`, workspace: "shared" });
        return thoughtNumber as number;
      }),
    );
    expect(numbers.sort((one, other) => one - other)).toEqual(writers.map((n) => Math.floor(n / 2) + 1));
    for (const sessionId of sessionIds)
      expect(await result(client, "session.verify", { sessionId })).toMatchObject({ valid: true });
    const log = await result(client, "show", { workspace: "shared", doc: "notes", limit: 200 });
    expect(new Set(log.entries.map(({ content }: { content: string }) => content)).size).toBe(64);
    expect(asked.size, "every server was asked").toBe(3);
  });

  test("a legacy connection works on every server, with its session, stage, roots and subscriptions", async () => {
    const { servers } = await startServers(3);
    const { url, asked } = await startRoundRobin(servers);
    const door = openRemoteDoor(url, 8);
    onTestFinished(() => door.close());
    const roots = () => [{ uri: "file:///srv/shop", name: "shop" }];
    const client = await door.connect("legacy", roots);
    const other = await door.connect("legacy");
    const gateway = (operation: string, args = {}) =>
      result(client, "thoughtbox_gateway", { operation, args });
    await gateway("start_new", { title: "moves" });
    await gateway("cipher");
    const updated: string[] = [];
    client.client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      updated.push(params.uri);
    });
    const first = await gateway("thought", { thought: "by whichever server" });
    await client.client.subscribeResource({ uri: `thoughtbox://sessions/${first.sessionId}` });
    for (let n = 2; n <= 9; n += 1)
      expect(await result(client, "thought", { thought: `number ${n}` })).toMatchObject({
        sessionId: first.sessionId,
        thoughtNumber: n,
      });
    const own = await result(other, "thought", { thought: "of another connection" });
    expect(own).toMatchObject({ thoughtNumber: 1 });
    expect(own.sessionId).not.toBe(first.sessionId);
    expect(await gateway("list_roots")).toMatchObject({ roots: [{ uri: "file:///srv/shop" }] });
    await expect
      .poll(
        async () => {
          await result(client, "thought", { thought: "heard of" });
          return updated;
        },
        { timeout: 20_000, interval: 200 },
      )
      .toContain(`thoughtbox://sessions/${first.sessionId}`);
    expect(asked.size, "every server was asked").toBe(3);
  });

  test("a legacy connection that its client ended is unknown to every server", async () => {
    const { servers } = await startServers(3);
    const session = await openLegacySession((servers[0] as HttpProcess).url);
    const statuses = () =>
      Promise.all(
        servers.map(async (server) => {
          const answer = await post(server.url, request(1, "tools/list"), session);
          await answer.text();
          return answer.status;
        }),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    await fetch((servers[1] as HttpProcess).url, { method: "DELETE", headers: session });
    expect(await statuses()).toEqual([404, 404, 404]);
  });

  const restarts = [
    { era: "modern", keepsAlive: false },
    { era: "modern", keepsAlive: true },
    { era: "legacy", keepsAlive: false },
    { era: "legacy", keepsAlive: true },
  ] as const;
  test.each(restarts)(
    "a rolling restart fails no call of $era clients, connections kept: $keepsAlive",
    async ({ era, keepsAlive }) => {
      const { servers, start } = await startServers(3);
      const { url } = await startRoundRobin(servers, { keepsAlive });
      const clients = await connectAll(url, 4, () => era);
      const [client] = clients;
      const { sessionId } = await result(client, "start_new", { title: "rolling" });
      let isOver = false;
      let written = 0;
      const writing = Promise.all(
        clients.map(async (writer) => {
          while (!isOver) {
            await result(writer, "thought", { sessionId, thought: `${written}` });
            written += 1;
          }
        }),
      );
      for (const n of [0, 1, 2]) {
        const old = servers[n] as HttpProcess;
        const from = written;
        old.child.kill("SIGTERM");
        expect(await old.exited).toBe(0);
        servers[n] = await start();
        await expect.poll(() => written, { timeout: 30_000 }).toBeGreaterThan(from);
      }
      isOver = true;
      await writing;
      expect(await result(client, "session.verify", { sessionId })).toMatchObject({
        valid: true,
        chain: { length: written },
      });
    },
  );

  test("every server accepts only the token of the first one", async () => {
    const { servers, directories } = await startServers(3, { THOUGHTBOX_AUTH: "token" });
    const isLate = servers.map(({ stderr }) => /is not accepted, because another server/.test(stderr()));
    expect(isLate.filter((late) => !late)).toHaveLength(1);
    const ask = async ({ url }: HttpProcess, directory: string) => {
      const authorization = `Bearer ${readFileSync(join(directory, "token"), "utf8").trim()}`;
      return (await fetch(url, { method: "POST", headers: { authorization } })).status === 401;
    };
    for (const server of servers)
      expect(await Promise.all(directories.map((directory) => ask(server, directory)))).toEqual(isLate);
  });
});
