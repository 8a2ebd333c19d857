import { memoryFailure } from "../../../../domain/memory/failures.ts";
import {
  type MergeCommand,
  mergeInSlices as planAndStage,
  planSlices,
  type StagedMerge,
} from "../../../../domain/memory/merge/large-merge.ts";
import { isPause, type MergeNeeds } from "../../../../domain/memory/merge/merge-questions.ts";
import type { MergeSides } from "../../../../domain/memory/merge/merge-sides.ts";
import { type AskedMerge, previewOf } from "../../../../domain/memory/merge/plan-merge.ts";
import type { GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { Connection, WithConnection, WithWrite } from "../../connection/access.ts";
import { answerMerge } from "../merge/answer-merge.ts";
import { findWorkspace, type Place, type WritablePlace } from "../places.ts";
import { stageConflicts } from "../rows/write-merges.ts";
import { writeVersions } from "../rows/write-versions.ts";
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

/** Longer than the largest merge takes. */
const waitsForOthersMs = 60_000;

type SweepRun = { read: WithConnection; write: WithWrite; nowMs(): number };

/** How a large merge runs, and whom it reports to. */
export type MergeRun = SweepRun & {
  signal: AbortSignal;
  /** Called after each slice with how many keys it has dealt with, and how many there are once that is known. */
  report(done: number, total: number | undefined): void;
};

/** The step that publishes it, a call like any other. */
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

  async function carryOut(command: Exclude<MergeCommand, { needs: unknown }>): Promise<unknown> {
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
      return run.write(async (connection) => {
        if (!(await touchBlock(connection, staged, run.nowMs()))) return false;
        if (command.version.length > 0) writeVersions(connection, command.version);
        if (command.conflict.length > 0) connection.send(stageConflicts(connection, command.conflict));
        if (command.settled.length > 0) stageSettled(connection, staged, command.settled);
        return true;
      });
    await run.write((connection) => touchBlock(connection, staged, run.nowMs()));
    const { plan, staged: ahead } = command;
    const outcome = await publish({ plan, staged: ahead });
    if (!outcome) return undefined;
    // Nothing is left to discard, unless another call with the same key has merged.
    await discard().catch(() => {});
    // If this fails, the next process finishes it.
    const first = ahead.replacesOwn ? 0 : supersededAll;
    await repeat(run, staged, tidySome, first).catch(() => {});
    return outcome;
  }

  const merging = planAndStage(asked, at);
  try {
    let answer: unknown;
    let total: number | undefined;
    for (;;) {
      const { done, value } = merging.next(answer);
      if (done) return value;
      answer = "needs" in value ? await answerIn(run, workspace, value.needs) : await carryOut(value);
      total = value.total ?? total;
      run.report(value.done, total);
      run.signal.throwIfAborted();
    }
  } finally {
    // Cancelled, failed, or made by another call with the same key: what was staged goes. If that fails too, the next
    // merge sees to it.
    await discard().catch(() => {});
  }
}

async function answerIn(run: MergeRun, workspace: string, needs: MergeNeeds): Promise<unknown> {
  run.signal.throwIfAborted();
  if (isPause(needs)) return new Promise((resolve) => setImmediate(resolve, {}));
  return run.read(async (connection) => answerMerge(await placeOf(connection, workspace), needs));
}

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
    run.signal.throwIfAborted();
    round = rounds.next(answers);
  }
}

/** Waits while another large merge is staged. */
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
    const block = await run.write(async (connection) =>
      reserveBlock(await placeOf(connection, workspace), target, wanted, run.nowMs()),
    );
    if (block) return { block, waited };
    if (performance.now() > deadline)
      throw memoryFailure("merge_outrun", { workspace, doc, from: name(from), into: name(into) });
    await new Promise((resolve) => setTimeout(resolve, 10));
    run.signal.throwIfAborted();
  }
}

async function placeOf<Tx extends Connection>(connection: Tx, workspace: string): Promise<Place<Tx>> {
  const place = await findWorkspace(connection, workspace);
  if (!place) throw new Error(`the workspace ${workspace} is gone`);
  return place;
}

/** Finishes or removes what merges left behind that were killed. Returns whether another one is still going on. */
async function sweepMerges(run: SweepRun): Promise<boolean> {
  const { staged, published } = await run.read((connection) => leftBehind(connection, run.nowMs()));
  for (const block of staged) await repeat(run, block, discardSome);
  for (const block of published) await repeat(run, block, tidySome);
  return run.read(hasBlocks);
}

/** What is published is also tidied. Does nothing if another one sees to it meanwhile. */
export async function tidyPublished(run: Pick<SweepRun, "read" | "write">): Promise<void> {
  const { published } = await run.read((connection) => leftBehind(connection, Number.MAX_SAFE_INTEGER));
  for (const block of published) await repeat(run, block, tidySome);
}

/** Each piece is a transaction of its own; the queue lets others in between. */
async function repeat(
  { write }: Pick<SweepRun, "write">,
  block: Block,
  some: (place: WritablePlace, block: Block, after: number) => Promise<number | undefined>,
  first = 0,
): Promise<void> {
  const { wid } = block;
  for (let after: number | undefined = first; after !== undefined; ) {
    const from: number = after;
    after = await write((connection) => some({ connection, wid, workspace: "" }, block, from));
  }
}

/** Called at every write; sweeps once, behind the first of them, and again where something could not be judged yet. */
export function createSweeper(run: SweepRun): () => void {
  let begun = false;
  async function sweep(): Promise<void> {
    const isUndecided = await sweepMerges(run);
    if (isUndecided) setTimeout(quietly, abandonedAfterMs + 1).unref();
  }
  // Whatever went wrong, the next large merge or the next process tries again.
  const quietly = () => void sweep().catch(() => {});
  return () => {
    if (begun) return;
    begun = true;
    quietly();
  };
}
