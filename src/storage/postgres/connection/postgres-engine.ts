import type { Engine, Run, Served } from "../../../kernel/commit-queue.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { asker, type Connection, type Naming, persist, planning, type WriteConnection } from "./access.ts";
import { type Client, sendTogether } from "./driver.ts";
import type { Pool } from "./pool.ts";
import { isAnswer, isLost, toStorageError, UnknownOutcome } from "./postgres-errors.ts";
import { statementsFor } from "./statements.ts";

const [lockWithinMs, statementWithinMs, idleWithinMs] = [10_000, 30_000, 30_000];
const begin = `BEGIN; SET LOCAL lock_timeout = ${lockWithinMs}; SET LOCAL statement_timeout = ${statementWithinMs};
  SET LOCAL idle_in_transaction_session_timeout = ${idleWithinMs}; ${planning}`;
const lock = "SELECT seq, version, merge_from FROM thoughtbox.tenants WHERE tenant = @tenant FOR UPDATE";
/** Fails the transaction, and with it everything that was sent behind, unless the tenant is as this server left it. */
const lockUnchanged = `SELECT (CASE count(*) WHEN 1 THEN '1' ELSE 'another server of Thoughtbox has written' END)::bigint
  FROM (SELECT 1 FROM thoughtbox.tenants WHERE tenant = @tenant AND version = ? FOR UPDATE) locked`;
const move = `UPDATE tenants SET seq = ?, merge_from = ?, version = version + 1 WHERE tenant = @tenant`;

export type Meter = { lockWaitMs: number; batches: number; calls: number };

/** The row of the tenant. */
type Counters = Pick<WriteConnection, "last" | "version" | "mergeFrom">;

/** So many commits in a row found the tenant as this server had left it, and were for one call. */
const enoughToAssume = 2;

/**
 * Transactions of PostgreSQL. The row of the tenant is locked until the commit, so numbers follow the order of commits.
 * The beginning travels with the lock, and the counter with the commit: two round trips besides those of the work. While
 * no other server writes, the row is assumed to be as this one left it. Then everything travels together, in one round
 * trip, and the lock compares (0146).
 */
