import { memoryFailure } from "../../../domain/memory/failures.ts";
import {
  type MergeCommand,
  planSlices,
  type StagedMerge,
  stageAndPublish,
} from "../../../domain/memory/merge/large-merge.ts";
import { isPause, type MergeNeeds } from "../../../domain/memory/merge/merge-questions.ts";
import type { MergeSides } from "../../../domain/memory/merge/merge-sides.ts";
import { type AskedMerge, previewOf } from "../../../domain/memory/merge/plan-merge.ts";
import type { GraphMergeOutcome } from "../../../domain/memory/steps/outcomes.ts";
import { findWorkspace, type Place } from "../places.ts";
import type { Query } from "../query.ts";
import { stageConflicts, writeVersions } from "../rows/write-graph.ts";
import { answerMerge } from "./answer-merge.ts";
import {
  abandonedAfterMs,
  type Block,
  discardSome,
  hasBlocks,
  leftBehind,
  reserveBlock,
  stageSettled,
  supersededAll,
  tidySome,
  touchBlock,
} from "./merge-block.ts";

/** Runs a query in one transaction. The query may be restarted. */
export type RunQuery = <Result>(query: () => Query<Result>) => Promise<Result>;

/** How long to wait for another large merge: longer than the largest one takes. */
const waitsForOthersMs = 60_000;

type SweepRun = { read: RunQuery; write: RunQuery; nowMs(): number };

/** How a large merge runs and reports its progress. */
export type MergeRun = SweepRun & {
  signal: AbortSignal;
  /** Called after each slice with the number of finished keys, and the total once it is known. */
  report(done: number, total: number | undefined): void;
};

/** Publishes the merge with an ordinary call. */
type Publish = (staged: StagedMerge) => Promise<GraphMergeOutcome | undefined>;

export async function mergeInSlices(
  run: MergeRun,
  asked: AskedMerge,
  at: Date,
  publish: Publish,
): Promise<GraphMergeOutcome> {
  let block: Block | undefined;
  const { workspace } = asked;

  async function discard(): Promise<void> {
    const staged = block;
    block = undefined;
    if (staged) await repeat(run, staged, discardSome);
  }

  async function applyCommand(command: Exclude<MergeCommand, { needs: unknown }>): Promise<unknown> {
    if (command.do === "reserve") {
      await discard();
      const reserved = await reserve(run, asked, command);
      block = reserved.block;
      const { mid: merge, firstSeq } = reserved.block;
      return { merge, firstSeq, waited: reserved.waited };
    }
    const staged = block;
    if (!staged) throw new Error("nothing is staged before numbers are reserved");
    if (command.do === "stage")
      return run.write(function* () {
        if (!(yield* touchBlock(staged, run.nowMs()))) return false;
        if (command.version.length > 0) yield* writeVersions(command.version);
        yield* stageConflicts(command.conflict);
        yield* stageSettled(staged, command.settled);
        return true;
      });
    await run.write(() => touchBlock(staged, run.nowMs()));
    const { plan, staged: ahead } = command;
    const outcome = await publish({ plan, staged: ahead });
    if (!outcome) return undefined;
    // Staged rows remain only if another call with the same idempotency key has already merged.
    await discard().catch(() => {});
    // If tidying fails, the next process finishes it.
    const first = ahead.replacesOwn ? 0 : supersededAll;
    await repeat(run, staged, tidySome, first).catch(() => {});
    return outcome;
  }

  const merging = stageAndPublish(asked, at);
  try {
    let answer: unknown;
    let total: number | undefined;
    for (;;) {
      const { done, value } = merging.next(answer);
      if (done) return value;
      answer = "needs" in value ? await answerIn(run, workspace, value.needs) : await applyCommand(value);
      total = value.total ?? total;
      run.report(value.done, total);
      await yieldTurn(run);
    }
  } finally {
    // The merge was cancelled, failed, or was already done by another call with the same idempotency key, so
    // discard what was staged. If discarding fails too, the next merge discards what was staged.
    await discard().catch(() => {});
  }
}

