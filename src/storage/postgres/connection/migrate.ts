import { storageFailure } from "../../../ports/storage-failures.ts";
import type { Client } from "./driver.ts";
import {
  actionTables,
  agentTable,
  capturedTables,
  clearedFocus,
  connectionTable,
  lookingBack,
  notebookQueues,
  placedTexts,
  placesOfWords,
  refusedCalls,
  remarkTable,
  runningCalls,
  settledAhead,
} from "./later-schemas.ts";
import { firstSchema } from "./schema.ts";
import { schemaName } from "./statements.ts";

/** Migration n produces schema n. Never edit a migration that was released. */
export const migrations: readonly string[] = [
  firstSchema,
  actionTables,
  settledAhead,
  capturedTables,
  lookingBack,
  agentTable,
  connectionTable,
  remarkTable,
  refusedCalls,
  placedTexts,
  clearedFocus,
  placesOfWords,
  runningCalls,
  notebookQueues,
];

/** The schema that this program writes. */
export const newestSchema = migrations.length;

const missing = new Set<unknown>(["42P01", "3F000"]);

/** Returns 0 if there is no schema. In that case, a transaction around this call fails. */
export async function readSchema(client: Client): Promise<number> {
  try {
    const found = await client.query(`SELECT max(version) AS version FROM ${schemaName}.schema_versions`);
    return Number(found.rows[0]?.["version"] ?? 0);
  } catch (thrown) {
    if (missing.has((thrown as { code?: unknown }).code)) return 0;
    throw thrown;
  }
}

async function readSchemaSafely(client: Client): Promise<number> {
  const table = await client.query(
    `SELECT to_regclass('${schemaName}.schema_versions') IS NOT NULL AS is_there`,
  );
  return table.rows[0]?.["is_there"] === 1 ? readSchema(client) : 0;
}

/**
 * Runs all missing migrations or none. If many servers start at once, the first one migrates and the others
 * wait.
 */
export async function migrate(client: Client): Promise<{ from: number; to: number }> {
  await client.query("BEGIN");
  try {
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('${schemaName} schema'))`);
    const from = await readSchemaSafely(client);
    refuseNewer(from);
    if (from < newestSchema) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schemaName};
        CREATE TABLE IF NOT EXISTS ${schemaName}.schema_versions (version bigint PRIMARY KEY, at timestamptz DEFAULT now())`);
      for (const [n, migration] of migrations.slice(from).entries()) {
        await client.query(migration);
        await client.query(`INSERT INTO ${schemaName}.schema_versions (version) VALUES (${from + n + 1})`);
      }
    }
    await client.query("COMMIT");
    return { from, to: newestSchema };
  } catch (thrown) {
    await client.query("ROLLBACK").catch(() => {});
    throw thrown;
  }
}

/** Lets a role read and write without owning anything. */
export async function grantRuntime(client: Client, role: string): Promise<void> {
  const to = `TO "${role.replaceAll('"', '""')}"`;
  const rows = "SELECT, INSERT, UPDATE, DELETE";
  await client.query(`GRANT USAGE ON SCHEMA ${schemaName} ${to};
    GRANT ${rows} ON ALL TABLES IN SCHEMA ${schemaName} ${to};
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schemaName} ${to};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schemaName} GRANT ${rows} ON TABLES ${to};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schemaName} GRANT USAGE ON SEQUENCES ${to}`);
}

export function refuseNewer(schema: number): void {
  if (schema > newestSchema) throw storageFailure("schema_newer", { schema, newest: newestSchema });
}