export function createPostgresEngine(
  pool: () => Promise<Pool>,
  tenant: string,
  naming: Naming,
  { onRollback, onCommit }: { onRollback(): void; onCommit(version: number): void },
) {
  const meter: Meter = { lockWaitMs: 0, batches: 0, calls: 0 };

  /** As this server left it, and how many connections had broken until then. */
  let left: (Counters & { losses: number }) | undefined;
  /** So many commits in a row were for one call each. */
  let lone = 0;
  let asLeft = enoughToAssume;

  type Locked = WriteConnection & {
    sent: Promise<unknown>[];
    /** Resolves once the lock is held. Rejects if the row is not what was assumed. */
    held: Promise<unknown>;
    isCommitSent: boolean;
  };

  function openLocked(sql: Connection["sql"], row: Counters, held: Promise<unknown>): Locked {
    const sent: Promise<unknown>[] = [];
    return {
      tenant,
      sql,
      sent,
      held,
      isCommitSent: false,
      ...row,
      told: row.last,
      send(write) {
        write.catch(() => {});
        sent.push(write);
      },
    };
  }

  async function takeLock(client: Client): Promise<Locked> {
    const sql = statementsFor(tenant, asker(client, naming));
    const asked = performance.now();
    const flush = sendTogether(client);
    const begun = client.query(begin);
    begun.catch(() => {});
    const locked = sql(lock).get();
    flush();
    const row = (await locked) ?? (await firstRow(sql));
    await begun;
    meter.lockWaitMs += performance.now() - asked;
    const mergeFrom = row?.["merge_from"];
    const found: Counters = {
      last: Number(row?.["seq"] ?? 0),
      version: Number(row?.["version"] ?? 0),
      mergeFrom: typeof mergeFrom === "number" ? mergeFrom : undefined,
    };
    if (left) asLeft = found.version === left.version ? asLeft + 1 : 0;
    return openLocked(sql, found, Promise.resolve());
  }

  /** Without waiting for the lock: what follows is void if another server has written. */
  function assumeLock(client: Client, assumed: Counters): Locked {
    const sql = statementsFor(tenant, asker(client, naming));
    const asked = performance.now();
    sendTogether(client);
    const begun = client.query(begin);
    const locked = sql(lockUnchanged).get(assumed.version);
    const held = Promise.all([begun, locked]).then(() => {
      meter.lockWaitMs += performance.now() - asked;
    });
    for (const answer of [begun, locked, held]) answer.catch(() => {});
    return openLocked(sql, assumed, held);
  }

  async function firstRow(sql: Connection["sql"]) {
    await sql(
      "INSERT INTO tenants (tenant, seq, version) VALUES (@tenant, 0, 0) ON CONFLICT DO NOTHING",
    ).run();
    return sql(lock).get();
  }

  /** All or nothing. From the moment the commit is sent, a lost connection leaves its outcome open. */
  async function settle(
    client: Client,
    runs: readonly Run<WriteConnection>[],
    connection: Locked,
    losses: number,
  ) {
    const flush = sendTogether(client);
    const served: Served<unknown>[] = [];
    const isOnly = runs.length === 1 && runs[0]?.inputs.length === 1;
    for (const { work, inputs } of runs)
      for (const one of await work(connection, inputs, isOnly)) served.push(one);
    if (served.every(({ refused }) => refused)) {
      await connection.held;
      await client.query("ROLLBACK");
      onRollback();
      return served;
    }
    connection.send(connection.sql(move).run(connection.last, connection.mergeFrom ?? null));
    connection.isCommitSent = true;
    const committed = client.query("COMMIT").catch((thrown) => {
      throw isLost(thrown) ? unanswered(thrown) : thrown;
    });
    committed.catch(() => {});
    flush();
    await connection.held;
    await Promise.all(connection.sent).catch((thrown) => {
      // The commit is sent right after the writes, so without an answer to the writes it may still have
      // arrived.
      throw isLost(thrown) && !isAnswer(thrown) ? unanswered(thrown) : thrown;
    });
    const { command } = await committed;
    if (command !== "COMMIT") throw new Error("the transaction was rolled back");
    const { last, mergeFrom } = connection;
    left = { last, mergeFrom, version: connection.version + 1, losses };
    lone = served.length === 1 ? lone + 1 : 0;
    onCommit(left.version);
    meter.batches += 1;
    meter.calls += served.length;
    return served;
  }

  /** `assumed`: what the row of the tenant is believed to be. */
  async function attempt(
    take: () => readonly Run<WriteConnection>[],
    assumed: Counters | undefined,
    doubt: Counters | undefined,
  ): Promise<Served<unknown>[]> {
    const opened = await pool();
    const losses = opened.losses();
    const { client, release } = await opened.take();
    let connection: Locked | undefined;
    try {
      connection = assumed ? assumeLock(client, assumed) : await takeLock(client);
      if (doubt && connection.version !== doubt.version) throw unanswered("another commit came first");
      const served = await settle(client, take(), connection, losses);
      release();
      return served;
    } catch (last) {
      const thrown = await findCause(last, connection);
      left = undefined;
      onRollback();
      if (isLost(thrown) || thrown instanceof UnknownOutcome || thrown instanceof LockUnanswered)
        release(true);
      else {
        client.query("ROLLBACK").catch(() => {});
        release();
      }
      throw thrown;
    }
  }

  /** What failed first is the cause; the rest failed because of it. */
  async function findCause(last: unknown, connection: Locked | undefined): Promise<unknown> {
    if (last instanceof UnknownOutcome || !connection) return last;
    const [held] = await Promise.allSettled([connection.held]);
    if (held.status === "rejected") {
      if (codeOfMismatch(held.reason)) return new AnotherWrote("another server has written");
      return connection.isCommitSent && isLost(held.reason) && !isAnswer(held.reason)
        ? new LockUnanswered("the lock was not answered", { cause: held.reason })
        : held.reason;
    }
    return Promise.all(connection.sent).then(
      () => last,
      (first) => first,
    );
  }

  /**
   * A transaction of which nothing was answered may have been committed. If the row of the tenant is as it was, it was not,
   * and never will be, because its lock compares. Then the calls are served again.
   */
  async function transact(take: () => readonly Run<WriteConnection>[]): Promise<Served<unknown>[]> {
    let doubt: Counters | undefined;
    try {
      return await persist(naming, async () => {
        // After a failover the same version may stand for other rows.
        if (left && left.losses !== (await pool()).losses()) {
          left = undefined;
          onRollback();
        }
        // With many callers the wait for the lock is useful: calls that arrive meanwhile join the commit.
        const mayAssume = lone >= enoughToAssume && asLeft >= enoughToAssume && !doubt;
        const assumed = mayAssume ? left : undefined;
        try {
          return await attempt(take, assumed, doubt);
        } catch (thrown) {
          if (thrown instanceof AnotherWrote) {
            asLeft = 0;
            return await attempt(take, undefined, undefined);
          }
          if (!(thrown instanceof LockUnanswered)) throw thrown;
          doubt = assumed;
          throw thrown.cause;
        }
      });
    } catch (thrown) {
      throw doubt && isLost(thrown) ? unanswered(thrown) : thrown;
    }
  }

  const engine: Engine<WriteConnection> = {
    transact,
    toError: toStorageError,
    isStopped: () => false,
    isUndecided: (thrown) => thrown instanceof UnknownOutcome,
  };
  return { ...engine, meter };
}

class AnotherWrote extends Error {}
class LockUnanswered extends Error {}

/** The lock compared by a conversion that fails. */
const codeOfMismatch = (thrown: unknown): boolean => (thrown as { code?: unknown }).code === "22P02";

const unanswered = (cause: unknown) => new UnknownOutcome("the commit was not answered", { cause });

/** Changes something inside a transaction. One that throws a ThoughtboxError is refused. */
export type Change = (connection: WriteConnection) => Promise<unknown>;

async function attemptLater<Result>(decide: () => Promise<Result>): Promise<Served<Result>> {
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
): Promise<Served<unknown>[]> {
  if (isOnly) return deciding(connection, changes);
  const { sql } = connection;
  const served: Served<unknown>[] = [];
  for (const change of changes) {
    const { last, mergeFrom } = connection;
    await sql("SAVEPOINT one_change").run();
    const one = await attemptLater(() => change(connection));
    if (one.refused) {
      await sql("ROLLBACK TO one_change").run();
      Object.assign(connection, { last, mergeFrom, told: -1 });
    }
    await sql("RELEASE one_change").run();
    served.push(one);
  }
  return served;
}

/** For changes that decide before they touch the database: they pay for no savepoint. */
export async function deciding(
  connection: WriteConnection,
  changes: readonly Change[],
): Promise<Served<unknown>[]> {
  const served: Served<unknown>[] = [];
  for (const change of changes) served.push(await attemptLater(() => change(connection)));
  return served;
}
