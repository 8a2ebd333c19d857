import { expect, test } from "vitest";
import { runAtOnce } from "../../kernel/steps.ts";
import { readCipher } from "../ledger/thought.ts";
import { describePatterns, describeTimeline, findDecisionPoints, measureLoad } from "./deep-analysis.ts";
import { exampleSession, exampleThoughts, recorded, shapeOf } from "./example-session.testing.ts";

const shape = shapeOf(exampleThoughts());

test("complexity is 2 × 8 thoughts + 8 × 1 revision + 10 × 2 branches + 5 × nesting 2", () => {
  expect(measureLoad(shape).complexityScore).toBe(16 + 8 + 20 + 10);
});

test("complexity is at most 100", () => {
  expect(measureLoad(shapeOf(recorded(...Array.from({ length: 60 }, () => ({}))))).complexityScore).toBe(100);
});

test("the longest path is main 1, 2, then a 3, then b 4, 5", () => {
  expect(measureLoad(shape).depthIndicator).toBe(5);
});

test("at most two chains are open at once: main throughout, then a, then b", () => {
  expect(measureLoad(shape).breadthIndicator).toBe(2);
});

test("counts chains that overlap as open at once", () => {
  const overlapping = recorded(
    { thoughtNumber: 1 },
    { thoughtNumber: 2, branchId: "a", branchFromThought: 1 },
    { thoughtNumber: 2, branchId: "b", branchFromThought: 1 },
    { thoughtNumber: 3, branchId: "a" },
    { thoughtNumber: 2 },
  );
  expect(measureLoad(shapeOf(overlapping)).breadthIndicator).toBe(3);
});

test("measures branches nested twenty thousand levels deep, and does not follow a cycle of forks", () => {
  const nested = Array.from({ length: 20_000 }, (_, n) => ({
    thoughtNumber: n + 2,
    branchId: `b${n}`,
    branchFromThought: n + 1,
    ...(n > 0 && { branchFromBranch: `b${n - 1}` }),
  }));
  expect(measureLoad(shapeOf(recorded({ thoughtNumber: 1 }, ...nested))).depthIndicator).toBe(20_001);
  const circle = recorded(
    { thoughtNumber: 1 },
    { thoughtNumber: 2, branchId: "a", branchFromThought: 2, branchFromBranch: "b" },
    { thoughtNumber: 2, branchId: "b", branchFromThought: 2, branchFromBranch: "a" },
  );
  expect(measureLoad(shapeOf(circle)).complexityScore).toBe(2 * 3 + 10 * 2 + 5 * 2);
});

test("counts thoughts, revisions and branches", () => {
  expect(describePatterns(shape)).toMatchObject({ totalThoughts: 8, revisionCount: 1, branchCount: 2 });
});

test.each([
  [0, "0 s"],
  [3, "3 s"],
  [303, "5 min 3 s"],
  [7_500, "2 h 5 min"],
  [7_200, "2 h"],
])("writes %i seconds as %s", (seconds, words) => {
  const end = new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
  const thoughts = recorded({ timestamp: "2026-01-01T00:00:00.000Z" }, { timestamp: end });
  expect(describeTimeline(exampleSession, shapeOf(thoughts)).durationEstimate).toBe(words);
});

test("decision points are forks and corrections, with what they refer to", () => {
  expect(runAtOnce(findDecisionPoints(shape))).toEqual([
    { thoughtNumber: 3, branchId: "a", type: "branch", reference: 2 },
    { thoughtNumber: 4, branchId: "b", type: "branch", reference: 3, referenceBranchId: "a" },
    { thoughtNumber: 4, type: "revision", reference: 2 },
  ]);
});

test("corrections, contradicting evidence and rejections in the notation are decision points", () => {
  const texts = ["S1|H|a", "S2|E|seen ⊖ [S1]", "S3|X|S1|no", "S4|R|^S2|not so", "S5|Q|[S1] ⊖ [S2]?"];
  const cipher = texts.map((thought) => ({ thought, cipher: readCipher(thought) }));
  expect(runAtOnce(findDecisionPoints(shapeOf(recorded(...cipher))))).toEqual([
    { thoughtNumber: 2, type: "contradiction", reference: 1 },
    { thoughtNumber: 3, type: "rejection", reference: 1 },
    { thoughtNumber: 4, type: "revision", reference: 2 },
  ]);
});

test("rounds the average length of the texts", () => {
  const thoughts = recorded({ thought: "1234" }, { thought: "1234567" });
  expect(describePatterns(shapeOf(thoughts)).averageThoughtLength).toBe(6);
});

test("measures the timeline by the thoughts' timestamps", () => {
  expect(describeTimeline(exampleSession, shape)).toEqual({
    createdAt: exampleSession.createdAt,
    updatedAt: exampleSession.updatedAt,
    durationEstimate: "7 min",
    durationMs: 420_000,
  });
});

test("counts no time if the clock ran backwards", () => {
  const thoughts = recorded(
    { timestamp: "2026-01-02T00:00:00.000Z" },
    { timestamp: "2026-01-01T00:00:00.000Z" },
  );
  expect(describeTimeline(exampleSession, shapeOf(thoughts)).durationMs).toBe(0);
});
