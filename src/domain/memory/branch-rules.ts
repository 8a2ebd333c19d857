import { memoryFailure } from "./failures.ts";
import { isReservedBranch, memoryLimits } from "./limits.ts";
import { branchTaken, reservedBranch, tooDeep } from "./refusals.ts";

/** Who holds a name: branches and tags exclude each other, because a ref may be either. */
export type NameFacts = { workspace: string; name: string; isBranch: boolean; isTag: boolean };

/** Branches of sessions, plans and tasks come and go with those. */
export function refuseReserved(workspace: string, name: string): void {
  if (isReservedBranch(name)) throw reservedBranch(name, workspace);
}

export function requireFreeName({ workspace, name, isBranch, isTag }: NameFacts): void {
  refuseReserved(workspace, name);
  if (isBranch) throw branchTaken(name, workspace);
  if (isTag) throw memoryFailure("name_is_tag", { workspace, name });
}

export function checkCreation(name: NameFacts, base: { name: string; depth: number }): void {
  requireFreeName(name);
  if (base.depth >= memoryLimits.depth) throw tooDeep(base.name, name.workspace);
}

export type DeletionFacts = {
  workspace: string;
  name: string;
  isCheckedOut: boolean;
  /** Another branch, to check out instead. */
  other: string | undefined;
  /** A branch that was made from this one. */
  child: string | undefined;
};

export function checkDeletion({ workspace, name, isCheckedOut, other, child }: DeletionFacts): void {
  if (isCheckedOut) throw memoryFailure("branch_checked_out", { workspace, branch: name, other });
  if (child !== undefined) throw memoryFailure("branch_has_children", { workspace, branch: name, child });
}

export type RestorationFacts = {
  /** The name under which it comes back. */
  as: NameFacts;
  /** The branch that is deleted; `undefined` where there is none. */
  deleted: { name: string; base: { name: string; isDeleted: boolean } | undefined } | undefined;
  asked: string;
};

export function checkRestoration({ as, deleted, asked }: RestorationFacts): void {
  const { workspace } = as;
  if (!deleted) throw memoryFailure("branch_not_deleted", { workspace, branch: asked });
  requireFreeName(as);
  const { name: branch, base } = deleted;
  if (base?.isDeleted) throw memoryFailure("base_is_deleted", { workspace, branch, base: base.name });
}
