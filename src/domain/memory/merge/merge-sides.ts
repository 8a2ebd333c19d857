import { memoryFailure, unknownBranch } from "../failures.ts";
import { type Lineage, lineageOf } from "../lineage.ts";
import type { BranchFacts, BranchRef, KnownDifference, SidesFacts } from "./merge-questions.ts";

export type Side = { branch: number; uid: string; name: string; view: Lineage };

/** A snapshot of the two branches of a merge. One branch was created from the other. */
export type MergeSides = {
  workspace: string;
  wid: number;
  from: Side;
  into: Side;
  docName: string;
  /** The number of the document. 0 if no branch has it, because no row uses 0. */
  doc: number;
  /** The branch that was created from the other. */
  child: number;
  /** The seq at which the child was created. */
  madeAt: number;
  base: Lineage;
  /** The merge covers only changes in the source after this seq. The target inherited earlier changes. */
  since: number;
  /** All changes in the source up to this seq are settled with the target. */
  mark: number;
  lastSeq: number;
  branchedAt: number;
  hasGraph: boolean;
  known: KnownDifference | undefined;
};

type Asked = { workspace: string; from: BranchRef; into: BranchRef; doc: string };

export function pairSides(
  { workspace, from: source, into: target, doc }: Asked,
  facts: SidesFacts,
): MergeSides {
  const [from, into] = [present(workspace, source, facts.from), present(workspace, target, facts.into)];
  const [made, base] = [from.links[0], into.links[0]];
  const isReturn = made?.base === into.branch;
  if (!isReturn && base?.base !== from.branch)
    throw memoryFailure("not_its_base", {
      workspace,
      from: from.name,
      into: into.name,
      based: made?.base !== undefined,
    });
  const madeAt = (isReturn ? made?.baseSeq : base?.baseSeq) ?? 0;
  const since = isReturn ? 0 : madeAt;
  const child = isReturn ? from.branch : into.branch;
  const parent = isReturn ? into : from;
  return {
    workspace,
    wid: facts.wid,
    from: sideOf(from, facts.lastSeq),
    into: sideOf(into, facts.lastSeq),
    docName: doc,
    doc: facts.doc ?? 0,
    child,
    madeAt,
    base: lineageOf(parent.links, madeAt),
    since,
    mark: Math.max(since, facts.mark),
    lastSeq: facts.lastSeq,
    branchedAt: facts.branchedAt,
    hasGraph: facts.hasGraph,
    known: facts.known.get(child),
  };
}

export function present(workspace: string, asked: BranchRef, found: BranchFacts | undefined): BranchFacts {
  if (!found || found.isDeleted)
    throw unknownBranch(found?.name ?? ("name" in asked ? asked.name : ""), workspace);
  return found;
}

/** Describes one side of a merge. Ignores seqs above the counter, where another merge may be staged. */
const sideOf = ({ branch, uid, name, links }: BranchFacts, lastSeq: number): Side => ({
  branch,
  uid,
  name,
  view: lineageOf(links, lastSeq),
});
