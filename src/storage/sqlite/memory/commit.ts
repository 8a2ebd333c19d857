import {
  type CallResult,
  type CommitCall,
  commitCalls,
  type Request,
} from "../../../domain/memory/steps/commit-calls.ts";
import type { MemoryStep } from "../../../domain/memory/steps/step.ts";
import type { ThoughtboxError } from "../../../kernel/errors.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { answerMerge } from "./merge/answer-merge.ts";
import type { Place } from "./places.ts";
import { applyWrites } from "./rows/apply-writes.ts";
import { loadFacts } from "./rows/load-facts.ts";
import { doStep } from "./steps.ts";

/** A step that the store does by itself, within the transaction of its call. */
export type Perform = (place: Place, step: MemoryStep, at: Date) => unknown;

type Waiting = {
  call: CommitCall;
  perform: Perform;
  resolve(result: Done): void;
  reject(error: unknown): void;
};

type Done = Exclude<CallResult, { refused: ThoughtboxError }>;

const callsAtOnce = 256;

/** Calls that wait for the same transaction are decided and written together. */
export function createCommitter(write: WithConnection) {
  let waiting: Waiting[] = [];

  function commit(call: CommitCall, perform: Perform = doStep): Promise<Done> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0 || waiting.length >= callsAtOnce) begin();
      waiting.push({ call, perform, resolve, reject });
    });
  }

  /** Takes those who come until the transaction begins; a transaction that is tried again takes the same ones again. */
  function begin(): void {
    const batch: Waiting[] = [];
    waiting = batch;
    write((connection) => {
      if (waiting === batch) waiting = [];
      return commitTogether(connection, batch);
    }).then(
      (results) => settle(batch, results),
      (error) => retryAlone(batch, error),
    );
  }

  function settle(batch: readonly Waiting[], results: readonly CallResult[]): void {
    for (const [n, { resolve, reject }] of batch.entries()) {
      const result = results[n];
      if (result?.refused) reject(result.refused);
      else if (result) resolve(result);
    }
  }

  /** One bad call must not take its neighbours with it. */
  function retryAlone(batch: readonly Waiting[], error: unknown): void {
    if (waiting === batch) waiting = [];
    const [first] = batch;
    if (batch.length === 1) first?.reject(error);
    else
      for (const one of batch)
        write((connection) => commitTogether(connection, [one])).then(
          (results) => settle([one], results),
          one.reject,
        );
  }

  return commit;
}

/** Call inside a write. */
function commitTogether(connection: Connection, batch: readonly Waiting[]): CallResult[] {
  const deciding = commitCalls(batch.map(({ call }) => call));
  for (let step = deciding.next(); ; ) {
    if (step.done) return step.value;
    step = deciding.next(answer(connection, batch, step.value));
  }
}

function answer(connection: Connection, batch: readonly Waiting[], request: Request): unknown {
  const { sql } = connection;
  if ("load" in request) return loadFacts(connection, request.load);
  if ("apply" in request) return applyWrites(connection, request.apply);
  if ("ask" in request) {
    const { ask, workspace, wid } = request;
    return answerMerge({ connection, wid, workspace }, ask);
  }
  if ("perform" in request) {
    const { perform: step, call, wid } = request;
    const { perform = doStep } = batch.find((one) => one.call === call) ?? {};
    return perform({ connection, wid, workspace: call.workspace }, step, call.at);
  }
  if (request.savepoint === "set") return sql("SAVEPOINT one_call").run();
  if (request.savepoint === "undo") sql("ROLLBACK TO one_call").run();
  return sql("RELEASE one_call").run();
}
