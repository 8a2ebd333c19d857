import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
// @ts-expect-error: a plain JavaScript file.
import { findPostgres } from "../../../scripts/postgres-server.mjs";

const script = join(import.meta.dirname, "..", "..", "..", "scripts", "postgres-server.mjs");
const named = process.env["THOUGHTBOX_TEST_DATABASE_URL"];

/** Whether there is a server, or one can be started. If there is none, tests with PostgreSQL are skipped. */
export const hasPostgres: boolean = named !== undefined || findPostgres() !== undefined;

/** All workers in a run share one server, which stops with the run. */
const runPid = process.env["VITEST"] === undefined ? process.pid : process.ppid;
const directory = join("/tmp", `thoughtbox-pg-${runPid}`);

type Query = { query(text: string): Promise<{ rows: Record<string, unknown>[] }>; end(): Promise<void> };

/** Starts the server in the first worker. The other workers wait. */
function startOnce(): void {
  if (existsSync(join(directory, "ready"))) return;
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    while (!existsSync(join(directory, "ready")))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    return;
  }
  const { status, stderr } = spawnSync(process.execPath, [script, "start", directory, String(runPid)], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`PostgreSQL could not be started: ${stderr}`);
}

/** Returns the address of a database on the server, as its owner. */
function urlOf(database: string): string {
  if (named !== undefined) return named.replace(/(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${database}`);
  const { port } = JSON.parse(readFileSync(join(directory, "options.json"), "utf8"));
  return `postgres://thoughtbox@/${database}?host=${directory}&port=${port}`;
}

export async function connect(url: string): Promise<Query> {
  const { Client } = createRequire(import.meta.url)("pg");
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** This worker's own database. Each test has its own tenant, as it has its own directory with other stores. */
let ofWorker: string | undefined;

export function databaseUrl(): string {
  if (ofWorker !== undefined) return ofWorker;
  if (named === undefined) startOnce();
  const name = `thoughtbox_${process.pid}_${randomUUID().slice(0, 8)}`;
  createDatabase(name);
  ofWorker = urlOf(name);
  return ofWorker;
}

/** Returns the address of a database, as its owner, or over the network as another user. */
export function serverUrl(database: string, login?: { user: string; password: string }): string {
  databaseUrl();
  if (!login) return urlOf(database);
  if (named !== undefined)
    return urlOf(database).replace(/\/\/[^@/]*@/, `//${login.user}:${login.password}@`);
  const { port } = JSON.parse(readFileSync(join(directory, "options.json"), "utf8"));
  return `postgres://${login.user}:${login.password}@127.0.0.1:${port}/${database}`;
}

/** Returns the address of a database that does not exist. */
export function missingDatabase(): string {
  databaseUrl();
  return urlOf("thoughtbox_nowhere");
}

/** Creates a database from another process, because stores are opened synchronously. */
export function createDatabase(name: string): string {
  const program = `const { Client } = require("pg"); const client = new Client({ connectionString: process.argv[1] });
    client.connect().then(() => client.query("CREATE DATABASE " + process.argv[2])).then(() => client.end());`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", program, urlOf("postgres"), name], {
    encoding: "utf8",
    cwd: import.meta.dirname,
  });
  if (status !== 0) throw new Error(`a database could not be made: ${stderr}`);
  return urlOf(name);
}

/** Stores on PostgreSQL use a tenant instead of a directory. */
export const tenantOf = (path: string): string =>
  `t${createHash("sha256").update(path).digest("hex").slice(0, 24)}`;
