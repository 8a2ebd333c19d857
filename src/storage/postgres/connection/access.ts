import { AsyncLocalStorage } from "node:async_hooks";
import { type Client, type Found, sendTogether } from "./driver.ts";
import type { Pool } from "./pool.ts";
import { isContention, isLost, isUnprepared, toStorageError } from "./postgres-errors.ts";
import { type Prepared, type Statement, statementsFor } from "./statements.ts";

/** One transaction of one tenant. */
export type Connection = {
  tenant: string;
  sql(text: string): Statement;
  /** What was found before in a transaction that only reads: there it cannot change. */
  found?: Map<string, Promise<unknown>>;
};

/** Asks once for what a read of one moment needs again and again. */
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

/** A transaction that writes: it has locked the tenant's row, so no other server assigns numbers. */
export type WriteConnection = Connection & {
  /** The last number given out, in this transaction too. */
  last: number;
  /** The last number that the row of the tenant has, for statements of this transaction. */
  told: number;
  /** Where the numbers begin that a large merge keeps for itself. */
  mergeFrom: number | undefined;
  /** Changes with every commit of the tenant, by whichever server. */
  version: number;
  /** Sends a write along without waiting for its answer; the commit waits for all of them. */
  send(write: Promise<unknown>): void;
};

/** Runs work as one of a batch that is committed together. */
export type WithWrite = <Result>(work: (connection: WriteConnection) => Promise<Result>) => Promise<Result>;

/** Runs work in a transaction. It is of one moment and may run again. */
export type WithConnection = <Result>(
  work: (connection: Connection) => Promise<Result> | Result,
) => Promise<Result>;

const [retriesForMs, readTimeoutMs] = [10_000, 60_000];

/** A pooler may hand out another connection for each transaction: then nothing is prepared by name. */
export type Naming = { byName: boolean };

export const asker =
  (client: Client, naming: Naming) =>
  ({ text, name }: Prepared, values: unknown[]): Promise<Found> =>
    client.query(naming.byName ? { text, values, name } : { text, values });

/** Retries while that can help and the time limit is not reached. */
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
 * A plan for any value: one for a tenant that the statistics do not know yet reads all its rows for each of them (0191).
 * Our statements are short, and compiling one takes longer than running it.
 */
export const planning = "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL jit = off";

const beginRead = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${readTimeoutMs}; ${planning}`;

const beginAside = `BEGIN; SET LOCAL lock_timeout = ${retriesForMs}; SET LOCAL statement_timeout = ${retriesForMs}`;

/**
 * Writes what has no place in the order of the tenant, in one round trip and without its lock. The work sends all its
 * statements before it awaits any, and may run again.
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
          const committed = client.query("COMMIT");
          for (const sent of [begun, written, committed]) sent.catch(() => {});
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

/** What is read together is of one moment. The beginning travels with the first statement, the end with whatever follows. */
export function createReader({ pool, tenant, naming, patienceMs }: ReadOptions) {
  const shared = new AsyncLocalStorage<Connection>();

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

  /** A connection that answers: what follows cannot be tried again. */
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
    /** All reads of the work in one transaction, so that they are of one moment. */
    together: <Result>(work: () => Promise<Result>): Promise<Result> =>
      shared.getStore()
        ? work()
        : worded(async () =>
            inTransaction(await beginSurely(), (connection) => shared.run(connection, work)),
          ),
  };
}
