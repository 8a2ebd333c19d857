import {
  type CallResult,
  type CommitCall,
  commitCalls,
  type Request,
} from "../../../domain/memory/steps/commit-calls.ts";
import type { Outcome } from "../../../kernel/commit-queue.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import type { WriteConnection } from "../connection/access.ts";
import { tellSeq } from "../connection/sequence.ts";
import { answerMerge } from "./merge/answer-merge.ts";
import { applyWrites } from "./rows/apply-writes.ts";
import { loadFacts } from "./rows/load-facts.ts";

export type Committed = Extract<CallResult, { refused?: undefined }>;

/** Serves the calls that wait together, inside their transaction; `isOnly` where it is taken back if the call is refused. */
export async function commitTogether(
  connection: WriteConnection,
  calls: readonly CommitCall[],
  isOnly: boolean,
): Promise<Outcome<Committed>[]> {
  try {
    return (await decide(connection, calls, isOnly)).map(toOutcome);
  } catch (thrown) {
    if (!(thrown instanceof ThoughtboxError)) throw thrown;
    if (isOnly) return [{ refused: thrown }];
    // A text that cannot be stored is the fault of one of them; each by itself tells which.
    throw new Error("a call cannot be written", { cause: thrown });
  }
}

const toOutcome = (result: CallResult): Outcome<Committed> =>
  result.refused ? { refused: result.refused } : { result };

async function decide(
  connection: WriteConnection,
  calls: readonly CommitCall[],
  isOnly: boolean,
): Promise<CallResult[]> {
  const deciding = commitCalls(calls, isOnly);
  /** What a savepoint of the server does not know. */
  const marks: Pick<WriteConnection, "last" | "mergeFrom">[] = [];
  for (let step = deciding.next(); ; ) {
    if (step.done) return step.value;
    step = deciding.next(await answer(connection, step.value, marks));
  }
}

async function answer(
  connection: WriteConnection,
  request: Request,
  marks: Pick<WriteConnection, "last" | "mergeFrom">[],
): Promise<unknown> {
  const { sql, send } = connection;
  if ("load" in request) return loadFacts(connection, request.load);
  if ("apply" in request) return applyWrites(connection, request.apply);
  if ("ask" in request) {
    const { ask, workspace, wid } = request;
    tellSeq(connection);
    return answerMerge({ connection, wid, workspace }, ask);
  }
  if (request.savepoint === "set") {
    marks.push({ last: connection.last, mergeFrom: connection.mergeFrom });
    return send(sql("SAVEPOINT one_call").run());
  }
  const mark = marks.pop();
  if (request.savepoint === "undo") {
    send(sql("ROLLBACK TO one_call").run());
    Object.assign(connection, mark, { told: -1 });
  }
  return send(sql("RELEASE one_call").run());
}
