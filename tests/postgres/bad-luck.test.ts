import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../support/cli.ts";
import {
  connect,
  createDatabase,
  databaseUrl,
  hasPostgres,
  serverUrl,
} from "../support/stores/postgres-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp } from "../support/test-app.ts";

const password = "sesame-opens-nothing";
const unique = `${process.pid}_${Date.now().toString(36)}`;

async function inDatabase(url: string, ...statements: string[]): Promise<void> {
  const client = await connect(url);
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Creates a separate database for the case, prepared by its owner. */
async function prepared(name: string, ...statements: string[]): Promise<string> {
  const url = createDatabase(`tb_${name}_${unique}`);
  await inDatabase(url, ...statements);
  return url;
}

/** Creates a database with tables, as after the owner's first call. */
async function withTables(name: string, ...statements: string[]): Promise<string> {
  const url = createDatabase(`tb_${name}_${unique}`);
  const app = createTestApp({ backend: "postgres", env: { DATABASE_URL: url } });
  await app.modern().call("start_new");
  await app.close();
  await inDatabase(url, ...statements);
  return url;
}

const asRole = (url: string, role: string): string => url.replace("//thoughtbox@", `//${role}:${password}@`);

/** Listens like a database server and answers with `answer`. */
async function impostor(answer: (chunk: Buffer) => string | undefined): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const said = answer(chunk);
      if (said === undefined) socket.destroy();
      else socket.write(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return `postgres://someone:${password}@127.0.0.1:${port}/thoughts`;
}

type Case = [what: string, url: () => Promise<string>, message: RegExp, hint: RegExp];

const cases: readonly Case[] = [
  [
    "a wrong password",
    async () => serverUrl("postgres", { user: "thoughtbox", password }),
    /refuses the user or the password/,
    /Correct DATABASE_URL/,
  ],
  [
    "an unknown user",
    async () => serverUrl("postgres", { user: "nobody_here", password }),
    /refuses the user or the password/,
    /Correct DATABASE_URL/,
  ],
  [
    "an unknown database",
    async () => databaseUrl().replace(/\/thoughtbox_[^?]+/, "/nowhere"),
    /database in DATABASE_URL does not exist/,
    /createdb/,
  ],
  [
    "a server that is too old",
    () =>
      prepared(
        "old",
        "CREATE SCHEMA aged",
        `CREATE FUNCTION aged.current_setting(name text) RETURNS text LANGUAGE sql
          AS $$ SELECT CASE name WHEN 'server_version_num' THEN '130004' ELSE pg_catalog.current_setting(name) END $$`,
        `ALTER DATABASE tb_old_${unique} SET search_path = aged, pg_catalog, public`,
      ),
    /is PostgreSQL 13.*needs 14 or newer/,
    /Upgrade the server/,
  ],
  [
    "a newer schema",
    () => withTables("newer", "INSERT INTO thoughtbox.schema_versions (version) VALUES (99)"),
    /newer Thoughtbox \(schema 99/,
    /Update thoughtbox/,
  ],
  [
    "an older schema that the user cannot change",
    async () => {
      const url = await withTables(
        "older",
        "DELETE FROM thoughtbox.schema_versions WHERE version > 1",
        `CREATE ROLE runtime_${unique} LOGIN PASSWORD '${password}'`,
        `GRANT USAGE ON SCHEMA thoughtbox TO runtime_${unique}`,
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA thoughtbox TO runtime_${unique}`,
      );
      return asRole(url, `runtime_${unique}`);
    },
    /has schema 1, but this Thoughtbox needs \d+/,
    /owner/,
  ],
  [
    "an empty database in which the user cannot create anything",
    async () => {
      const url = await prepared(
        "empty",
        `CREATE ROLE visitor_${unique} LOGIN PASSWORD '${password}'`,
        `REVOKE CREATE ON DATABASE tb_empty_${unique} FROM PUBLIC`,
      );
      return asRole(url, `visitor_${unique}`);
    },
    /no Thoughtbox tables yet/,
    /owner/,
  ],
  [
    "a user without rights on the tables",
    async () => {
      const url = await withTables(
        "rights",
        `CREATE ROLE guest_${unique} LOGIN PASSWORD '${password}'`,
        `GRANT USAGE ON SCHEMA thoughtbox TO guest_${unique}`,
        `GRANT SELECT ON thoughtbox.schema_versions TO guest_${unique}`,
      );
      return asRole(url, `guest_${unique}`);
    },
    /lacks a privilege/,
    /Grant the user SELECT, INSERT, UPDATE and DELETE/,
  ],
  [
    "a user without access to the schema",
    async () => {
      const url = await withTables("shut", `CREATE ROLE shut_${unique} LOGIN PASSWORD '${password}'`);
      return asRole(url, `shut_${unique}`);
    },
    /lacks a privilege/,
    /Grant the user SELECT, INSERT, UPDATE and DELETE/,
  ],
  [
    "a database that is set to read only",
    () =>
      withTables("readonly", `ALTER DATABASE tb_readonly_${unique} SET default_transaction_read_only = on`),
    /is read-only\. It may be a replica/,
    /primary/,
  ],
  [
    "an encoding that cannot store every text",
    async () => {
      await inDatabase(
        serverUrl("postgres"),
        `CREATE DATABASE tb_latin_${unique} ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'`,
      );
      return serverUrl(`tb_latin_${unique}`);
    },
    /stores text as LATIN1/,
    /UTF8/,
  ],
  [
    "a user without connections",
    async () => {
      const url = await withTables(
        "full",
        `CREATE ROLE full_${unique} LOGIN PASSWORD '${password}' CONNECTION LIMIT 0`,
      );
      return asRole(url, `full_${unique}`);
    },
    /accepts no more connections/,
    /THOUGHTBOX_POOL_SIZE/,
  ],
  [
    "a port without a listener",
    async () => `postgres://someone:${password}@127.0.0.1:9/thoughts`,
    /cannot be reached/,
    /Check that the database is running/,
  ],
  [
    "a host without an address",
    async () => `postgres://someone:${password}@nowhere.invalid/thoughts`,
    /cannot be reached/,
    /Check that the database is running/,
  ],
  [
    "a server that hangs up",
    () => impostor(() => undefined),
    /cannot be reached/,
    /Check that the database is running/,
  ],
  [
    "a server that is not a database",
    () => impostor(() => "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
    /cannot be reached/,
    /DATABASE_URL is correct/,
  ],
  [
    "TLS that the server does not support",
    async () => `${serverUrl("postgres", { user: "thoughtbox", password })}?sslmode=require`,
    /TLS/,
    /sslmode/,
  ],
  [
    "an address that cannot be decoded",
    async () => "postgres://%zz:%zz@localhost/thoughts",
    /DATABASE_URL/,
    /postgres:\/\/user:password@host/,
  ],
];

/** Returns the flaws in what callers see in this case. */
async function findFlaws([what, makeUrl, message, hint]: Case): Promise<string[]> {
  const env = { DATABASE_URL: await makeUrl(), THOUGHTBOX_STORAGE: "postgres" };
  const [error, said] = await Promise.all([
    createTestApp({ backend: "postgres", env }).modern().refusal("start_new"),
    runCommand("thoughtbox call start_new", { dataDir: tempDir(), env }),
  ]);
  const shown = JSON.stringify(error) + said.err + said.out;
  const flaws: [boolean, string][] = [
    [!["STORAGE_ERROR", "INVALID_PAYLOAD"].includes(error.code), `is ${error.code}`],
    [!message.test(error.message), `is called: ${error.message}`],
    [!hint.test(error.recovery?.hint ?? ""), `advises: ${error.recovery?.hint}`],
    [said.code === 0 || !message.test(said.err), `is at a terminal (${said.code}): ${said.err}`],
    [shown.includes(password), "shows the password"],
    [
      /\n\s+at |postgres:\/\/(?!user:password@host)|SELECT count|127\.0\.0\.1/.test(shown),
      `shows its inside: ${shown}`,
    ],
  ];
  return flaws.flatMap(([isWrong, flaw]) => (isWrong ? [`${what} ${flaw}`] : []));
}

// Runs all cases at once, because some are retried for ten seconds before they fail.
test.skipIf(!hasPostgres)(
  "every fault of the database is reported in one clear sentence, without its address",
  async () => {
    const flaws = await Promise.all(cases.map(findFlaws));
    expect(flaws).toHaveLength(cases.length);
    expect(flaws.flat()).toEqual([]);
  },
);
