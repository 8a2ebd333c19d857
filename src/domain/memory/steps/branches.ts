import { branchTaken, memoryFailure, reservedBranch, tagHidden, tooDeep } from "../failures.ts";
import { defaultBranch, isReservedBranch, memoryLimits, placeLastsMs } from "../limits.ts";
import { lineageOf } from "../lineage.ts";
import { planNoteMerge } from "../merge/merge-notes.ts";
import { ask, type LeavingFacts } from "../merge/merge-questions.ts";
import { planMerge, previewOf } from "../merge/plan-merge.ts";
import type { MemoryChange } from "./changes.ts";
import {
  branchOrCheckout,
  type Deciding,
  type Draft,
  keepPlace,
  known,
  learn,
  maybeKnown,
  need,
  nextRow,
  nextSeq,
  requireBranch,
  wantBranch,
  workspaceOf,
  write,
} from "./draft.ts";
import { noteNewBranch, noteNewWorkspace } from "./facts.ts";
import type { Branch } from "./outcomes.ts";
import type { BranchRow, KnownTag } from "./rows.ts";
import type { StepInput, StepOutcome } from "./step.ts";

type Opening = {
  workspace: string;
  at: Date;
  /** Binds the workspace to a project at its first write. */
  projectGuard?: string | undefined;
  /** The project that a new workspace belongs to. */
  project?: string | undefined;
};

/** True if the workspace exists and, if a project guard is required, is bound to a project. */
export function hasWorkspace(draft: Draft, { projectGuard }: Opening): boolean {
  const found = maybeKnown(draft, "workspace", "")?.found;
  return found !== undefined && (projectGuard === undefined || found.projectGuard !== undefined);
}

/** Creates a new workspace with its `main` branch. */
export function* openWorkspace(
  draft: Draft,
  { workspace, projectGuard, project, at }: Opening,
): Deciding<MemoryChange | undefined> {
  yield* need(draft);
  const found = known(draft, "workspace", "");
  if (found) {
    if (projectGuard === undefined || found.projectGuard !== undefined) return undefined;
    write(draft, "projectGuard", { wid: found.wid, projectGuard });
    learn(draft, "workspace", "", { ...found, projectGuard });
    return undefined;
  }
  const wid = yield* nextRow(draft, "workspace");
  noteNewWorkspace(draft.facts);
  write(draft, "workspace", { wid, name: workspace, projectGuard, project, createdAtMs: at.getTime() });
  learn(draft, "workspace", "", { wid, checkout: undefined, projectGuard });
  const checkout = yield* addBranch(draft, defaultBranch, undefined);
  write(draft, "checkout", { wid, bid: checkout.bid });
  learn(draft, "workspace", "", { wid, checkout, projectGuard });
  return { type: "workspace_created", data: { checkout: defaultBranch } };
}

/** Adds a branch with its own number, even if it reuses the name of a deleted branch. */
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
  write(draft, "branch", Object.assign({ wid: workspaceOf(draft).wid }, branch));
  noteNewBranch(draft.facts, branch);
  learn(draft, "branch", name, branch);
  learn(draft, "branchById", bid, branch);
  learn(draft, "branchedAt", bid, 0);
  if (base) learn(draft, "branchedAt", base.bid, baseSeq);
  else learn(draft, "lineage", bid, lineageOf([{ branch: bid, base: undefined, baseSeq }]));
  return branch;
}

const namesFor = (draft: Draft, name: string): NameFacts => ({
  workspace: draft.workspace,
  name,
  isBranch: known(draft, "branch", name) !== undefined,
  tag: known(draft, "tag", name),
});

export function* bootstrap(draft: Draft): Deciding<StepOutcome<"bootstrap">> {
  yield* need(draft);
  return { checkout: branchOrCheckout(draft, undefined).name };
}

