import { expect, test } from "vitest";
import { type HeldVersion, isHidden, planVersions, type VersionFacts } from "./plan-versions.ts";

const facts = (held: HeldVersion, branchedAt: number): VersionFacts => ({
  held: new Map([["n:a", held]]),
  tally: { liveNodes: 1, inheritedNodes: held.own ? 0 : 1, liveEdges: 0 },
  branchedAt,
  firstSeq: 20,
});
const own: HeldVersion = { seq: 10, own: true, deleted: false, replaces: 5 };
const change = { key: "n:a", kind: "node" as const, deleted: false };

test("a replaced version is hidden unless a branch was created while it was current", () => {
  expect([9, 10, 11].map((branchedAt) => isHidden(10, branchedAt))).toEqual([true, false, false]);
});

test("a new version replaces the one that is still visible, and skips hidden ones", () => {
  const replaced = (branchedAt: number) => {
    const { rows, superseded } = planVersions(facts(own, branchedAt), [change]);
    return { replaces: rows[0]?.replaces, superseded };
  };
  expect(replaced(9)).toEqual({ replaces: 5, superseded: [{ seq: 10, by: 20, hidden: true }] });
  expect(replaced(10)).toEqual({ replaces: 10, superseded: [{ seq: 10, by: 20, hidden: false }] });
});

test("an inherited version is replaced but not superseded, and is no longer counted as inherited", () => {
  const plan = planVersions(facts({ ...own, own: false }, 15), [change, { ...change, deleted: true }]);
  expect(plan.superseded).toEqual([]);
  expect(plan.rows.map(({ seq, replaces, superseded }) => [seq, replaces, superseded])).toEqual([
    [20, 10, 21],
    [21, 10, undefined],
  ]);
  expect(plan.rows.at(-1)?.tally).toEqual({ liveNodes: 0, inheritedNodes: 0, liveEdges: 0 });
});
