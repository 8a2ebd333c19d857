import { memoryFailure } from "../../../../domain/memory/failures.ts";
import type { Tally } from "../../../../domain/memory/graph/plan-versions.ts";
import {
  type MergeCommand,
  mergeInSlices as planAndStage,
  planSlices,
  publishMerge,
} from "../../../../domain/memory/merge/large-merge.ts";
import type { MergeSides } from "../../../../domain/memory/merge/merge-sides.ts";
import { type AskedMerge, previewOf } from "../../../../domain/memory/merge/plan-merge.ts";
import type { GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { WithConnection } from "../../connection/access.ts";
import type { Connection } from "../../connection/open-database.ts";
import { reachSeq } from "../../connection/sequence.ts";
import { answerMerge } from "../merge/answer-merge.ts";
import { inPlace } from "../merge/merge-graph.ts";
import { findWorkspace, type Place } from "../places.ts";
import { applyWrites } from "../rows/apply-writes.ts";
import { openStaged, stageConflicts } from "../rows/write-merges.ts";
import { writeVersions } from "../rows/write-versions.ts";
import {
  type Block,
  discardSome,
  publishBlock,
  reserveBlock,
  stageSettled,
  supersededAll,
  tidySome,
  touchBlock,
  withdrawSettled,
  withdrawVersions,
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

/** The publishing transaction. Everything around it, such as the feed and idempotency keys, is the caller's. */
type Publish = (
  work: (connection: Connection) => GraphMergeOutcome | undefined,
) => Promise<GraphMergeOutcome | undefined>;

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
      return { firstSeq: reserved.block.firstSeq, waited: reserved.waited, stagesSettled: true };
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
    let isPublished = false;
    const outcome = await publish((connection) => {
      if (!touchBlock(connection, staged, run.nowMs())) return undefined;
      const done = publishAll(placeOf(connection, workspace), staged, command, at);
      isPublished = done !== undefined;
      return done;
    });
    if (isPublished) {
      block = undefined;
      // If this fails, the next process finishes it.
      const first = command.staged.replacesOwn ? 0 : supersededAll;
      await repeat(run, staged, tidySome, first).catch(() => {});
    }
    return outcome;
  }

  const merging = planAndStage(asked, at);
  try {
    let answer: unknown;
    let total: number | undefined;
    for (;;) {
      const { done, value } = merging.next(answer);
      if (done) return value;
      answer =
        "needs" in value
          ? await run.read((connection) => answerMerge(placeOf(connection, workspace), value.needs))
          : await carryOut(value);
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

/** Call inside a write. All of the merge is there afterwards: it is ahead of the counter, which moves over it. */
function publishAll(
  place: Place,
  block: Block,
  { plan, staged }: Extract<MergeCommand, { do: "publish" }>,
  at: Date,
): GraphMergeOutcome | undefined {
  const { connection, wid } = place;
  const publication = inPlace(place, publishMerge(plan, staged, at));
  if (!publication) return undefined;
  const { withdrawn, unsettled, last, lastSeq, writes, outcome } = publication;
  withdrawVersions(place, block, withdrawn);
  withdrawSettled(connection, block, unsettled);
  publishBlock(connection, block);
  if (last) setTally(connection, last.seq, last.tally);
  if (lastSeq !== undefined) reachSeq(connection, lastSeq);
  const conflict = openStaged(connection, wid, writes.conflict ?? []);
  applyWrites(connection, { ...writes, conflict });
  return outcome;
}

function setTally({ sql }: Connection, seq: number, { liveNodes, inheritedNodes, liveEdges }: Tally): void {
  sql("UPDATE graph_versions SET live_nodes = ?, inherited_nodes = ?, live_edges = ? WHERE seq = ?").run(
    ...[liveNodes, inheritedNodes, liveEdges, seq],
  );
}

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
    const answers = await run.read((connection) => answerMerge(placeOf(connection, workspace), needs));
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
