import type { Client, Found } from "./driver.ts";
import type { Pool } from "./pool.ts";
import { isContention, isLost, isUnprepared, toStorageError } from "./postgres-errors.ts";
import { type Prepared, type Statement, statementsFor } from "./statements.ts";

/** One transaction of one tenant. */
export type Connection = {
  tenant: string;
  sql(text: string): Statement;
};

/** A transaction that writes: it has the tenant's row, so nobody else gives out numbers. */
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

/** Once more, while that can help and nobody has waited too long. */
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

const beginRead = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${readTimeoutMs}`;

/** What is read together is of one moment. The beginning travels with the first statement, the end with whatever follows. */
export function createReader(
  pool: () => Promise<Pool>,
  tenant: string,
  naming: Naming,
  patienceMs?: number,
): WithConnection {
  return async (select) => {
    try {
      return await persist(
        naming,
        async () => {
          const { client, release } = await (await pool()).take();
          try {
            const begun = client.query(beginRead);
            begun.catch(() => {});
            const found = await select({ tenant, sql: statementsFor(tenant, asker(client, naming)) });
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
        },
        patienceMs,
      );
    } catch (thrown) {
      throw toStorageError(thrown);
    }
  };
}
