import type { WithConnection } from "../../connection/access.ts";
import type { Place } from "../places.ts";
import { abandonedAfterMs, type Block, discardSome, hasBlocks, leftBehind, tidySome } from "./merge-block.ts";

type SweepRun = { read: WithConnection; write: WithConnection; nowMs(): number };

/** Finishes or removes what merges left behind that were killed. Returns whether another one is still going on. */
export async function sweepMerges(run: SweepRun): Promise<boolean> {
  const { staged, published } = await run.read((connection) => leftBehind(connection, run.nowMs()));
  for (const block of staged) await repeat(run, block, discardSome);
  for (const block of published) await repeat(run, block, tidySome);
  return run.read(hasBlocks);
}

/** What is published is also tidied. Does nothing if another one sees to it meanwhile. */
export async function tidyPublished(run: Pick<SweepRun, "read" | "write">): Promise<void> {
  const { published } = await run.read((connection) => leftBehind(connection, Number.POSITIVE_INFINITY));
  for (const block of published) await repeat(run, block, tidySome);
}

/** Each piece is a transaction of its own; the queue lets others in between. */
export async function repeat(
  { write }: Pick<SweepRun, "write">,
  block: Block,
  some: (place: Place, block: Block, after: number) => number | undefined,
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
