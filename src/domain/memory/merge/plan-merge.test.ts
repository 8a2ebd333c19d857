import { expect, test } from "vitest";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { mergeLimits } from "../limits.ts";
import { isPause, type MergeAnswers, type MergeNeeds, type MergeRounds } from "./merge-questions.ts";
import { learnDifference } from "./merge-writes.ts";
import { type AskedMerge, outcomeOf, planMerge } from "./plan-merge.ts";

const asked: AskedMerge = {
  workspace: "acme/repo",
  from: { name: "side" },
  into: { name: "main" },
  doc: "graph",
  after: 0,
};
const at = new Date(0);

/** Returns a store whose `side` branch was created from `main` at seq 10 and has added this many nodes. */
function storeWith(keys: number) {
  const seen: MergeNeeds[] = [];
  const main = { branch: 1, base: undefined, baseSeq: 0 };
  const branch = (number: number, name: string) => ({
    branch: number,
    uid: `${name}@1`,
    name,
    isDeleted: false,
  });
  const nodes = { type: "fact" };
  function answer(needs: MergeNeeds): MergeAnswers {
    seen.push(needs);
    const { changed, counted, marks, replacements } = structuredClone(needs);
    const first = Math.max(changed?.after ?? 0, 10) + 1;
    const count = changed ? Math.max(0, Math.min(changed.limit, 10 + keys - first + 1)) : 0;
    return {
      sides: {
        wid: 1,
        from: { ...branch(2, "side"), links: [{ branch: 2, base: 1, baseSeq: 10 }, main] },
        into: { ...branch(1, "main"), links: [main] },
        doc: 1,
        lastSeq: 10 + keys,
        branchedAt: 10,
        mark: 0,
        hasGraph: true,
        known: new Map(),
      },
      changed: Array.from({ length: count }, (_, n) => ({ key: `n${first + n}`, seq: first + n })),
      counted: counted && { keys, lastSeq: 10 + keys },
      open: [],
      tally: { liveNodes: 0, inheritedNodes: 0, liveEdges: 0 },
      marks: marks?.keys.map((key) => ({
        key,
        theirs: { seq: Number(key.slice(1)), fingerprint: key },
        ours: undefined,
        base: undefined,
      })),
      replacements: replacements?.pairs.map(() => ({
        fields: ["title"],
        meta: undefined,
        found: nodes,
        held: undefined,
      })),
      written: [],
    } as unknown as MergeAnswers;
  }
  return { answer, seen };
}

function run<Result>(rounds: MergeRounds<Result>, { answer }: ReturnType<typeof storeWith>): Result {
  for (let round = rounds.next(); ; round = rounds.next(answer(round.value.needs)))
    if (round.done) return round.value;
}

function roundsFor(keys: number): number {
  const store = storeWith(keys);
  const plan = run(planMerge(asked, at, { atOnce: mergeLimits.transaction }), store);
  if (!plan) throw new Error("it fits into one transaction");
  expect(outcomeOf(plan)).toMatchObject({ merged: keys, total: keys, conflictsOpen: 0 });
  expect(run(learnDifference(plan), store)).toEqual([]);
  return store.seen.filter((needs) => Object.values(needs).some((asked) => asked !== undefined)).length;
}

test("a full transaction needs as few round trips as a single key", () => {
  expect(roundsFor(1)).toBeLessThanOrEqual(8);
  expect(roundsFor(mergeLimits.transaction)).toBe(roundsFor(1));
});

test("abandons a merge that does not fit into a transaction once its keys are listed", () => {
  const store = storeWith(mergeLimits.transaction + 1);
  expect(run(planMerge(asked, at, { atOnce: mergeLimits.transaction }), store)).toBeUndefined();
  expect(store.seen).toHaveLength(2);
});

test("refuses too many keys for one call and names their number, but accepts a page of them", () => {
  const keys = mergeLimits.keys + 1;
  const refused = () => run(planMerge(asked, at), storeWith(keys));
  expect(refused).toThrow(ThoughtboxError);
  expect(refused).toThrow(
    expect.objectContaining({ reason: "merge_too_large", facts: expect.objectContaining({ keys }) }),
  );
  const page = run(planMerge({ ...asked, limit: 300 }, at), storeWith(keys));
  expect(page).toMatchObject({ hasMore: true, lastSeq: 310 });
});

test("decides many keys in slices and pauses between them", () => {
  const pausesFor = (keys: number) => {
    const store = storeWith(keys);
    run(planMerge(asked, at, { slice: mergeLimits.slice }), store);
    return store.seen.filter((needs) => isPause(needs)).length;
  };
  const [some, more] = [2, 6].map((slices) => slices * mergeLimits.decided);
  // Reading also pauses once per slice, so more nodes mean more pauses.
  const read = (keys: number) => keys / mergeLimits.slice;
  const decided = (keys = 0) => pausesFor(keys) - read(keys);
  expect(decided(more) - decided(some)).toBeGreaterThanOrEqual(3 * 4);
});
