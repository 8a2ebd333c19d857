import { expect, test } from "vitest";
import fc from "../../../../tests/support/fast-check.ts";
import {
  type AnchorDecision,
  type AnchorFacts,
  mergeAnchors,
  putAnchor,
  renameAnchor,
} from "./change-anchors.ts";
import { findAnchor, type MeaningAnchor, namesOf } from "./meaning-anchor.ts";

const names = ["a:a", "a:b", "a:c", "a:d", "a:e"];
const name = fc.constantFrom(...names);
const change = fc.oneof(
  fc.record({
    do: fc.constant("put" as const),
    id: name,
    parent_id: fc.option(name, { nil: undefined }),
    depends_on: fc.array(name, { maxLength: 3 }),
    aliases: fc.array(name, { maxLength: 1 }),
  }),
  fc.record({ do: fc.constant("rename" as const), from: name, to: name }),
  fc.record({
    do: fc.constant("merge" as const),
    from: fc.array(name, { minLength: 1, maxLength: 3 }),
    into: name,
  }),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

const carryOut = (anchors: ReadonlyMap<string, MeaningAnchor>, { put, removed }: AnchorDecision) => {
  const after = new Map([...anchors].filter(([id]) => !removed.includes(id)));
  for (const anchor of put) after.set(anchor.id, anchor);
  return after;
};

function decide(facts: AnchorFacts, asked: Change): AnchorDecision {
  if (asked.do === "rename") return renameAnchor(facts, asked.from, asked.to);
  if (asked.do === "merge") return mergeAnchors(facts, asked.from, asked.into);
  const { do: _put, ...fields } = asked;
  return putAnchor(facts, { ...fields, title: "T", kind: "part" });
}

const factsOf = (anchors: ReadonlyMap<string, MeaningAnchor>, now_ms: number): AnchorFacts => ({
  workspace: "w",
  now_ms,
  anchors,
  carried: new Set(["a:e"]),
});

test("after any changes, each name leads to one anchor, no anchor contains itself, and no name is lost", () => {
  let done = 0;
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30, size: "max" }), (changes) => {
      let anchors: ReadonlyMap<string, MeaningAnchor> = new Map();
      for (const [at, asked] of changes.entries()) {
        const before = [...anchors.values()].flatMap(namesOf);
        let decision: AnchorDecision;
        try {
          decision = decide(factsOf(anchors, at), asked);
        } catch (refusal) {
          expect(refusal).toMatchObject({
            code: expect.stringMatching(/^(UNKNOWN_ID|CONFLICT|INVALID_PAYLOAD)$/),
          });
          continue;
        }
        done += 1;
        anchors = carryOut(anchors, decision);
        const all = [...anchors.values()].flatMap(namesOf);
        expect(new Set(all).size).toBe(all.length);
        expect(all).toEqual(expect.arrayContaining(before));
        for (const anchor of anchors.values()) {
          expect(anchor.depends_on).not.toContain(anchor.id);
          const above = new Set([anchor.id]);
          for (let up = anchor.parent_id; up !== undefined; up = anchors.get(up)?.parent_id) {
            expect(above.has(up), `${anchor.id} lies in itself`).toBe(false);
            above.add(up);
          }
        }
        const again = decide(factsOf(anchors, at + 1), asked);
        expect(again.put, "the same change again is no change").toEqual([]);
        expect(findAnchor(anchors, decision.anchor.id)).toEqual(decision.anchor);
      }
    }),
    { numRuns: 100 },
  );
  expect(done).toBeGreaterThan(200);
});

test("a workspace has a limited number of anchors", () => {
  const full = new Map(
    Array.from({ length: 1_000 }, (_, n) => {
      const { anchor } = putAnchor(factsOf(new Map(), 1), { id: `a:n${n}`, title: "T", kind: "part" });
      return [anchor.id, anchor] as const;
    }),
  );
  expect(() => putAnchor(factsOf(full, 2), { id: "a:more", title: "T", kind: "part" })).toThrow();
  expect(putAnchor(factsOf(full, 2), { id: "a:n1", title: "Other" }).put).toHaveLength(1);
});
