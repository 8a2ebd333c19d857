import fc from "fast-check";
import { expect, test } from "vitest";
import { type PackPlan, trimPack } from "./pack.ts";

const text = fc.string({ maxLength: 600, unit: "grapheme", size: "max" });
const item = fc.record(
  { id: fc.string({ maxLength: 8 }), title: text, text, tags: fc.array(text, { maxLength: 2 }) },
  { requiredKeys: ["id"] },
);
const pack = fc.record(
  {
    capsule: fc.record({ now: text, known: fc.array(text, { maxLength: 3 }) }),
    docs: fc.record({ notes: text }),
    cards: fc.array(item, { maxLength: 12, size: "max" }),
    notes: fc.record({
      entries: fc.array(item, { maxLength: 12, size: "max" }),
      pagination: fc.record({ count: fc.nat() }),
    }),
    step_id: text,
    degradation: fc.record({ shortened: fc.nat() }),
  },
  { requiredKeys: ["capsule"] },
);

const plan: PackPlan = {
  repeats: ["docs", "capsule.known"],
  lists: [
    { path: "cards", oldest: "last", stub: ({ id }) => ({ id }) },
    { path: "notes.entries", oldest: "first", least: 3, cursor: ({ id }) => id },
  ],
  blocks: ["notes", "cards", "step_id"],
  core: { key: "capsule", forms: (block) => [block, { now: "now" }] },
};

test("trims a pack the same way whether it is measured item by item or serialised as a whole", () => {
  fc.assert(
    fc.property(pack, fc.integer({ min: 300, max: 8_000 }), (answer, chars) => {
      // A limit in bytes makes `trimPack` serialise the answer. This limit is too large to have any other
      // effect.
      const serialised = trimPack(answer, plan, { chars, bytes: 1_000_000 });
      expect(trimPack(answer, plan, { chars })).toEqual(serialised);
    }),
    { numRuns: 300 },
  );
});
