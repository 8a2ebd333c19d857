import type { WithConnection } from "../../connection/access.ts";
import type { Piece } from "../merge/plan-merge.ts";
import { type MergeTarget, sidesNow } from "./merge-target.ts";

/** How a large merge goes about it, and whom it reports to. */
export type MergeRun = {
  read: WithConnection;
  write: WithConnection;
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
    const piece = step.value;
    if ("read" in piece) await run.read((connection) => piece.read(sidesNow(connection, target)));
    else {
      run.report(piece.progress);
      await yieldTurn(run);
    }
  }
}

/** Others get their turn. Ends a merge that nobody waits for any more. */
export async function yieldTurn({ signal }: MergeRun): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