export function* createBranch(
  draft: Draft,
  { name, from, ifMissing }: StepInput<"create_branch">,
): Deciding<StepOutcome<"create_branch">> {
  yield* need(draft, wantBranch(name), wantBranch(from), { kind: "tag", keys: [name] });
  const existing = ifMissing && known(draft, "branch", name);
  if (existing) return { ...(yield* showBranch(draft, existing)), created: false };
  const base = branchOrCheckout(draft, from);
  checkCreation(namesFor(draft, name), base);
  return { ...(yield* showBranch(draft, yield* addBranch(draft, name, base))), created: true };
}

export function* showBranch(draft: Draft, branch: BranchRow): Deciding<Branch> {
  const { name, base, baseSeq, createdAtMs, deletedAtMs } = branch;
  if (base !== undefined) yield* need(draft, { kind: "branchById", keys: [base] });
  const based = base === undefined ? undefined : known(draft, "branchById", base);
  return {
    name,
    base_branch: based?.name ?? null,
    base_seq: base === undefined ? null : baseSeq,
    created_at_ms: createdAtMs,
    ...(deletedAtMs !== undefined && { deleted_at_ms: deletedAtMs }),
  };
}

export function* checkout(draft: Draft, { ref }: StepInput<"checkout">): Deciding<StepOutcome<"checkout">> {
  yield* need(draft, wantBranch(ref));
  const previous = branchOrCheckout(draft, undefined).name;
  const next = requireBranch(draft, ref);
  const workspace = workspaceOf(draft);
  write(draft, "checkout", { wid: workspace.wid, bid: next.bid });
  keepPlace(draft, { bid: next.bid });
  learn(draft, "workspace", "", { ...workspace, checkout: next });
  return { previous, current: next.name };
}

export function* renameBranch(
  draft: Draft,
  { old, new: name }: StepInput<"rename_branch">,
): Deciding<StepOutcome<"rename_branch">> {
  for (const word of [old, name]) refuseReserved(draft.workspace, word);
  yield* need(draft, { kind: "branch", keys: [old, name] }, { kind: "tag", keys: [name] });
  const branch = requireBranch(draft, old);
  if (old !== name) requireFreeName(namesFor(draft, name));
  changeBranch(draft, { ...branch, name });
  return { previous: old, current: name };
}

/** Writes a changed branch. Many facts contain branch names, so all facts must be read again. */
function changeBranch(draft: Draft, branch: BranchRow): void {
  write(draft, "branch", Object.assign({ wid: workspaceOf(draft).wid }, branch));
  draft.forgets = true;
}

/**
 * Deletes a branch but erases nothing. Entries that are visible only on this branch are hidden until the
 * branch is restored. Merged entries remain visible on other branches.
 */
export function* deleteBranch(
  draft: Draft,
  { name }: StepInput<"delete_branch">,
): Deciding<StepOutcome<"delete_branch">> {
  refuseReserved(draft.workspace, name);
  yield* need(draft, wantBranch(name));
  const branch = requireBranch(draft, name);
  const { leaving } = yield* ask({ leaving: { branch: branch.bid } });
  yield* need(draft, { kind: "taken", keys: [branch.bid] });
  const takenAt = known(draft, "taken", branch.bid) ?? Number.NEGATIVE_INFINITY;
  const isCheckedOut =
    branchOrCheckout(draft, undefined).bid === branch.bid || takenAt > draft.at.getTime() - placeLastsMs;
  checkDeletion({ workspace: draft.workspace, name, isCheckedOut, ...leaving });
  const unmerged = yield* countUnmerged(draft, name, leaving);
  // Restoring uses the latest deletion, so each deletion of a branch with the same name needs a different
  // time, even within a millisecond or after the clock was set back.
  const { lastDeletedMs = -1 } = leaving;
  changeBranch(draft, { ...branch, deletedAtMs: Math.max(draft.at.getTime(), lastDeletedMs + 1) });
  return { deleted: true, ...unmerged };
}

/** The maximum count. Counts are only shown to the caller, and counting further would delay other calls. */
const maxCounted = 2_000;

