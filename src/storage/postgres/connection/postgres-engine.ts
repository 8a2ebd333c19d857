import type { Engine, Run } from "../../../kernel/commit-queue.ts";
import { type Served, ThoughtboxError } from "../../../kernel/errors.ts";
import {
  asker,
  type Connection,
  type Naming,
  type Part,
  persist,
  planning,
  type WriteConnection,
} from "./access.ts";
import { type Client, sendTogether } from "./driver.ts";
import type { Pool } from "./pool.ts";
import { isAnswer, isLost, toStorageError, UnknownOutcome } from "./postgres-errors.ts";
import { statementsFor } from "./statements.ts";

const [lockWithinMs, statementWithinMs, idleWithinMs] = [10_000, 30_000, 30_000];
const begin = `BEGIN; SET LOCAL lock_timeout = ${lockWithinMs}; SET LOCAL statement_timeout = ${statementWithinMs};
  SET LOCAL idle_in_transaction_session_timeout = ${idleWithinMs}; ${planning}`;
const lock = "SELECT seq, version, merge_from FROM thoughtbox.tenants WHERE tenant = @tenant FOR UPDATE";
/** Fails the transaction and every statement sent after it, unless the tenant's row is as this server left it. */
const lockUnchanged = `SELECT (CASE count(*) WHEN 1 THEN '1' ELSE 'another server of Thoughtbox has written' END)::bigint
  FROM (SELECT 1 FROM thoughtbox.tenants WHERE tenant = @tenant AND version = ? FOR UPDATE) locked`;
const move = `UPDATE tenants SET seq = ?, merge_from = ?, version = version + 1 WHERE tenant = @tenant`;
/** Returns one statement that locks and checks the row, raises the counter, writes the parts and commits (0265). */
const whole = (parts: readonly Part[]): string => `WITH limits AS MATERIALIZED (
    SELECT set_config('lock_timeout', '${lockWithinMs}', true)),
  moved AS (UPDATE tenants t SET seq = ?, merge_from = ?, version = version + 1 FROM limits
    WHERE t.tenant = @tenant AND t.version = ? RETURNING 1),
  ${parts.map(({ text }, n) => `part${n} AS (${text})`).join(", ")}
  SELECT (CASE count(*) WHEN 1 THEN '1' ELSE 'another server of Thoughtbox has written' END)::bigint FROM moved`;

export type Meter = { lockWaitMs: number; batches: number; calls: number };

/** The counters in the tenant's row. */
type Counters = Pick<WriteConnection, "last" | "version" | "mergeFrom">;

type Notices = {
  /** Called if a transaction failed or rows may have changed without a commit, so caches may be outdated. */
  onRollback(): void;
  /** Called if every call was refused and the transaction was rolled back. The tenant's row is unchanged. */
  onRefusal(): void;
  onCommit(version: number): void;
};

/** After this many consecutive single-call commits that found the row unchanged, it is assumed unchanged. */
const enoughToAssume = 2;

/**
 * Runs PostgreSQL transactions. The tenant's row is locked until the commit, so numbers follow the order of
 * commits. BEGIN is sent with the lock, and the counter with the commit, which adds two round trips to those
 * of the work. While no other server is writing, the engine assumes that the row is as this server left it.
 * Everything is then sent in one round trip, and the lock verifies the assumption (0146).
 */
