import { type PlannedVersion, planVersions, type Tally } from "../graph/plan-versions.ts";
import type { Conflict } from "../steps/outcomes.ts";
import type { MergeKey } from "./decide-merge.ts";
import type { Changed, KnownDifference } from "./merge-questions.ts";
import { type MergePlan, newConflicts } from "./plan-merge.ts";
import { nothing } from "./three-way.ts";

/** A new version on the target: the contents of the source's version `copyOf`. */
export type VersionCopy = {
  key: string;
  kind: "node" | "edge";
  deleted: boolean;
  copyOf: number;
  facets: readonly string[];
};

/** A version of the target that another one replaces. `hidden`: no branch shows it any more, so it leaves the indexes. */
export type Superseded = { seq: number; by: number; hidden: boolean; facets: readonly string[] };

export type VersionWrites = {
  versions: readonly PlannedVersion<VersionCopy>[];
  superseded: readonly Superseded[];
};

/** What is written besides the versions, all in one transaction with the counter. */
export type Conclusion = {
  /** Keys on which both sides agree from now on, with the source's version. */
  settled: readonly { key: string; seq: number | undefined }[];
  /** Up to here everything of the source is settled. `undefined`: the mark stays where it is. */
  mark: number | undefined;
  /** Open conflicts that have nothing left to decide. */
  moot: readonly string[];
  /** The same collision may come back after it was resolved: it is open again then. */
  conflicts: readonly Conflict[];
  known: KnownDifference | undefined;
  /** The highest number given out then. */
  lastSeq: number;
};

const copyOf = ({ key, kind, theirs }: MergeKey, applied: MergePlan["applied"]): VersionCopy => ({
  key,
  kind,
  deleted: theirs?.fingerprint === nothing,
  copyOf: theirs?.seq ?? 0,
  facets: applied.get(key)?.facets ?? [],
});

/** New versions of these keys, from `firstSeq` on. */
export function copyVersions(
  { applied, sides: { branchedAt } }: Pick<MergePlan, "applied" | "sides">,
  keys: readonly MergeKey[],
  tally: Tally,
  firstSeq: number,
): VersionWrites {
  const held = new Map(
    keys.flatMap(({ key }) => {
      const version = applied.get(key)?.held;
      return version ? [[key, version] as const] : [];
    }),
  );
  const copies = keys.map((key) => copyOf(key, applied));
  const { rows, superseded } = planVersions({ held, tally, branchedAt, firstSeq }, copies);
  const keyAt = new Map(rows.map(({ seq, item }) => [seq, item.key]));
  const facetsOf = (by: number): readonly string[] => applied.get(keyAt.get(by) ?? "")?.heldFacets ?? [];
  return {
    versions: rows,
    superseded: superseded.map((one) => ({ ...one, facets: one.hidden ? facetsOf(one.by) : [] })),
  };
}

/** `differing` comes from `learnDifference`. */
export function concludeMerge(
  plan: MergePlan,
  differing: readonly string[] | undefined,
  lastSeq: number,
): Conclusion {
  const { decision, sides, start, page } = plan;
  return {
    settled: decision.settle,
    mark: moveMark(sides.mark, start, page, decision.pending),
    moot: decision.moot,
    conflicts: newConflicts(plan),
    known: differing && { seq: lastSeq, keys: differing },
    lastSeq,
  };
}

/** A key that waits for a decision holds the mark back, so that it is looked at again. */
function moveMark(
  marked: number,
  start: number,
  page: readonly Changed[],
  pending: readonly string[],
): number | undefined {
  if (start > marked) return undefined;
  const waiting = new Set(pending);
  const firstWaiting = page.find(({ key }) => waiting.has(key));
  const seq = firstWaiting ? firstWaiting.seq - 1 : (page.at(-1)?.seq ?? 0);
  return seq > marked ? seq : undefined;
}
