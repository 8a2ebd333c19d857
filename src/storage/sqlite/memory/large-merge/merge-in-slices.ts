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
import type { WithConnection } from "../../connection/access.ts";
import type { Connection } from "../../connection/open-database.ts";
import { answerMerge } from "../merge/answer-merge.ts";
import { findWorkspace, type Place } from "../places.ts";
import { stageConflicts } from "../rows/write-merges.ts";
import { writeVersions } from "../rows/write-versions.ts";
import {
  type Block,
  discardSome,
  reserveBlock,
  stageSettled,
  supersededAll,
  tidySome,
  touchBlock,
} from "./merge-block.ts";
import { repeat, sweepMerges } from "./sweep-merges.ts";

/** Longer than the largest merge takes. */
const waitsForOthersMs = 60_000;

/** How a large merge runs, and whom it reports to. */
export type MergeRun = {
  read: WithConnection;
  write: WithConnection;
  nowMs(): number;
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
      return run.write((connection) => {
        if (!touchBlock(connection, staged, run.nowMs())) return false;
        if (command.version.length > 0) writeVersions(connection, command.version);
        if (command.conflict.length > 0) stageConflicts(connection, command.conflict);
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
      await yieldTurn(run);
    }
  } finally {
    // Cancelled, failed, or made by another call with the same key: what was staged goes. If that fails too, the next
    // merge sees to it.
    await discard().catch(() => {});
  }
}

const answerIn = (run: MergeRun, workspace: string, needs: MergeNeeds) =>
  isPause(needs) ? {} : run.read((connection) => answerMerge(placeOf(connection, workspace), needs));

export async function previewInSlices(
  run: MergeRun,
  asked: AskedMerge,
  at: Date,
): Promise<GraphMergeOutcome> {
  const { workspace } = asked;
  const rounds = planSlices(asked, at);
  let total: number | undefined;
  for (let round = rounds.next(); ; ) {
    if (round.done) return previewOf(round.value);
    const { needs, done, ...more } = round.value;
    const answers = await answerIn(run, workspace, needs);
    total = more.total ?? total;
    run.report(done, total);
    await yieldTurn(run);
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
    const block = await run.write((connection) =>
      reserveBlock(placeOf(connection, workspace), target, wanted, run.nowMs()),
    );
    if (block) return { block, waited };
    if (performance.now() > deadline)
      throw memoryFailure("merge_outrun", { workspace, doc, from: name(from), into: name(into) });
    await new Promise((resolve) => setTimeout(resolve, 10));
    await yieldTurn(run);
  }
}

/** Others get their turn. Ends a merge that no one waits for any more. */
async function yieldTurn({ signal }: MergeRun): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

function placeOf(connection: Connection, workspace: string): Place {
  const place = findWorkspace(connection, workspace);
  if (!place) throw new Error(`the workspace ${workspace} is gone`);
  return place;
}