export function createPostgresEngine(
  pool: () => Promise<Pool>,
  tenant: string,
  naming: Naming,
  { onRollback, onRefusal, onCommit }: Notices,
) {
  const meter: Meter = { lockWaitMs: 0, batches: 0, calls: 0 };

  /** The row as this server last wrote it, and how many connections had broken by then. */
  let left: (Counters & { losses: number }) | undefined;
  /** The number of consecutive commits that contained a single call. */
  let lone = 0;
  let asLeft = enoughToAssume;

  type Locked = WriteConnection & {
    /** Resolves once the row is locked. Rejects if the row is not as assumed. */
    held: Promise<unknown>;
    isBegun: boolean;
    isCommitSent: boolean;
    /** Begins the transaction unless it has already begun. */
    begin(): void;
    /** Sends everything as one statement, unless the transaction has begun. */
    commitWhole(): boolean;
  };

  function openLocked(sql: Connection["sql"], row: Counters, held: Promise<unknown>): Locked {
    const sent: Promise<unknown>[] = [];
    return {
      tenant,
      sql,
      sent,
      held,
      isBegun: true,
      isCommitSent: false,
      ...row,
      told: row.last,
      send(write) {
        write.catch(() => {});
        sent.push(write);
      },
      sendWhole: () => false,
      begin() {},
      commitWhole: () => false,
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

  /**
   * Opens a write without waiting for the lock. If another server has written, its statements have no effect.
   * Sends `BEGIN` with the first statement, because a write of one statement needs no `BEGIN`.
   */
  function assumeLock(client: Client, assumed: Counters): Locked {
    const ask = statementsFor(tenant, asker(client, naming));
    const asked = performance.now();
    let hold = (_answer: Promise<unknown>) => {};
    const held = new Promise<unknown>((resolve) => {
      hold = resolve;
    }).then(() => {
      meter.lockWaitMs += performance.now() - asked;
    });
    held.catch(() => {});
    let parts: readonly Part[] | undefined;
    const begun = (text: string) => {
      connection.begin();
      return ask(text);
    };
    const connection: Locked = {
      ...openLocked(begun, assumed, held),
      isBegun: false,
      sendWhole(all) {
        if (connection.isBegun || parts) return false;
        parts = all;
        return true;
      },
      begin() {
        if (connection.isBegun) return;
        connection.isBegun = true;
        sendTogether(client);
        const answers = [client.query(begin), ask(lockUnchanged).get(assumed.version)];
        for (const answer of answers) answer.catch(() => {});
        hold(Promise.all(answers));
        for (const { text, values } of parts ?? []) connection.send(ask(text).run(...values));
      },
      commitWhole() {
        if (connection.isBegun || !parts) return false;
        const { last, mergeFrom = null, version } = connection;
        const values = parts.flatMap((part) => part.values);
        hold(ask(whole(parts)).get(last, mergeFrom, version, ...values));
        return true;
      },
    };
    return connection;
  }

  async function firstRow(sql: Connection["sql"]) {
    await sql(
      "INSERT INTO tenants (tenant, seq, version) VALUES (@tenant, 0, 0) ON CONFLICT DO NOTHING",
    ).run();
    return sql(lock).get();
  }

  /** Commits everything or nothing. If the connection is lost after the commit was sent, the outcome is unknown. */
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
      connection.begin();
      await connection.held;
      await client.query("ROLLBACK");
      onRefusal();
      return served;
    }
    if (connection.commitWhole()) {
      connection.isCommitSent = true;
      flush();
      await connection.held;
    } else await commit(client, connection, flush);
    const { last, mergeFrom } = connection;
    left = { last, mergeFrom, version: connection.version + 1, losses };
    lone = served.length === 1 ? lone + 1 : 0;
    onCommit(left.version);
    meter.batches += 1;
    meter.calls += served.length;
    return served;
  }

  async function commit(client: Client, connection: Locked, flush: () => void): Promise<void> {
    connection.send(connection.sql(move).run(connection.last, connection.mergeFrom ?? null));
    connection.isCommitSent = true;
    const committed = client.query("COMMIT").catch((thrown) => {
      throw isLost(thrown) ? unanswered(thrown) : thrown;
    });
    committed.catch(() => {});
    flush();
    await connection.held;
    await Promise.all(connection.sent).catch((thrown) => {
      // The commit was sent right after the writes, so it may have arrived even if the writes were not answered.
      throw isLost(thrown) && !isAnswer(thrown) ? unanswered(thrown) : thrown;
    });
    const { command } = await committed;
    if (command !== "COMMIT") throw new Error("the transaction was rolled back");
  }

  /** Runs the waiting calls in one transaction. `assumed` is what the tenant's row should contain. */
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
        if (connection?.isBegun !== false) client.query("ROLLBACK").catch(() => {});
        release();
      }
      throw thrown;
    }
  }

  /** Returns the first failure, from which the others follow. */
  async function findCause(last: unknown, connection: Locked | undefined): Promise<unknown> {
    if (last instanceof UnknownOutcome || !connection) return last;
    // If no statement was sent, there is no lock to wait for.
    if (!connection.isBegun && !connection.isCommitSent) return last;
    const [held] = await Promise.allSettled([connection.held]);
    if (held.status === "rejected") {
      if (codeOfMismatch(held.reason)) return new AnotherWrote("another server has written");
      const isAnswered = connection.isBegun && isAnswer(held.reason);
      return connection.isCommitSent && isLost(held.reason) && !isAnswered
        ? new LockUnanswered("the lock was not answered", { cause: held.reason })
        : held.reason;
    }
    return Promise.all(connection.sent).then(
      () => last,
      (first) => first,
    );
  }

  /**
   * Runs the calls in a transaction. If no answer arrives, it may have been committed. If the tenant's row is
   * unchanged, it was not committed and never will be, because its lock checks the version. The calls then run again.
   */
  async function transact(take: () => readonly Run<WriteConnection>[]): Promise<Served<unknown>[]> {
    let doubt: Counters | undefined;
    try {
      return await persist(naming, async () => {
        // After a failover, the row may have the same version but different contents.
        if (left && left.losses !== (await pool()).losses()) {
          left = undefined;
          onRollback();
        }
        // If there are many callers, waiting for the lock is useful, because calls that arrive in the
        // meantime join the commit.
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

/** Returns true if the lock found a mismatch, which it reports through a conversion that fails. */
const codeOfMismatch = (thrown: unknown): boolean => (thrown as { code?: unknown }).code === "22P02";

const unanswered = (cause: unknown) => new UnknownOutcome("the commit was not answered", { cause });

/** A change to make inside a transaction. If it throws a ThoughtboxError, the change is refused. */
export type Change = (connection: WriteConnection) => Promise<unknown>;

async function attemptLater<Result>(decide: () => Promise<Result>): Promise<Served<Result>> {
  try {
    return { result: await decide() };
  } catch (thrown) {
    if (thrown instanceof ThoughtboxError) return { refused: thrown };
    throw thrown;
  }
}

/** Runs changes that may be refused after they have written rows. Rolls back a refused change. */
export async function takingBack(
  connection: WriteConnection,
  changes: readonly Change[],
  isOnly: boolean,
): Promise<Served<unknown>[]> {
  if (isOnly) return deciding(connection, changes);
  const { sql, sent } = connection;
  const served: Served<unknown>[] = [];
  for (const change of changes) {
    const { last, mergeFrom } = connection;
    await sql("SAVEPOINT one_change").run();
    const sentBefore = sent.length;
    const one = await attemptLater(() => change(connection));
    if (one.refused) {
      await sql("ROLLBACK TO one_change").run();
      sent.length = sentBefore;
      Object.assign(connection, { last, mergeFrom, told: -1 });
    }
    await sql("RELEASE one_change").run();
    served.push(one);
  }
  return served;
}

/** Runs changes that are never refused after their first write, so they need no savepoint. */
export async function deciding(
  connection: WriteConnection,
  changes: readonly Change[],
): Promise<Served<unknown>[]> {
  const served: Served<unknown>[] = [];
  for (const change of changes) served.push(await attemptLater(() => change(connection)));
  return served;
}
