import {
  type CallResult,
  type CommitCall,
  commitCalls,
  type Request,
} from "../../../domain/memory/steps/commit-calls.ts";
import { attempt, type Outcome } from "../../../kernel/commit-queue.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import type { Connection } from "../connection/open-database.ts";
import { answerMerge } from "./merge/answer-merge.ts";
import { applyWrites } from "./rows/apply-writes.ts";
import { loadFacts } from "./rows/load-facts.ts";

export type Committed = Extract<CallResult, { refused?: undefined }>;

/** Serves the calls that wait together, inside their transaction; `isOnly` where it is taken back if the call is refused. */
export function commitTogether(
  connection: Connection,
  calls: readonly CommitCall[],
  isOnly: boolean,
): Outcome<Committed>[] {
  const run = () => decide(connection, calls, isOnly);
  if (isOnly) {
    const { result, refused } = attempt(run);
    return refused ? [{ refused }] : result.map(toOutcome);
  }
  try {
    return run().map(toOutcome);
  } catch (thrown) {
    // A text that cannot be stored is the fault of one of them; each by itself tells which.
    throw thrown instanceof ThoughtboxError
      ? new Error("a call cannot be written", { cause: thrown })
      : thrown;
  }
}

const toOutcome = (result: CallResult): Outcome<Committed> =>
  result.refused ? { refused: result.refused } : { result };

function decide(connection: Connection, calls: readonly CommitCall[], isOnly: boolean): CallResult[] {
  const deciding = commitCalls(calls, isOnly);
  for (let step = deciding.next(); ; ) {
    if (step.done) return step.value;
    step = deciding.next(answer(connection, step.value));
  }
}

function answer(connection: Connection, request: Request): unknown {
  const { sql } = connection;
  if ("load" in request) return loadFacts(connection, request.load);
  if ("apply" in request) return applyWrites(connection, request.apply);
  if ("ask" in request) {
    const { ask, workspace, wid } = request;
    return answerMerge({ connection, wid, workspace }, ask);
  }
  if (request.savepoint === "set") return sql("SAVEPOINT one_call").run();
  if (request.savepoint === "undo") sql("ROLLBACK TO one_call").run();
  return sql("RELEASE one_call").run();
}
