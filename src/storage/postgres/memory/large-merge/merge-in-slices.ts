import { memoryFailure } from "../../../../domain/memory/failures.ts";
import {
  type MergeCommand,
  mergeInSlices as planAndStage,
  planSlices,
  publishMerge,
} from "../../../../domain/memory/merge/large-merge.ts";
import type { MergeSides } from "../../../../domain/memory/merge/merge-sides.ts";
import { type AskedMerge, previewOf } from "../../../../domain/memory/merge/plan-merge.ts";
import type { GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { Connection, WithConnection, WithWrite, WriteConnection } from "../../connection/access.ts";
import { reachSeq, tellSeq } from "../../connection/sequence.ts";
import { answerMerge, inPlace } from "../merge/answer-merge.ts";
import { findWorkspace, type Place, type WritablePlace } from "../places.ts";
import { applyWrites } from "../rows/apply-writes.ts";
import { openStaged, stageConflicts } from "../rows/write-merges.ts";
import { writeVersions } from "../rows/write-versions.ts";
import {
  abandonedAfterMs,
  type Block,
  discardSome,
  forgetBlock,
  hasBlocks,
  leftBehind,
  publishBlock,
  reserveBlock,
  tidySome,
  touchBlock,
  withdrawVersions,
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

/** The publishing transaction. Everything around it, such as the feed and idempotency keys, is the caller's. */
type Publish = (
  work: (connection: WriteConnection) => Promise<GraphMergeOutcome | undefined>,
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
      return { firstSeq: reserved.block.firstSeq, waited: reserved.waited };
    }
    const staged = block;
    if (!staged) throw new Error("nothing is staged before numbers are reserved");
    if (command.do === "stage")
      return run.write(async (connection) => {
        if (!(await touchBlock(connection, staged, run.nowMs()))) return false;
        if (command.version.length > 0) writeVersions(connection, command.version);
        if (command.conflict.length > 0) connection.send(stageConflicts(connection, command.conflict));
        return true;
      });
    let isPublished = false;
    const outcome = await publish(async (connection) => {
      if (!(await touchBlock(connection, staged, run.nowMs()))) return undefined;
      const done = await publishAll(await placeOf(connection, workspace), staged, command, at);
      isPublished = done !== undefined;
      return done;
    });
    if (isPublished) {
      block = undefined;
      // If this fails, the next process finishes it.
      if (command.staged.replacesOwn) await repeat(run, staged, tidySome).catch(() => {});
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

const answerIn = (run: SweepRun, workspace: string, needs: Parameters<typeof answerMerge>[1]) =>
  run.read(async (connection) => answerMerge(await placeOf(connection, workspace), needs));

/** Call inside a write. All of the merge is there afterwards: it is ahead of the counter, which moves over it. */
async function publishAll(
  place: WritablePlace,
  block: Block,
  { plan, staged }: Extract<MergeCommand, { do: "publish" }>,
  at: Date,
): Promise<GraphMergeOutcome | undefined> {
  const { connection, wid } = place;
  tellSeq(connection);
  const publication = await inPlace(place, publishMerge(plan, staged, at));
  if (!publication) return undefined;
  const { withdrawn, last, lastSeq, writes, outcome } = publication;
  await withdrawVersions(place, block, withdrawn);
  if (staged.replacesOwn) publishBlock(connection, block);
  else forgetBlock(connection, block);
  if (last) {
    const { liveNodes, inheritedNodes, liveEdges } = last.tally;
    connection.send(
      connection
        .sql(`UPDATE graph_versions SET live_nodes = ?, inherited_nodes = ?, live_edges = ?
          WHERE tenant = @tenant AND seq = ?`)
        .run(liveNodes, inheritedNodes, liveEdges, last.seq),
    );
  }
  if (lastSeq !== undefined) reachSeq(connection, lastSeq);
  const conflict = await openStaged(connection, wid, writes.conflict ?? []);
  applyWrites(connection, { ...writes, conflict });
  return outcome;
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

/** Each piece is a transaction of its own; the queue lets others in between. */
async function repeat(
  { write }: Pick<SweepRun, "write">,
  block: Block,
  some: (place: WritablePlace, block: Block, after: number) => Promise<number | undefined>,
): Promise<void> {
  const { wid } = block;
  for (let after: number | undefined = 0; after !== undefined; ) {
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
