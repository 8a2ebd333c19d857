import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { storageFailure } from "../../../ports/storage-failures.ts";
import type { MigrationOptions, MigrationReport } from "../../../ports/store.ts";
import type { Client } from "./driver.ts";
import { grantRuntime, migrate, newestSchema, readSchema, refuseNewer } from "./migrate.ts";
import { createPool, type Pool } from "./pool.ts";
import { toStorageError } from "./postgres-errors.ts";

export type Target = {
  hosts: readonly { host: string; port: number }[];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  ssl: boolean | ConnectionOptions;
};

const form = /^postgres(?:ql)?:\/\/(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;

/** Parses the URL as libpq does: several hosts separated by commas, or a socket directory as the `host` parameter. */
function parseDatabaseUrl(url: string): Target {
  const [, login = "", places = "", path = "", query = ""] = form.exec(url) ?? [];
  if (!form.test(url)) throw storageFailure("database_url_refused", {});
  const [user, password] = login.split(/:(.*)/s, 2).map(decode);
  const parameters = new URLSearchParams(query);
  const fallback = Number(parameters.get("port") ?? 5432);
  const hosts = (parameters.get("host") ?? (places || "localhost")).split(",").map((place) => {
    const [, name = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(place) ?? ["", place];
    return { host: name.replace(/^\[|\]$/g, ""), port: port === undefined ? fallback : Number(port) };
  });
  return {
    hosts,
    user: user || parameters.get("user") || undefined,
    password: password || parameters.get("password") || undefined,
    database: path === "" ? undefined : decode(path),
    ssl: sslFor(parameters.get("sslmode") ?? "disable", parameters.get("sslrootcert")),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw storageFailure("database_url_refused", {});
  }
}

/** Returns TLS options. As in libpq, `require` does not verify the server, and `verify-ca` ignores its name. */
function sslFor(mode: string, authority: string | null): Target["ssl"] {
  const trusted = authority !== null && mode.startsWith("verify") ? { ca: readAuthority(authority) } : {};
  switch (mode) {
    case "verify-ca":
      return { ...trusted, checkServerIdentity: () => undefined };
    case "verify-full":
      return trusted;
    case "require":
      return { rejectUnauthorized: false };
    default:
      return false;
  }
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw storageFailure("store_failed", { trouble: "no_tls" }, cause);
  }
}

export type PostgresOptions = {
  url: string;
  tenant: string;
  /** The maximum number of connections. */
  poolSize: number;
  /** Shows a notice to the operator of the store. */
  log?(line: string): void;
};

const oldestVersion = 140_000;

/** Creates a connector. Its first call opens and checks the database. If that fails, the next call tries again. */
export function createConnector({ url, poolSize, log = () => {} }: PostgresOptions) {
  let pool: Pool | undefined;
  let ready: Promise<void> | undefined;
  let isClosed = false;

  async function inspect(): Promise<void> {
    const lease = await openPool().take();
    try {
      const schema = readSchema(lease.client);
      schema.catch(() => {});
      await checkServer(lease.client, log);
      await bringUpToDate(lease.client, await schema);
    } finally {
      lease.release();
    }
  }

  function openPool(): Pool {
    pool ??= createPool(parseDatabaseUrl(url), poolSize, async () => {});
    return pool;
  }

  return {
    async pool(): Promise<Pool> {
      if (isClosed) throw storageFailure("store_closed", {});
      ready ??= inspect();
      try {
        await ready;
      } catch (thrown) {
        ready = undefined;
        throw thrown;
      }
      return openPool();
    },
    /** Migrates the tables, or only checks them. */
    async migrate({ check, grant }: MigrationOptions): Promise<MigrationReport> {
      const pool = openPool();
      try {
        const { client, release } = await pool.take();
        try {
          await checkServer(client, log);
          const from = await readSchema(client);
          refuseNewer(from);
          if (!check) await bringUpToDate(client, from);
          if (!check && grant !== undefined) await grantRuntime(client, grant);
          return { from, to: newestSchema };
        } finally {
          release();
        }
      } catch (thrown) {
        throw toStorageError(thrown);
      }
    },
    /** Returns the pool, or `undefined` before the first call. */
    opened: () => pool,
    async close(): Promise<void> {
      isClosed = true;
      await pool?.close();
    },
  };
}

async function checkServer(client: Client, log: (line: string) => void): Promise<void> {
  const { rows } = await client.query(`SELECT current_setting('server_version_num')::bigint AS version,
    current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
    current_setting('synchronous_commit') AS synchronous`);
  const [row] = rows;
  const version = Number(row?.["version"]);
  if (version < oldestVersion)
    throw storageFailure("server_too_old", { version: Math.floor(version / 10_000) });
  if (row?.["encoding"] !== "UTF8")
    throw storageFailure("encoding_refused", { encoding: String(row?.["encoding"]) });
  for (const setting of ["fsync", "synchronous"] as const)
    if (row?.[setting] === "off")
      log(
        `thoughtbox: the database runs with ${setting === "fsync" ? "fsync" : "synchronous_commit"} off, so a power cut can lose acknowledged thoughts\n`,
      );
}

/** Runs missing migrations. Throws if the role may not create tables, because then the owner must run them. */
async function bringUpToDate(client: Client, schema: number): Promise<void> {
  refuseNewer(schema);
  if (schema === newestSchema) return;
  try {
    await migrate(client);
  } catch (thrown) {
    const code = (thrown as { code?: unknown }).code;
    if (code !== "42501" && code !== "25006") throw thrown;
    throw storageFailure("schema_older", { schema, newest: newestSchema });
  }
}
