import type { Engine, Outcome, Run } from "../../../kernel/commit-queue.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { asker, type Connection, type Naming, persist, type WriteConnection } from "./access.ts";
import type { Client } from "./driver.ts";
import type { Pool } from "./pool.ts";
import { isAnswer, isLost, toStorageError, UnknownOutcome } from "./postgres-errors.ts";
import { statementsFor } from "./statements.ts";

const [lockWithinMs, statementWithinMs, idleWithinMs] = [10_000, 30_000, 30_000];
const begin = `BEGIN; SET LOCAL lock_timeout = ${lockWithinMs}; SET LOCAL statement_timeout = ${statementWithinMs};
  SET LOCAL idle_in_transaction_session_timeout = ${idleWithinMs}`;
const lock = "SELECT seq, version, merge_from FROM thoughtbox.tenants WHERE tenant = @tenant FOR UPDATE";
const move = `UPDATE tenants SET seq = ?, merge_from = ?, version = version + 1 WHERE tenant = @tenant`;

export type Meter = { lockWaitMs: number; batches: number; calls: number };

/**
 * Transactions of PostgreSQL. The row of the tenant is locked until the commit, so numbers follow the order of commits.
 * The beginning travels with the lock, and the counter with the commit: two round trips besides those of the work.
 */
export function createPostgresEngine(
  pool: () => Promise<Pool>,
  tenant: string,
  naming: Naming,
  { onRollback, onCommit }: { onRollback(): void; onCommit(version: number): void },
) {
  const meter: Meter = { lockWaitMs: 0, batches: 0, calls: 0 };

  type Locked = WriteConnection & { sent: Promise<unknown>[] };

  async function takeLock(client: Client): Promise<Locked> {
    const sql = statementsFor(tenant, asker(client, naming));
    const asked = performance.now();
    const begun = client.query(begin);
    begun.catch(() => {});
    const row = (await sql(lock).get()) ?? (await firstRow(sql));
    await begun;
    meter.lockWaitMs += performance.now() - asked;
    const mergeFrom = row?.["merge_from"];
    const sent: Promise<unknown>[] = [];
    return {
      tenant,
      sql,
      sent,
      last: Number(row?.["seq"] ?? 0),
      told: Number(row?.["seq"] ?? 0),
      version: Number(row?.["version"] ?? 0),
      mergeFrom: typeof mergeFrom === "number" ? mergeFrom : undefined,
      send(write) {
        write.catch(() => {});
        sent.push(write);
      },
    };
  }

  async function firstRow(sql: Connection["sql"]) {
    await sql(
      "INSERT INTO tenants (tenant, seq, version) VALUES (@tenant, 0, 0) ON CONFLICT DO NOTHING",
    ).run();
    return sql(lock).get();
  }

  /** All or nothing. From the moment the commit is sent, a lost connection leaves its outcome open. */
  async function settle(client: Client, runs: readonly Run<WriteConnection>[], connection: Locked) {
    const outcomes: Outcome<unknown>[] = [];
    const isOnly = runs.length === 1 && runs[0]?.inputs.length === 1;
    for (const { work, inputs } of runs)
      for (const outcome of await work(connection, inputs, isOnly)) outcomes.push(outcome);
    if (outcomes.every(({ refused }) => refused)) {
      await client.query("ROLLBACK");
      onRollback();
      return outcomes;
    }
    connection.send(connection.sql(move).run(connection.last, connection.mergeFrom ?? null));
    const committed = client.query("COMMIT").catch((thrown) => {
      throw isLost(thrown) ? unanswered(thrown) : thrown;
    });
    committed.catch(() => {});
    await Promise.all(connection.sent).catch((thrown) => {
      // The commit travels right behind the writes: without an answer to these it may have arrived all the same.
      throw isLost(thrown) && !isAnswer(thrown) ? unanswered(thrown) : thrown;
    });
    const { command } = await committed;
    if (command !== "COMMIT") throw new Error("the transaction was rolled back");
    onCommit(connection.version + 1);
    meter.batches += 1;
    meter.calls += outcomes.length;
    return outcomes;
  }

  const engine: Engine<WriteConnection> = {
    transact: (take) =>
      persist(naming, async () => {
        const { client, release } = await (await pool()).take();
        let sent: readonly Promise<unknown>[] = [];
        try {
          const connection = await takeLock(client);
          sent = connection.sent;
          const outcomes = await settle(client, take(), connection);
          release();
          return outcomes;
        } catch (last) {
          // What failed first is the cause; the rest failed because of it.
          const thrown =
            last instanceof UnknownOutcome
              ? last
              : await Promise.all(sent).then(
                  () => last,
                  (first) => first,
                );
          onRollback();
          if (isLost(thrown) || thrown instanceof UnknownOutcome) release(true);
          else {
            client.query("ROLLBACK").catch(() => {});
            release();
          }
          throw thrown;
        }
      }),
    toError: toStorageError,
    isStopped: () => false,
    isUndecided: (thrown) => thrown instanceof UnknownOutcome,
  };
  return { ...engine, meter };
}

const unanswered = (cause: unknown) => new UnknownOutcome("the commit was not answered", { cause });

/** Changes something inside a transaction. One that throws a ThoughtboxError is refused. */
export type Change = (connection: WriteConnection) => Promise<unknown>;

async function attemptLater<Result>(decide: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await decide() };
  } catch (thrown) {
    if (thrown instanceof ThoughtboxError) return { refused: thrown };
    throw thrown;
  }
}

/** For changes that may refuse after they touched the database: whatever such a one did is taken back. */
export async function takingBack(
  connection: WriteConnection,
  changes: readonly Change[],
  isOnly: boolean,
): Promise<Outcome<unknown>[]> {
  if (isOnly) return deciding(connection, changes);
  const { sql } = connection;
  const outcomes: Outcome<unknown>[] = [];
  for (const change of changes) {
    const { last, mergeFrom } = connection;
    await sql("SAVEPOINT one_change").run();
    const outcome = await attemptLater(() => change(connection));
    if (outcome.refused) {
      await sql("ROLLBACK TO one_change").run();
      Object.assign(connection, { last, mergeFrom, told: -1 });
    }
    await sql("RELEASE one_change").run();
    outcomes.push(outcome);
  }
  return outcomes;
}

/** For changes that decide before they touch the database: they pay for no savepoint. */
export async function deciding(
  connection: WriteConnection,
  changes: readonly Change[],
): Promise<Outcome<unknown>[]> {
  const outcomes: Outcome<unknown>[] = [];
  for (const change of changes) outcomes.push(await attemptLater(() => change(connection)));
  return outcomes;
}
