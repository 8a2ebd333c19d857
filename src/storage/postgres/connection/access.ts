import { AsyncLocalStorage } from "node:async_hooks";
import { type Client, type Found, sendTogether } from "./driver.ts";
import type { Pool } from "./pool.ts";
import { isContention, isLost, isUnprepared, toStorageError } from "./postgres-errors.ts";
import { type Prepared, type Statement, statementsFor, type Value } from "./statements.ts";

/** One tenant's transaction. */
export type Connection = {
  tenant: string;
  sql(text: string): Statement;
  /** The results of earlier lookups. Set only in a read-only transaction, where they cannot change. */
  found?: Map<string, Promise<unknown>>;
};

/** Runs `find` once for all reads in the same transaction and returns its result. */
export function rememberIn<Found>(
  { found }: Connection,
  name: string,
  find: () => Promise<Found>,
): Promise<Found> {
  const known = found?.get(name);
  if (known !== undefined) return known as Promise<Found>;
  const asked = find();
  found?.set(name, asked);
  return asked;
}

/** A write transaction. It has locked the tenant's row, so no other server can assign numbers. */
export type WriteConnection = Connection & {
  /** The last number assigned, including in this transaction. */
  last: number;
  /** The last number that statements in this transaction see in the tenant's row. */
  told: number;
  /** The first number that a large merge has reserved. */
  mergeFrom: number | undefined;
  /** The version of the tenant's row, which changes with every commit by any server. */
  version: number;
  /** Sends a write without waiting for its answer. The commit waits for all such writes. */
  send(write: Promise<unknown>): void;
  /** The writes that the commit waits for. A rollback to a savepoint removes those sent after the savepoint. */
  sent: Promise<unknown>[];
  /** Commits these parts as one statement. Does nothing and returns false if anything else has been sent. */
  sendWhole(parts: readonly Part[]): boolean;
};

/** A statement that can be part of a larger one, with its values. */
export type Part = { text: string; values: readonly Value[] };

/** Runs work in a write transaction that may also contain the work of other calls. */
export type WithWrite = <Result>(work: (connection: WriteConnection) => Promise<Result>) => Promise<Result>;

/** Runs work in a transaction that sees one snapshot. The work may be restarted. */
export type WithConnection = <Result>(
  work: (connection: Connection) => Promise<Result> | Result,
) => Promise<Result>;

const [retriesForMs, readTimeoutMs] = [10_000, 60_000];

/**
 * `byName` is false behind a pooler, which may use a different connection for each transaction. In that case, no
 * statement is prepared by name.
 */
export type Naming = { byName: boolean };

export const asker =
  (client: Client, naming: Naming) =>
  ({ text, name }: Prepared, values: unknown[]): Promise<Found> =>
    client.query(naming.byName ? { text, values, name } : { text, values });

/** Runs work and retries temporary failures until the time limit. */
export async function persist<Result>(
  naming: Naming,
  work: () => Promise<Result>,
  patienceMs = retriesForMs,
): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (let pause = 5; ; pause = Math.min(pause * 2, 500)) {
    try {
      return await work();
    } catch (thrown) {
      if (isUnprepared(thrown) && naming.byName) naming.byName = false;
      else if (!(isContention(thrown) || isLost(thrown)) || performance.now() > deadline) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}

async function worded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw toStorageError(thrown);
  }
}

/**
 * Requires generic plans and turns off compilation. If the statistics do not cover a tenant yet, a custom
 * plan reads all of its rows for each value (0191). Compiling a short statement takes longer than running it.
 */
export const planning = "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL jit = off";

const beginRead = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${readTimeoutMs}; ${planning}`;

const beginAside = `BEGIN; SET LOCAL lock_timeout = ${retriesForMs}; SET LOCAL statement_timeout = ${retriesForMs}`;

/**
 * Writes data that needs no number, in one round trip and without the tenant's lock. The work sends all its statements
 * before it awaits any, and may be restarted. If it refuses a value, nothing is written.
 */
export function createSideWriter({ pool, tenant, naming }: ReadOptions): WithConnection {
  return (work) =>
    worded(() =>
      persist(naming, async () => {
        const { client, release } = await (await pool()).take();
        try {
          sendTogether(client);
          const begun = client.query(beginAside);
          const written = (async () => work({ tenant, sql: statementsFor(tenant, asker(client, naming)) }))();
          begun.catch(() => {});
          let end = "COMMIT";
          written.catch(() => {
            end = "ROLLBACK";
          });
          // By the next tick, promises that wait for no answer have settled, and the packet has not been sent yet.
          await new Promise<void>((resolve) => process.nextTick(resolve));
          const committed = client.query(end);
          committed.catch(() => {});
          await begun;
          const result = await written;
          await committed;
          release();
          return result;
        } catch (thrown) {
          release(isLost(thrown));
          throw thrown;
        }
      }),
    );
}

type ReadOptions = { pool(): Promise<Pool>; tenant: string; naming: Naming; patienceMs?: number };

/**
 * Creates a reader. All reads in one call see one snapshot. Sends BEGIN together with the first statement,
 * and COMMIT after the last one without waiting for its answer.
 */
export function createReader({ pool, tenant, naming, patienceMs }: ReadOptions) {
  const shared = new AsyncLocalStorage<Connection>();
  let sharing = 0;

  /**
   * Shares a connection with all reads in `work`. Enables the AsyncLocalStorage only for that time, because
   * Node.js 20 calls hooks for every promise while one is enabled.
   */
  async function share<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
    sharing += 1;
    try {
      return await shared.run(connection, work);
    } finally {
      sharing -= 1;
      if (sharing === 0) shared.disable();
    }
  }

  async function begin() {
    const lease = await (await pool()).take();
    sendTogether(lease.client);
    const begun = lease.client.query(beginRead);
    begun.catch(() => {});
    return { ...lease, begun };
  }

  async function inTransaction<Result>(
    { client, release, begun }: Awaited<ReturnType<typeof begin>>,
    work: (connection: Connection) => Promise<Result> | Result,
  ): Promise<Result> {
    try {
      const found = await work({
        tenant,
        sql: statementsFor(tenant, asker(client, naming)),
        found: new Map(),
      });
      await begun;
      client.query("COMMIT").catch(() => {});
      release();
      return found;
    } catch (thrown) {
      if (isLost(thrown)) release(true);
      else {
        client.query("ROLLBACK").catch(() => {});
        release();
      }
      throw thrown;
    }
  }

  /** Begins a transaction and waits for the answer, because the work cannot be retried later. */
  const beginSurely = () =>
    persist(naming, async () => {
      const lease = await begin();
      try {
        await lease.begun;
        return lease;
      } catch (thrown) {
        lease.release(true);
        throw thrown;
      }
    });

  const read: WithConnection = (select) => {
    const connection = shared.getStore();
    return worded(async () =>
      connection
        ? select(connection)
        : persist(naming, async () => inTransaction(await begin(), select), patienceMs),
    );
  };
  return {
    read,
    /** Runs all reads in `work` in one transaction, so that they see one snapshot. */
    together: <Result>(work: () => Promise<Result>): Promise<Result> =>
      shared.getStore()
        ? work()
        : worded(async () => inTransaction(await beginSurely(), (connection) => share(connection, work))),
  };
}
