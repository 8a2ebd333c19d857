import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NONE } from "../columns.ts";
import { sampleSession, writeSession } from "../session.testing.ts";
import { pagesAcross } from "./geometry.ts";
import { createLayout } from "./layout.ts";
import { brokenRule, type Dice, STYLES, writeLedger } from "./layout-rules.testing.ts";
import { routeEdge, routeRevision } from "./routes.ts";

const chance = fc.nat(9999).map((k) => k / 10_000);
const dice: fc.Arbitrary<Dice> = fc.record({
  fork: chance,
  ancient: chance,
  jump: chance,
  pick: chance,
  reject: chance,
});

describe.each(STYLES)("the layout of a random session, kind $name", (style) => {
  test.each([
    { columns: 10, across: 4, runs: 40 },
    { columns: 5, across: 1, runs: 40 },
  ])("keeps every rule with $columns columns and $across pages across", ({ runs, ...options }) => {
    fc.assert(
      fc.property(fc.array(dice, { minLength: 4, maxLength: 240, size: "max" }), (rolls) => {
        const columns = writeLedger(rolls, style);
        expect(brokenRule({ createLayout, routeEdge, routeRevision }, columns, options)).toBeUndefined();
      }),
      { seed: 1729, numRuns: runs },
    );
  });
});

test("places ten consecutive thoughts in ten columns", () => {
  const { columns, think } = writeSession();
  for (let i = 0; i < 35; i++) think("", "O");
  const layout = createLayout(columns);
  expect([...layout.column.slice(0, 35)]).toEqual(Array.from({ length: 35 }, (_, i) => i % 10));
  expect(layout.next(0)).toEqual({ x: (layout.x[34] ?? 0) + 220, y: layout.y[34] });
  for (let i = 35; i < 40; i++) think("", "O");
  layout.extend();
  expect(layout.next(0)).toBeUndefined();
});

test("a session laid out thought by thought looks the same as all at once", () => {
  const { columns, think } = sampleSession();
  const growing = createLayout(columns, { across: 1 });
  for (let i = 0; i < 200; i++) {
    think(i % 7 === 0 ? `n${i}` : "", "O", { fork: i });
    growing.extend();
  }
  const whole = createLayout(columns, { across: 1 });
  expect(growing.x.slice(0, columns.size)).toEqual(whole.x.slice(0, columns.size));
  expect(growing.y.slice(0, columns.size)).toEqual(whole.y.slice(0, columns.size));
  expect(growing.bounds()).toEqual(whole.bounds());
});

describe("folding", () => {
  const { columns } = sampleSession();
  const layout = createLayout(columns, { folded: new Set(["b"]) });

  test("leaves one cell for a branch, and none for the branches inside it", () => {
    expect([7, 8, 10].map((i) => layout.shown[i])).toEqual([1, 0, 0]);
    for (const i of [8, 10]) expect([layout.x[i], layout.y[i]]).toEqual([layout.x[7], layout.y[7]]);
  });

  test("keeps every shown thought on exactly one page", () => {
    const listed = layout.pages.flatMap(({ thoughts }) => thoughts);
    expect(listed).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9]);
  });
});

test("an empty session has room for one page", () => {
  const layout = createLayout(writeSession().columns);
  expect(layout.bounds().width).toBeGreaterThan(0);
  expect(layout.next(0)).toBeUndefined();
});

test("lays out a branch without a known fork", () => {
  const { columns, think } = writeSession();
  think("", "O");
  think("lost", "O", { fork: NONE });
  const layout = createLayout(columns, { folded: new Set(["other"]) });
  expect(new Set([layout.y[0], layout.y[1]]).size).toBe(2);
});

test("arranges pages roughly in the shape of a screen", () => {
  expect([1, 120, 1000, 10_000, 50_000].map(pagesAcross)).toEqual([1, 1, 4, 12, 28]);
});
