import { deletedFingerprint } from "../graph.ts";
import type { MergeDecision } from "./decide-merge.ts";
import { marksOf } from "./gather-facts.ts";
import { mergeLimits } from "./merge-limits.ts";
import { ask, type KnownDifference, type MergeRounds } from "./merge-questions.ts";
import type { MergePlan } from "./plan-merge.ts";

/** Above this number, keys are neither compared while other writers wait nor remembered. */
const maxCompared = mergeLimits.transaction;

/**
 * The keys in which the two branches differ after the merge. What the merge applies or finds equal is then the same on
 * both sides. Other keys that either branch wrote since the last comparison are compared too, unless there are too
 * many: then nothing new is remembered, and the earlier result stays valid.
 */
export function* learnDifference(plan: MergePlan): MergeRounds<readonly string[] | undefined> {
  const { sides, decision, page, start, book } = plan;
  const { doc, from, into, lastSeq, madeAt } = sides;
  if (doc === 0) return undefined;
  const before: KnownDifference = sides.known ?? { seq: madeAt, keys: [] };
  const ranges = [
    { branch: from.branch, after: before.seq, upTo: start },
    { branch: from.branch, after: Math.max(before.seq, page.at(-1)?.seq ?? start), upTo: lastSeq },
    { branch: into.branch, after: before.seq, upTo: lastSeq },
  ].filter(({ after, upTo }) => after < upTo);
  const { written = [] } = yield* ask({
    written: ranges.length > 0 ? { doc, ranges, limit: maxCompared + 1 } : undefined,
  });
  const same = sameKeys(decision, [...before.keys, ...written]);
  const unsure = new Set([...before.keys, ...written, ...decision.unsure].filter((key) => !same.has(key)));
  if (written.length > maxCompared || unsure.size > maxCompared) return undefined;
  const unknown = [...unsure].filter((key) => !book.byKey.has(key));
  const { marks = [] } = yield* ask({ marks: marksOf(sides, unknown) });
  const shown = new Map(marks.map((one) => [one.key, one]));
  return [...unsure].filter((key) => {
    const { theirs, ours } = book.byKey.get(key) ?? shown.get(key) ?? {};
    return (theirs?.fingerprint ?? deletedFingerprint) !== (ours?.fingerprint ?? deletedFingerprint);
  });
}

/** The keys that are the same on both sides after the merge. */
function sameKeys({ settle }: MergeDecision, among: readonly string[]): Set<string> {
  const asked = new Set(among);
  return new Set(asked.size === 0 ? [] : settle.flatMap(({ key }) => (asked.has(key) ? key : [])));
}
