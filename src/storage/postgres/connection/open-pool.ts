import { storageFailure } from "../../../ports/storage-failures.ts";
import type { MigrationOptions, MigrationReport } from "../../../ports/store.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import type { Client } from "./driver.ts";
import { grantRuntime, migrate, newestSchema, readSchema, refuseNewer } from "./migrate.ts";
import { createPool, type Pool } from "./pool.ts";
import { toStorageError } from "./postgres-errors.ts";

export type PostgresOptions = {
  url: string;
  tenant: string;
  /** Connections at most. */
  poolSize: number;
  /** Notices for the operator of the store. */
  log?(line: string): void;
};

const oldestVersion = 140_000;

/** Opened and looked at by the first call. If that fails, the next call tries again. */
export function createConnector({ url, poolSize, log = () => {} }: PostgresOptions) {
  let pool: Pool | undefined;
  let ready: Promise<void> | undefined;
  let isClosed = false;

  async function inspect(): Promise<void> {
    const lease = await openPool().take();
    try {
      await checkServer(lease.client, log);
      await bringUpToDate(lease.client);
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
    /** Brings the tables up to date, or only looks. */
    async migrate({ check, grant }: MigrationOptions): Promise<MigrationReport> {
      const pool = openPool();
      try {
        const { client, release } = await pool.take();
        try {
          await checkServer(client, log);
          const from = await readSchema(client);
          refuseNewer(from);
          if (!check && from < newestSchema) await bringUpToDate(client);
          if (!check && grant !== undefined) await grantRuntime(client, grant);
          return { from, to: newestSchema };
        } finally {
          release();
        }
      } catch (thrown) {
        throw toStorageError(thrown);
      }
    },
    /** `undefined` before the first call. */
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
        `thoughtbox: the database runs with ${setting === "fsync" ? "fsync" : "synchronous_commit"} off: a power cut loses acknowledged thoughts\n`,
      );
}

/** A role that may not create tables needs an owner who has created them. */
async function bringUpToDate(client: Client): Promise<void> {
  const schema = await readSchema(client);
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
