import { describeTable } from "../../domain/memory/dump-tables.ts";
import type { CallResult } from "../../domain/memory/steps/commit-calls.ts";
import type { Served } from "../../kernel/errors.ts";
import type { AddedRow, Replaying, ReplayRequest } from "../../ports/memory/memory-dump.ts";
import { answerMerge } from "./merge/answer-merge.ts";
import { each, type Query, type Requested, run } from "./query.ts";
import { applyWrites } from "./rows/apply-writes.ts";
import { loadFacts } from "./rows/load-facts.ts";

export type Committed = Extract<CallResult, { refused?: undefined }>;

export const toServed = (result: CallResult): Served<Committed> =>
  result.refused ? { refused: result.refused } : { result };

/** Runs a commit's request inside the commit's transaction. */
export function answerRequest(request: Requested): Query<unknown> {
  if ("load" in request) return loadFacts(request.load);
  return "apply" in request ? applyWrites(request.apply) : answerRound(request);
}

function* answerRound(request: Extract<Requested, { ask: unknown }>): Query<unknown> {
  // The merge queries use `@published`, which depends on the last assigned number.
  yield { sequence: "tell" };
  return yield* answerMerge(request, request.ask);
}

export function* runReplay<Result>(replaying: Replaying<Result>): Query<Result> {
  for (let step = replaying.next(); ; step = replaying.next(yield* answerReplay(step.value)))
    if (step.done) return step.value;
}

/** Runs a replay's request. For `add`, returns the positions of rows that already existed. */
function* answerReplay(request: ReplayRequest): Query<unknown> {
  if (!("add" in request)) return yield* answerRequest(request);
  const added = yield* each(request.add, addRow);
  return added.flatMap((isNew, position) => (isNew ? [] : [position]));
}

function* addRow({ of, columns }: AddedRow): Query<boolean> {
  const names = [...columns.keys()];
  const places = names.map(() => "?").join(", ");
  const text = `INSERT INTO ${describeTable(of).table} (${names.join(", ")}) VALUES (${places}) ON CONFLICT DO NOTHING`;
  return (yield* run(text, ...columns.values())) > 0;
}