const answerIn = (run: MergeRun, workspace: string, needs: MergeNeeds): Promise<unknown> | object =>
  isPause(needs)
    ? {}
    : run.read(function* () {
        return yield* answerMerge(yield* placeOf(workspace), needs);
      });

export async function previewInSlices(
  run: MergeRun,
  asked: AskedMerge,
  at: Date,
): Promise<GraphMergeOutcome> {
  const rounds = planSlices(asked, at);
  let total: number | undefined;
  for (let round = rounds.next(); ; ) {
    if (round.done) return previewOf(round.value);
    const { needs, done, ...more } = round.value;
    const answers = await answerIn(run, asked.workspace, needs);
    total = more.total ?? total;
    run.report(done, total);
    await yieldTurn(run);
    round = rounds.next(answers);
  }
}

/** Reserves numbers for a merge. Waits while another large merge is staged. */
async function reserve(
  run: MergeRun,
  { workspace, doc, from, into }: AskedMerge,
  wanted: { sides: MergeSides; size: number; headroom: number },
): Promise<{ block: Block; waited: boolean }> {
  const deadline = performance.now() + waitsForOthersMs;
  const name = (ref: AskedMerge["from"]) => ("name" in ref ? ref.name : "");
  for (let waited = false; ; waited = true) {
    await sweepMerges(run);
    const target = { doc: wanted.sides.doc, into: wanted.sides.into.branch };
    const block = await run.write(function* () {
      return yield* reserveBlock(yield* placeOf(workspace), target, wanted, run.nowMs());
    });
    if (block) return { block, waited };
    if (performance.now() > deadline)
      throw memoryFailure("merge_outrun", { workspace, doc, from: name(from), into: name(into) });
    await new Promise((resolve) => setTimeout(resolve, 10));
    await yieldTurn(run);
  }
}

/** Lets other calls run. Cancels a merge if its caller no longer waits for it. */
async function yieldTurn({ signal }: MergeRun): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

function* placeOf(workspace: string): Query<Place> {
  const place = yield* findWorkspace(workspace);
  if (!place) throw new Error(`the workspace ${workspace} is gone`);
  return place;
}

/** Finishes or removes the remains of killed merges. Returns true if another merge is still running. */
async function sweepMerges(run: SweepRun): Promise<boolean> {
  const { staged, published } = await run.read(() => leftBehind(run.nowMs()));
  for (const block of staged) await repeat(run, block, discardSome);
  for (const block of published) await repeat(run, block, tidySome);
  return run.read(hasBlocks);
}

/**
 * Tidies up every published merge, even a recent one. If another process does the same at the same time, they share
 * the work.
 */
export async function tidyPublished(run: Pick<SweepRun, "read" | "write">): Promise<void> {
  const { published } = await run.read(() => leftBehind(Number.MAX_SAFE_INTEGER));
  for (const block of published) await repeat(run, block, tidySome);
}

/** Repeats a step, each time in its own transaction. The queue lets other writes run in between. */
async function repeat(
  { write }: Pick<SweepRun, "write">,
  block: Block,
  some: (block: Block, after: number) => Query<number | undefined>,
  first = 0,
): Promise<void> {
  for (let after: number | undefined = first; after !== undefined; ) {
    const from: number = after;
    after = await write(() => some(block, from));
  }
}

/** Returns a function to call on every write. It sweeps once, and again while another merge is running. */
export function createSweeper(run: SweepRun): () => void {
  let begun = false;
  async function sweep(): Promise<void> {
    const isUndecided = await sweepMerges(run);
    if (isUndecided) setTimeout(quietly, abandonedAfterMs + 1).unref();
  }
  // If a sweep fails, the next large merge or the next process tries again.
  const quietly = () => void sweep().catch(() => {});
  return () => {
    if (begun) return;
    begun = true;
    quietly();
  };
}
