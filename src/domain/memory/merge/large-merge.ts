import { memoryFailure } from "../failures.ts";
import { addTallies, type Tally } from "../graph/plan-versions.ts";
import { mergeLimits } from "../limits.ts";
import type { GraphMergeOutcome } from "../steps/outcomes.ts";
import type { PublishedMerge, VersionRow, WriteKinds, Writes } from "../steps/rows.ts";
import { ask, type MergeRound, type MergeRounds, slicesOf } from "./merge-questions.ts";
import type { MergeSides } from "./merge-sides.ts";
import {
  concludeMerge,
  conflictRows,
  copyVersions,
  learnDifference,
  openGraph,
  settledRows,
} from "./merge-writes.ts";
import {
  type AskedMerge,
  compareDecisions,
  type MergePlan,
  newConflicts,
  outcomeOf,
  planMerge,
  reviseMerge,
} from "./plan-merge.ts";

/** The maximum number of attempts. An attempt fails if the branches change too much during staging. */
const maxTries = 3;
/** The minimum number of seqs left to other writers during staging. If they use more, the attempt fails. */
const minHeadroom = 10_000;
const nothingAdded: Tally = { liveNodes: 0, inheritedNodes: 0, liveEdges: 0 };

/** Versions whose seqs are above the counter, so they are invisible to readers. */
export type Staged = {
  merge: number;
  /** For each applied key: its version, and how it changes the branch's counts. */
  versions: Map<string, { seq: number; change: Tally }>;
  /** The sum of the changes in `versions`. */
  added: Tally;
  /** True if a version replaces one that the target itself wrote. */
  replacesOwn: boolean;
};

export type StagedMerge = { plan: MergePlan; staged: Staged };

type Commands = {
  /**
   * Reserves seqs, `headroom` ahead of the counter. Waits while another merge is being staged. If `waited` is
   * true, earlier plans are outdated.
   */
  reserve: [
    asked: { sides: MergeSides; size: number; headroom: number },
    answer: { merge: number; firstSeq: number; waited: boolean },
  ];
  /**
   * Writes staged rows. Settled keys take effect when the merge is published. Returns `false` if another
   * writer took the reserved seqs.
   */
  stage: [
    asked: {
      version: readonly VersionRow[];
      conflict: readonly WriteKinds["conflict"][];
      settled: readonly WriteKinds["settled"][];
    },
    answer: boolean,
  ];
  /**
   * Publishes the merge in one short transaction. Returns `undefined` if too much changed, or if another
   * writer took the reserved seqs.
   */
  publish: [asked: StagedMerge, answer: GraphMergeOutcome | undefined];
};

/** `done` counts keys as in `MergeRound`. */
export type MergeCommand =
  | MergeRound
  | {
      [Name in keyof Commands]: { do: Name } & Pick<MergeRound, "done" | "total"> & Commands[Name][0];
    }[keyof Commands];

export type LargeMerge = Generator<MergeCommand, GraphMergeOutcome, unknown>;

function* command<Name extends keyof Commands>(
  name: Name,
  asked: Commands[Name][0],
  done = 0,
): Generator<MergeCommand, Commands[Name][1], unknown> {
  return (yield { do: name, done, ...asked } as MergeCommand) as Commands[Name][1];
}

/**
 * Stages the merge in short transactions whose rows are invisible to readers, and publishes it in one
 * transaction. Readers see the whole merge or nothing.
 */
export function* stageAndPublish(asked: AskedMerge, at: Date): LargeMerge {
  let target = asked;
  for (let tries = 0; tries < maxTries; tries += 1) {
    let plan = yield* planSlices(target, at);
    const { from, into } = plan.sides;
    target = { ...asked, from: { branch: from.branch }, into: { branch: into.branch } };
    // Reserves three seqs per key, because a key may be an edge whose two nodes are also merged.
    const size = 3 * (asked.limit ?? mergeLimits.keys);
    const headroom = Math.max(minHeadroom, plan.page.length);
    const reserved = yield* command("reserve", { sides: plan.sides, size, headroom });
    if (reserved.waited) plan = yield* planSlices(target, at);
    const staged = yield* stageAll(plan, reserved, at);
    const outcome = staged && (yield* command("publish", { plan, staged }));
    if (outcome) return outcome;
  }
  const { workspace, doc } = asked;
  const name = (ref: AskedMerge["from"]) => ("name" in ref ? ref.name : "");
  throw memoryFailure("merge_outrun", { workspace, doc, from: name(asked.from), into: name(asked.into) });
}

export function* planSlices(asked: AskedMerge, at: Date): MergeRounds<MergePlan> {
  const plan = yield* planMerge(asked, at, { slice: mergeLimits.slice });
  if (!plan) throw new Error("planMerge returned no plan for a merge in slices.");
  return plan;
}

