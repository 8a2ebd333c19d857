import { memoryFailure } from "./failures.ts";
import { formatRef } from "./ref.ts";
import { branchTaken } from "./refusals.ts";

export type ResetFacts = {
  workspace: string;
  branch: string;
  /** The commit that is asked for; `undefined` where there is none of that number. */
  commit: { doc: string; branch: string } | undefined;
  /** Whether the branch's view shows it. */
  isShown: boolean;
};

/** A ref never leaves what its branch shows: a commit elsewhere could go with the branch that it is on. */
export function checkReset(
  { workspace, branch, commit, isShown }: ResetFacts,
  { doc, seq }: { doc: string; seq: number },
): void {
  const ref = formatRef({ doc, seq });
  if (commit?.doc !== doc) throw memoryFailure("unknown_commit", { workspace, ref });
  if (!isShown)
    throw memoryFailure("commit_not_visible", { workspace, branch, doc, ref, found_on: commit.branch });
}

export type TagFacts = {
  workspace: string;
  isCommit: boolean;
  isBranch: boolean;
  known: { doc: string; seq: number } | undefined;
};

/** Whether the tag has to be written; it may stand where it is asked for already. */
export function decideTag(
  { workspace, isCommit, isBranch, known }: TagFacts,
  { name, seq, force }: { name: string; seq: number; force: boolean },
): boolean {
  if (!isCommit) throw memoryFailure("unknown_commit", { workspace, ref: `@${seq}` });
  if (isBranch) throw branchTaken(name, workspace);
  if (known?.seq === seq) return false;
  if (known && !force) throw memoryFailure("tag_taken", { workspace, name, doc: known.doc, seq: known.seq });
  return true;
}
