import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./candidates.ts";
import { processorTime } from "./processor-time.ts";

const script = join(root, "scripts", "postgres-server.mjs");
const require = createRequire(import.meta.url);

export type BareClient = {
  connect(): Promise<unknown>;
  query(question: string | { text: string; name: string; values: unknown[] }): Promise<unknown>;
  end(): Promise<void>;
};

/** Opens a connection with only the client library. */
export function openClient(url: string): BareClient {
  const { Client } = require("pg") as { Client: new (options: { connectionString: string }) => BareClient };
  return new Client({ connectionString: url });
}

export type Database = {
  url: string;
  /** Returns the processor time of the server's connections so far, in milliseconds. */
  processorMs(): number;
  stop(): Promise<void>;
};

/**
 * Starts a server as in production, with `fsync`. The server stops when the benchmark ends. Returns
 * `undefined` if PostgreSQL is not installed.
 */
export async function startPostgres(): Promise<Database | undefined> {
  const directory = mkdtempSync(join(tmpdir(), "thoughtbox-bench-pg-"));
  rmSync(directory, { recursive: true });
  const run = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [script, ...args], { stdio: ["ignore", "ignore", "ignore"] });
  const code = await ended(run("start", directory, String(process.pid), "durable"));
  if (code !== 0) return undefined;
  const { port } = JSON.parse(readFileSync(join(directory, "options.json"), "utf8")) as { port: number };
  return {
    url: `postgres://thoughtbox@/postgres?host=${directory}&port=${port}`,
    processorMs: () => timeOfConnections(directory),
    // A guard process that was started with the server stops the remaining processes.
    stop: async () => void (await ended(run("crash", directory))),
  };
}

function timeOfConnections(directory: string): number {
  const [server] = readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n");
  const children = readFileSync(`/proc/${server}/task/${server}/children`, "utf8").trim().split(" ");
  return children.reduce((sum, pid) => sum + (processorTime(Number(pid)) ?? 0), 0);
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.on("exit", resolve));

/** Starts a proxy to the same database. LISTEN does not work through the proxy, as behind a pooler. */
export async function withoutHints(url: string): Promise<{ url: string; stop(): void }> {
  const parameters = new URLSearchParams(url.split("?")[1] ?? "");
  const path = `${parameters.get("host")}/.s.PGSQL.${parameters.get("port")}`;
  const server = createServer((client) => {
    const upstream = dial(path);
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", cut).on("close", cut);
    client.on("data", (sent) => (sent.includes("LISTEN thoughtbox") ? cut() : upstream.write(sent)));
    upstream.on("data", (answered) => client.write(answered));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    // `pg_hba.conf` requires a password over loopback, so the proxy connects to the socket.
    url: `postgres://thoughtbox@127.0.0.1:${port}/postgres`,
    stop: () => void server.close(),
  };
}
