import type { Served, ThoughtboxError } from "./errors.ts";

/**
 * Serves waiting calls of one kind, in order, with one result or refusal each. `isOnly`: the transaction contains only
 * this call, and is rolled back if the call is refused.
 */
export type Work<Tx, Input, Result> = (
  tx: Tx,
  inputs: readonly Input[],
  isOnly: boolean,
) => readonly Served<Result>[] | Promise<readonly Served<Result>[]>;

/** Consecutive calls with the same work. */
export type Run<Tx> = { work: Work<Tx, unknown, unknown>; inputs: unknown[] };

/** How a database runs a batch. */
export type Engine<Tx> = {
  /**
   * Runs one transaction. Takes the calls after it has the lock, so that the transaction includes calls that
   * arrived in the meantime. After a rollback, it may take them again. Resolves with the calls' outcomes once
   * the commit is durable, and rejects if nothing was changed.
   */
  transact(take: () => readonly Run<Tx>[]): Promise<readonly Served<unknown>[]>;
  /** The error that callers receive for a failed transaction. */
  toError(thrown: unknown): ThoughtboxError;
  /** True once nothing more can be written. */
  isStopped(): boolean;
  /**
   * True if a transaction that failed this way may have been committed. Such a transaction is not retried.
   */
  isUndecided?(thrown: unknown): boolean;
};

type Waiting<Tx> = {
  work: Work<Tx, unknown, unknown>;
  input: unknown;
  resolve: (result: unknown) => void;
  reject: (error: ThoughtboxError) => void;
};

export type CommitQueue<Tx> = ReturnType<typeof createCommitQueue<Tx>>;

const batchLimit = 256;

/**
 * Group commit for any database: calls queue, and one transaction serves all that are waiting. A single caller waits
 * for one commit, and sixty-four callers share one. Nothing is acknowledged before the commit.
 */
export function createCommitQueue<Tx>(engine: Engine<Tx>) {
  const waiting: Waiting<Tx>[] = [];
  /** The number of commits by batch size. */
  const batches = new Map<number, number>();
  let running: Promise<void> | undefined;

  function submit<Input, Result>(work: Work<Tx, Input, Result>, input: Input): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      waiting.push({
        work: work as Work<Tx, unknown, unknown>,
        input,
        resolve: resolve as (result: unknown) => void,
        reject,
      });
      running ??= new Promise<void>((done) => setImmediate(() => void drain().then(done)));
    });
  }

  /** Commits batch after batch. Other work can run in between, so a large write does not block the process. */
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await commitWaiting();
      if (waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    running = undefined;
  }

  async function commitWaiting(): Promise<void> {
    let batch: Waiting<Tx>[] | undefined;
    try {
      const served = await engine.transact(() => {
        batch ??= waiting.splice(0, batchLimit);
        return toRuns(batch);
      });
      if (batch) batches.set(batch.length, (batches.get(batch.length) ?? 0) + 1);
      acknowledge(batch ?? [], served);
    } catch (thrown) {
      const error = engine.toError(thrown);
      // One bad write must not fail the others. After an unexpected error, each call runs separately.
      const mayRunAgain = !engine.isStopped() && !engine.isUndecided?.(thrown);
      if (batch && batch.length > 1 && mayRunAgain) for (const one of batch) await commitAlone(one);
      else for (const { reject } of batch ?? waiting.splice(0)) reject(error);
    }
  }

  async function commitAlone(one: Waiting<Tx>): Promise<void> {
    try {
      acknowledge([one], await engine.transact(() => toRuns([one])));
    } catch (thrown) {
      one.reject(engine.toError(thrown));
    }
  }

  return {
    submit,
    figures: () => ({ queue: waiting.length, batches }),
    async finish(): Promise<void> {
      while (running !== undefined) await running;
    },
  };
}

function toRuns<Tx>(batch: readonly Waiting<Tx>[]): Run<Tx>[] {
  const runs: Run<Tx>[] = [];
  for (const { work, input } of batch) {
    const last = runs.at(-1);
    if (last?.work === work) last.inputs.push(input);
    else runs.push({ work, inputs: [input] });
  }
  return runs;
}

function acknowledge(batch: readonly Waiting<never>[], served: readonly Served<unknown>[]): void {
  for (const [n, { resolve, reject }] of batch.entries()) {
    const one = served[n];
    if (one?.refused) reject(one.refused);
    else resolve(one?.result);
  }
}
