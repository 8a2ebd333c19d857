import { memoryFailure } from "../../../../domain/memory/failures.ts";
import type { GraphMerge, GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { Connection } from "../../connection/open-database.ts";
import { outcomeOf, planMerge } from "../merge/plan-merge.ts";
import { type Block, discardSome, reserveBlock } from "./merge-block.ts";
import { findTarget, type MergeTarget, placeOf, sidesNow } from "./merge-target.ts";
import { publishMerge } from "./publish-merge.ts";
import { type MergeRun, readInPieces, yieldTurn } from "./slices.ts";
import { type Staged, stageInSlices } from "./stage-in-slices.ts";
import { repeat, sweepMerges } from "./sweep-merges.ts";
import { tidySome } from "./tidy-merge.ts";

/** A merge whose branches change faster than it is staged is begun again this often. */
const maxTries = 3;
const waitsForOthersMs = 15_000;

/** The publishing transaction: everything around it, such as the feed and idempotency keys, is the caller's. */
type Publish = (
  work: (connection: Connection) => GraphMergeOutcome | undefined,
) => Promise<GraphMergeOutcome | undefined>;

/** Staged in short transactions that nobody sees, and published by one: readers see all of it or nothing. */
export async function mergeInSlices(
  run: MergeRun,
  workspace: string,
  merge: GraphMerge,
  at: Date,
  publish: Publish,
): Promise<GraphMergeOutcome> {
  const target = await run.read((connection) => findTarget(connection, workspace, merge));
  for (let tries = 0; tries < maxTries; tries += 1) {
    const early = await readInPieces(run, target, planMerge(merge, at));
    const { block, waited } = await reserve(run, target);
    let outcome: GraphMergeOutcome | undefined;
    let staged: Staged | undefined;
    let isPublished = false;
    try {
      const plan = waited ? await readInPieces(run, target, planMerge(merge, at)) : early;
      const written = await stageInSlices(run, target, plan, block);
      staged = written;
      outcome =
        written &&
        (await publish((connection) => {
          const done = publishMerge(connection, target, plan, block, written, run.nowMs());
          isPublished = done !== undefined;
          return done;
        }));
    } finally {
      // Cancelled, failed, outrun, or made by another call with the same key: what was staged goes. Where that fails too,
      // the next merge sees to it.
      if (!outcome || !isPublished) await repeat(run, block, discardSome).catch(() => {});
    }
    if (!outcome) continue;
    if (isPublished && staged?.replacesOwn) await repeat(run, block, tidySome).catch(() => {});
    return outcome;
  }
  throw memoryFailure("merge_outrun", { ...merge, workspace });
}

export async function previewInSlices(
  run: MergeRun,
  workspace: string,
  merge: GraphMerge,
  at: Date,
): Promise<GraphMergeOutcome> {
  const target = await run.read((connection) => findTarget(connection, workspace, merge));
  const plan = await readInPieces(run, target, planMerge(merge, at));
  return run.read((connection) => outcomeOf(sidesNow(connection, target), plan));
}

/** Waits while another large merge is staged. */
async function reserve(run: MergeRun, target: MergeTarget): Promise<{ block: Block; waited: boolean }> {
  const deadline = performance.now() + waitsForOthersMs;
  const { workspace, merge, into } = target;
  for (let waited = false; ; waited = true) {
    await sweepMerges(run);
    const block = await run.write((connection) => {
      const { doc } = sidesNow(connection, target);
      // Each edge may bring both of its ends.
      const size = 3 * merge.limit;
      return reserveBlock(placeOf(connection, target), { doc, into }, size, run.nowMs());
    });
    if (block) return { block, waited };
    if (performance.now() > deadline) throw memoryFailure("merge_outrun", { ...merge, workspace });
    await new Promise((resolve) => setTimeout(resolve, 10));
    await yieldTurn(run);
  }
}
