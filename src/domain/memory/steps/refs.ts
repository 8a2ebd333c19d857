import { formatRef } from "../entry.ts";
import { branchTaken, memoryFailure, tagHidden } from "../failures.ts";
import { cutoffs, sees } from "../lineage.ts";
import {
  addEntry,
  branchOrCheckout,
  type Deciding,
  type Draft,
  known,
  learn,
  need,
  nextSeq,
  openStream,
  wantBranch,
  workspaceOf,
  write,
} from "./draft.ts";
import type { Tag } from "./outcomes.ts";
import type { BranchRow, KnownTag, LineageScope, WriteKinds } from "./rows.ts";
import type { StepInput, StepOutcome } from "./step.ts";

/** Returns a document's ref. If the branch never moved it, returns the ref inherited from the base. */
function* refOf(draft: Draft, { bid }: BranchRow, docName: string): Deciding<number | undefined> {
  yield* need(draft, { kind: "doc", keys: [docName] }, { kind: "lineage", keys: [bid] });
  const doc = known(draft, "doc", docName);
  if (doc === undefined) return undefined;
  const scope: LineageScope = { bid, lineage: known(draft, "lineage", bid) };
  yield* need(draft, { kind: "ref", keys: [doc], scope });
  return known(draft, "ref", doc, scope);
}

/** Appends an entry to a document and moves the document's ref to it. */
export function* commit(
  draft: Draft,
  { branch: name, doc, entry }: StepInput<"commit">,
): Deciding<StepOutcome<"commit">> {
  yield* need(draft, wantBranch(name), { kind: "doc", keys: [doc] });
  const branch = branchOrCheckout(draft, name);
  const { bid } = branch;
  // Loads the facts for the entry together with those for the ref.
  yield* need(draft, { kind: "lineage", keys: [bid] }, { kind: "log", keys: [doc], scope: { bid } });
  const parent = yield* refOf(draft, branch, doc);
  const stored = yield* addEntry(draft, branch, doc, entry);
  write(draft, "commit", { seq: stored.seq, parent });
  learn(draft, "commit", stored.seq, { ...stored, parent, bid });
  const move = {
    action: "commit",
    previous: parent,
    current: stored.seq,
    message: entry.title ?? "",
  } as const;
  yield* moveRef(draft, branch, doc, move);
  return { ...stored, parent };
}

type Move = Pick<WriteKinds["refMove"], "action" | "previous" | "current" | "message">;

function* moveRef(draft: Draft, branch: BranchRow, docName: string, move: Move): Deciding<void> {
  const { bid } = branch;
  const seq = nextSeq(draft);
  const doc = yield* openStream(draft, branch, docName, "log", seq);
  write(draft, "refMove", { seq, bid, doc, ...move, tsMs: draft.at.getTime() });
  learn(draft, "ref", doc, move.current, { bid, lineage: known(draft, "lineage", bid) });
}

export function* reset(
  draft: Draft,
  { branch: name, doc, seq }: StepInput<"reset">,
): Deciding<StepOutcome<"reset">> {
  yield* need(draft, wantBranch(name), { kind: "commit", keys: [seq] }, { kind: "doc", keys: [doc] });
  const branch = branchOrCheckout(draft, name);
  const commit = known(draft, "commit", seq);
  yield* need(draft, { kind: "lineage", keys: [branch.bid] });
  const view = cutoffs(known(draft, "lineage", branch.bid));
  const isShown = commit !== undefined && sees(view, commit.bid, seq);
  checkReset({ workspace: draft.workspace, branch: branch.name, commit, isShown }, { doc, seq });
  const previous = yield* refOf(draft, branch, doc);
  if (previous !== seq)
    yield* moveRef(draft, branch, doc, { action: "reset", previous, current: seq, message: "" });
  return {
    previous: previous === undefined ? undefined : { branch: branch.name, doc, seq: previous },
    current: { branch: branch.name, doc, seq },
  };
}

export function* createTag(
  draft: Draft,
  { name, seq, force }: StepInput<"create_tag">,
): Deciding<StepOutcome<"create_tag">> {
  yield* need(
    draft,
    { kind: "tag", keys: [name] },
    { kind: "branch", keys: [name] },
    { kind: "commit", keys: [seq] },
  );
  const tag = known(draft, "tag", name);
  const commit = known(draft, "commit", seq);
  const isBranch = known(draft, "branch", name) !== undefined;
  const facts = { workspace: draft.workspace, isCommit: commit !== undefined, isBranch, known: tag };
  if (!decideTag(facts, { name, seq, force }) && tag) return showTag(tag);
  if (!commit) throw new Error(`The commit ${seq} does not exist.`);
  const created_at_ms = draft.at.getTime();
  const made = { name, seq, branch: commit.branch, doc: commit.doc, created_at_ms };
  const { wid } = workspaceOf(draft);
  write(draft, "tag", { wid, name, seq, ordinal: nextSeq(draft), createdAtMs: created_at_ms });
  learn(draft, "tag", name, { ...made, hidden: false });
  return made;
}

const showTag = ({ hidden: _hidden, ...tag }: KnownTag): Tag => tag;

export function* deleteTag(
  draft: Draft,
  { name }: StepInput<"delete_tag">,
): Deciding<StepOutcome<"delete_tag">> {
  const { workspace } = draft;
  yield* need(draft, { kind: "tag", keys: [name] });
  const tag = known(draft, "tag", name);
  if (!tag || tag.hidden) throw memoryFailure("unknown_tag", { workspace, name });
  write(draft, "tag", { wid: workspaceOf(draft).wid, name, seq: undefined, ordinal: 0, createdAtMs: 0 });
  learn(draft, "tag", name, undefined);
  return { deleted: true };
}

type ResetFacts = {
  workspace: string;
  branch: string;
  /** The requested commit. `undefined` if no commit has that number. */
  commit: { doc: string; branch: string } | undefined;
  /** True if the commit is visible on the branch. */
  isShown: boolean;
};

/**
 * Refuses a commit that is not visible on the branch, because it could disappear when its own branch is
 * deleted.
 */
function checkReset(
  { workspace, branch, commit, isShown }: ResetFacts,
  { doc, seq }: { doc: string; seq: number },
): void {
  const ref = formatRef({ doc, seq });
  if (commit?.doc !== doc) throw memoryFailure("unknown_commit", { workspace, ref });
  if (!isShown)
    throw memoryFailure("commit_not_visible", { workspace, branch, doc, ref, found_on: commit.branch });
}

type TagFacts = {
  workspace: string;
  isCommit: boolean;
  isBranch: boolean;
  known: KnownTag | undefined;
};

/** Returns false if the tag already points to the wanted commit. */
function decideTag(
  { workspace, isCommit, isBranch, known }: TagFacts,
  { name, seq, force }: { name: string; seq: number; force: boolean },
): boolean {
  if (!isCommit) throw memoryFailure("unknown_commit", { workspace, ref: `@${seq}` });
  if (isBranch) throw branchTaken(name, workspace);
  if (known?.seq === seq) return false;
  if (known?.hidden && !force) throw tagHidden(workspace, known);
  if (known && !force) throw memoryFailure("tag_taken", { workspace, name, doc: known.doc, seq: known.seq });
  return true;
}
