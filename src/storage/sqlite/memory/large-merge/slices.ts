import type { Run } from "../../connection/access.ts";
import type { Piece } from "../merge/plan-merge.ts";
import { type MergeTarget, sidesNow } from "./merge-target.ts";

/** How a large merge goes about it, and whom it reports to. */
export type MergeRun = {
  read: Run;
  write: Run;
  nowMs(): number;
  signal: AbortSignal;
  /** Called after each slice with how many keys it has dealt with. */
  report(done: number): void;
};

/** Reads piece by piece: nobody waits for more than one of them. */
export async function readInPieces<Outcome>(
  run: MergeRun,
  target: MergeTarget,
  pieces: Generator<Piece, Outcome>,
): Promise<Outcome> {
  for (let step = pieces.next(); ; step = pieces.next()) {
    if (step.done) return step.value;
    const { read, progress } = step.value;
    await run.read((connection) => read(sidesNow(connection, target)));
    run.report(progress);
    await yieldTurn(run);
  }
}

/** Others get their turn. Ends a merge that nobody waits for any more. */
export async function yieldTurn({ signal }: MergeRun): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