/** Counts what a merge of the branch into its base would add. */
function* countUnmerged(
  { workspace, at }: Draft,
  from: string,
  { base: into, streams }: LeavingFacts,
): Deciding<{ unmerged_entries: number; unmerged_keys: number }> {
  let [entries, keys] = [0, 0];
  if (into === undefined) return { unmerged_entries: entries, unmerged_keys: keys };
  for (const { doc, form } of streams) {
    const merge = { doc, after: 0, limit: maxCounted };
    if (form === "log") {
      const { outcome } = yield* planNoteMerge(workspace, { ...merge, from, into });
      entries += outcome.merged;
      continue;
    }
    const asked = { ...merge, workspace, from: { name: from }, into: { name: into } };
    const plan = yield* planMerge(asked, at, { atOnce: maxCounted });
    if (!plan) throw new Error("A merge within its limit needed several slices.");
    const { merged, summary } = previewOf(plan);
    keys += merged + summary.conflicts;
  }
  return { unmerged_entries: entries, unmerged_keys: keys };
}

/** Restores the most recently deleted branch with this name. Deletion only hid the branch's contents. */
export function* restoreBranch(
  draft: Draft,
  { name, as = name }: StepInput<"restore_branch">,
): Deciding<StepOutcome<"restore_branch">> {
  yield* need(
    draft,
    { kind: "deletedBranch", keys: [name] },
    { kind: "branch", keys: [as] },
    { kind: "tag", keys: [as] },
  );
  const branch = known(draft, "deletedBranch", name);
  if (branch?.base !== undefined) yield* need(draft, { kind: "branchById", keys: [branch.base] });
  const base = branch?.base === undefined ? undefined : known(draft, "branchById", branch.base);
  checkRestoration({
    as: namesFor(draft, as),
    asked: name,
    deleted: branch && { name, base: base && { name: base.name, isDeleted: base.deletedAtMs !== undefined } },
  });
  if (!branch) throw new Error(`The branch ${name} does not exist.`);
  const restored = { ...branch, name: as, deletedAtMs: undefined };
  changeBranch(draft, restored);
  return yield* showBranch(draft, restored);
}

/** Branches and tags share a namespace, because a ref can be either. */
type NameFacts = { workspace: string; name: string; isBranch: boolean; tag: KnownTag | undefined };

/** Refuses branches that are created and deleted with their session, plan or task. */
function refuseReserved(workspace: string, name: string): void {
  if (isReservedBranch(name)) throw reservedBranch(name, workspace);
}

function requireFreeName({ workspace, name, isBranch, tag }: NameFacts): void {
  refuseReserved(workspace, name);
  if (isBranch) throw branchTaken(name, workspace);
  if (tag?.hidden) throw tagHidden(workspace, tag);
  if (tag) throw memoryFailure("name_is_tag", { workspace, name });
}

function checkCreation(name: NameFacts, base: { name: string; depth: number }): void {
  requireFreeName(name);
  if (base.depth >= memoryLimits.depth) throw tooDeep(base.name, name.workspace);
}

type DeletionFacts = {
  workspace: string;
  name: string;
  isCheckedOut: boolean;
  /** A branch that callers can check out instead. */
  other: string | undefined;
  /** A branch created from this one. */
  child: string | undefined;
};

function checkDeletion({ workspace, name, isCheckedOut, other, child }: DeletionFacts): void {
  if (isCheckedOut) throw memoryFailure("branch_checked_out", { workspace, branch: name, other });
  if (child !== undefined) throw memoryFailure("branch_has_children", { workspace, branch: name, child });
}

type RestorationFacts = {
  /** The facts about the branch's new name. */
  as: NameFacts;
  /** `undefined` if no deleted branch has the requested name. */
  deleted: { name: string; base: { name: string; isDeleted: boolean } | undefined } | undefined;
  asked: string;
};

function checkRestoration({ as, deleted, asked }: RestorationFacts): void {
  const { workspace } = as;
  if (!deleted) throw memoryFailure("branch_not_deleted", { workspace, branch: asked });
  requireFreeName(as);
  const { name: branch, base } = deleted;
  if (base?.isDeleted) throw memoryFailure("base_is_deleted", { workspace, branch, base: base.name });
}
