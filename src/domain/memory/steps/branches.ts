import { type Deciding, type Draft, learn, nextRow, nextSeq, workspaceOf, write } from "./draft.ts";
import { noteNewBranch } from "./facts.ts";
import type { BranchRow } from "./rows.ts";

/** With a number of its own, so that a branch made anew under an old name is another branch. */
export function* addBranch(draft: Draft, name: string, base: BranchRow | undefined): Deciding<BranchRow> {
  const bid = yield* nextRow(draft, "branch");
  const baseSeq = base ? draft.numbers.last : 0;
  const branch: BranchRow = {
    bid,
    uid: `${name}@${nextSeq(draft)}`,
    name,
    base: base?.bid,
    baseSeq,
    depth: base ? base.depth + 1 : 0,
    createdAtMs: draft.at.getTime(),
    deletedAtMs: undefined,
  };
  write(draft, "branch", { ...branch, wid: workspaceOf(draft).wid });
  noteNewBranch(draft.facts, branch);
  learn(draft, "branch", name, branch);
  learn(draft, "branchById", bid, branch);
  if (base) learn(draft, "branchedAt", base.bid, baseSeq);
  return branch;
}