function* stageAll(
  plan: MergePlan,
  { merge, firstSeq }: Commands["reserve"][1],
  at: Date,
): Generator<MergeCommand, Staged | undefined, unknown> {
  const { apply, settle } = plan.decision;
  const { slice } = mergeLimits;
  const staged: Staged = { merge, versions: new Map(), added: nothingAdded, replacesOwn: false };
  for (let from = 0; from < Math.max(apply.length, settle.length); from += slice) {
    const keys = apply.slice(from, from + slice);
    const { writes, changes } = copyVersions(plan, keys, plan.tally, firstSeq + staged.versions.size, at);
    const { version, superseded } = writes;
    const settled = settledRows(plan, settle.slice(from, from + slice));
    if (!(yield* command("stage", { version, conflict: [], settled }, keys.length / 2))) return undefined;
    for (const [key, change] of changes) staged.versions.set(key, change);
    staged.added = addTallies([staged.added, ...[...changes.values()].map(({ change }) => change)]);
    staged.replacesOwn ||= superseded.length > 0;
  }
  for (const conflict of slicesOf(conflictRows(plan), mergeLimits.slice))
    if (!(yield* command("stage", { version: [], conflict, settled: [] }))) return undefined;
  return staged;
}

export type Publication = {
  published: PublishedMerge;
  writes: Writes;
  /** The highest seq used. `undefined` if no version was written. */
  lastSeq: number | undefined;
  outcome: GraphMergeOutcome;
};

/**
 * Decides again about keys that either branch changed since the merge was planned. Returns `undefined` if too much
 * changed or the staged rows are gone.
 */
export function* publishMerge(
  { plan: planned, staged }: StagedMerge,
  at: Date,
): MergeRounds<Publication | undefined> {
  const { merge } = staged;
  const { isStaged } = yield* ask({ isStaged: { merge } });
  const plan = isStaged && (yield* reviseMerge(planned, at));
  if (!plan) return undefined;
  const differing = yield* learnDifference(plan);
  const revision = compareDecisions(planned.decision, plan.decision);
  const withdrawn = revision.withdrawn.flatMap(({ key }) => staged.versions.get(key)?.seq ?? []);
  const settling = reviseSettled(planned, plan);
  const { sides, tally } = plan;
  const block = blockOf(tally, staged, new Set(withdrawn));
  const behind = (block?.last ?? sides.lastSeq) + 1;
  const added = copyVersions(plan, revision.added, block?.tally ?? tally, behind, at);
  const { lastSeq } = added;
  const hasVersions = lastSeq > sides.lastSeq;
  const { conflict = [], ...concluded } = concludeMerge(plan, differing, lastSeq, at, settling.left);
  const ahead = new Set(newConflicts(planned).map(({ conflict_id }) => conflict_id));
  const isAhead = ({ conflict: { conflict_id } }: WriteKinds["conflict"]) => ahead.has(conflict_id);
  const late = conflict.filter((row) => !isAhead(row));
  return {
    published: {
      merge,
      wid: sides.wid,
      doc: sides.doc,
      into: sides.into.branch,
      withdrawn,
      unsettled: settling.unsettled,
      opened: conflict.filter(isAhead).map(({ conflict: { conflict_id } }) => conflict_id),
      last: block && { seq: block.last, tally: block.tally },
    },
    writes: {
      ...(hasVersions && openGraph(sides, block?.first ?? behind)),
      ...(added.writes.version.length > 0 && added.writes),
      ...concluded,
      ...(late.length > 0 && { conflict: late }),
    },
    lastSeq: hasVersions ? lastSeq : undefined,
    outcome: outcomeOf(plan),
  };
}

type Settling = MergePlan["decision"]["settle"];

/** Returns the keys still to settle when the merge is published, and the staged keys that are not settled after all. */
function reviseSettled(
  { decision: before }: MergePlan,
  { decision: now }: MergePlan,
): { left: Settling; unsettled: string[] } {
  if (before === now) return { left: [], unsettled: [] };
  const [staged, settled] = [before, now].map(
    ({ settle }) => new Map(settle.map(({ key, seq }) => [key, seq ?? 0])),
  );
  return {
    left: now.settle.filter(({ key, seq }) => staged?.get(key) !== (seq ?? 0)),
    unsettled: before.settle.flatMap(({ key, seq }) => (settled?.get(key) === (seq ?? 0) ? [] : key)),
  };
}

type StagedBlock = { first: number; last: number; tally: Tally };

function blockOf(
  before: Tally,
  { versions, added }: Staged,
  withdrawn: ReadonlySet<number>,
): StagedBlock | undefined {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  const changes = [before, added];
  for (const { seq, change } of versions.values()) {
    if (withdrawn.has(seq)) changes.push(negative(change));
    else [first, last] = [Math.min(first, seq), Math.max(last, seq)];
  }
  return last === 0 ? undefined : { first, last, tally: addTallies(changes) };
}

const negative = ({ liveNodes, inheritedNodes, liveEdges }: Tally): Tally => ({
  liveNodes: -liveNodes,
  inheritedNodes: -inheritedNodes,
  liveEdges: -liveEdges,
});
