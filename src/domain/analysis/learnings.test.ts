import { expect, test } from "vitest";
import { runAtOnce } from "../../kernel/steps.ts";
import type { Thought } from "../ledger/thought.ts";
import { readCipher } from "../ledger/thought.ts";
import { exampleSession, exampleThoughts, recorded, shapeOf } from "./example-session.testing.ts";
import { extractLearnings, findGhost, type KeyMoment, type Learning } from "./learnings.ts";
import { analyzeSession } from "./session-analysis.ts";

const shape = shapeOf(exampleThoughts());
const at = "2026-02-01T00:00:00.000Z";

function extract(wanted: Learning["type"][], moments: KeyMoment[] = [], from = shape): Learning[] {
  const analysis = analyzeSession(exampleSession, from, 0);
  return runAtOnce(extractLearnings(exampleSession, from, analysis, moments, wanted, at)).learnings;
}

const shapeOfTexts = (...drafts: Partial<Thought>[]) =>
  shapeOf(
    recorded(
      ...drafts.map((draft) => {
        const cipher = readCipher(draft.thought ?? "");
        return { ...draft, ...(cipher && { cipher }) };
      }),
    ),
  );

test("a branch that ends in a rejection is an anti-pattern, and so is a rejected step", () => {
  const from = shapeOfTexts(
    { thought: "S1|H|the disk" },
    { thought: "S2|X|S1|it is idle" },
    { thought: "S3|H|the pool", branchId: "pool", branchFromThought: 1, thoughtNumber: 2 },
    { thought: "S4|X|S3|it is empty", branchId: "pool", thoughtNumber: 3 },
  );
  const found = extract(["pattern", "anti-pattern"], [], from);
  expect(found.map(({ type, targetPath, metadata }) => [type, targetPath, metadata.sourceBranchId])).toEqual([
    ["anti-pattern", "anti-patterns/the-disk.md", undefined],
    ["anti-pattern", "anti-patterns/the-pool.md", "pool"],
  ]);
});

test("lists a dead end once, however often it is rejected", () => {
  const from = shapeOfTexts(
    { thought: "S1|H|the disk" },
    { thought: "S2|X|S1|idle" },
    { thought: "S3|X|S1|still idle" },
  );
  expect(extract(["anti-pattern"], [], from)).toHaveLength(1);
});

test("an open branch or plan is not a pattern", () => {
  const from = shapeOfTexts(
    { thought: "S1|O|slow" },
    { thought: "S2|H|the pool", branchId: "pool", branchFromThought: 1, thoughtNumber: 2 },
    { thought: "S2|P|look at the disk", nextThoughtNeeded: false },
  );
  expect(extract(["pattern"], [], from)).toEqual([]);
});

test("a conclusion that was revised is no longer a pattern", () => {
  const from = shapeOfTexts({ thought: "S1|C|it was the disk" }, { thought: "S2|C|^S1|it was the pool" });
  expect(extract(["pattern"], [], from).map(({ targetPath }) => targetPath)).toEqual([
    "patterns/it-was-the-pool.md",
  ]);
});

test("a conclusion that evidence contradicts is not a pattern, unless the evidence was rejected", () => {
  const contradicted = [{ thought: "S1|C|A it is" }, { thought: "S2|E|counter ⊖ [S1]" }];
  expect(extract(["pattern"], [], shapeOfTexts(...contradicted))).toEqual([]);
  const revoked = shapeOfTexts(...contradicted, { thought: "S3|X|S2|misread" });
  expect(extract(["pattern"], [], revoked).map(({ targetPath }) => targetPath)).toEqual([
    "patterns/a-it-is.md",
  ]);
});

test("a rejected insight or decision is an anti-pattern", () => {
  const from = shapeOfTexts({ thought: "S1|H|the disk" }, { thought: "S2|X|S1|idle" });
  const moments = (["insight", "decision"] as const).map(
    (type): KeyMoment => ({ thoughtNumber: 1, type, significance: 5 }),
  );
  expect(extract(["pattern", "anti-pattern"], moments, from).map(({ type }) => type)).toEqual([
    "anti-pattern",
    "anti-pattern",
  ]);
});

test("prose on a branch is a pattern once the branch has ended", () => {
  const branched = [
    { thought: "Why?" },
    { thought: "Try the pool", branchId: "pool", branchFromThought: 1, thoughtNumber: 2 },
  ];
  const outcomes = (...more: Partial<Thought>[]) =>
    extract(["pattern", "anti-pattern"], [], shapeOfTexts(...branched, ...more)).map(({ type }) => type);
  expect(outcomes()).toEqual([]);
  expect(outcomes({ thought: "It was", branchId: "pool", nextThoughtNeeded: false })).toEqual(["pattern"]);
  expect(outcomes({ thought: "Branch pool merged: it was" })).toEqual(["pattern"]);
  expect(outcomes({ thought: "Branch pool abandoned: it was not" })).toEqual(["anti-pattern"]);
});

test("a pivot that proved right is a pattern, and one that was rejected is not", () => {
  const from = shapeOfTexts(
    { thought: "S1|P|ask the pool" },
    { thought: "S2|P|ask the disk" },
    { thought: "S3|X|S2|idle" },
  );
  const pivots = [1, 2].map(
    (thoughtNumber): KeyMoment => ({ thoughtNumber, type: "pivot", significance: 5 }),
  );
  expect(extract(["pattern", "anti-pattern"], pivots, from).map(({ type }) => type)).toEqual([
    "pattern",
    "anti-pattern",
  ]);
});

test("a plan that was revised is not an anti-pattern, unless it was also rejected", () => {
  const plans = [{ thought: "S1|P|ask the pool" }, { thought: "S2|P|^S1|ask the disk" }];
  const proved = shapeOfTexts(...plans, { thought: "S3|C|S2|the disk is full" });
  expect(extract(["pattern", "anti-pattern"], [], proved).map(({ targetPath }) => targetPath)).toEqual([
    "patterns/the-disk-is-full.md",
  ]);
  const rejected = shapeOfTexts(...plans, { thought: "S3|X|S1|the pool is never asked" });
  expect(extract(["anti-pattern"], [], rejected).map(({ targetPath }) => targetPath)).toEqual([
    "anti-patterns/ask-the-pool.md",
  ]);
});

test("a named revision that still applies is a pattern, and the thought that it revised is not", () => {
  const from = shapeOfTexts({ thought: "S1|C|it was the disk" }, { thought: "S2|C|^S1|it was the pool" });
  const revisions = [1, 2].map(
    (thoughtNumber): KeyMoment => ({ thoughtNumber, type: "revision", significance: 5 }),
  );
  expect(extract(["pattern", "anti-pattern"], revisions, from).map(({ type }) => type)).toEqual([
    "anti-pattern",
    "pattern",
  ]);
});

test("scores depend on the text and on the thoughts that refer to it", () => {
  const from = shapeOfTexts(
    { thought: "S1|C|slow" },
    { thought: "S2|C|`pool.max` is 10 in src/pool.ts, 41 callers wait" },
    { thought: "S3|C|S2|so raise it" },
    { thought: "S4|E|S2|seen at noon" },
  );
  const scores = new Map(
    extract(["pattern"], [], from).map((found) => [found.metadata.sourceThoughts[0], found]),
  );
  const of = (number: number) => scores.get(number)?.metadata.behaviorCharacteristics;
  expect(of(1)).toMatchObject({ specificity: 1, applicability: 1, maturity: 1 });
  expect(of(2)).toMatchObject({ specificity: 5, applicability: 2, maturity: 2 });
});

test("finds a moment in a branch, and reports one that was never recorded", () => {
  const inBranch: KeyMoment = { thoughtNumber: 4, branchId: "a", type: "insight", significance: 9 };
  const [learning] = extract(["pattern"], [inBranch]);
  expect(learning?.content).toContain("An insight at thought 4 of branch a");
  expect(learning?.metadata).toMatchObject({ sourceThoughts: [4], sourceBranchId: "a" });
  const ghost: KeyMoment = { thoughtNumber: 9, branchId: "a", type: "insight", significance: 9 };
  expect(runAtOnce(findGhost(shape, [inBranch, ghost]))).toBe(ghost);
  expect(runAtOnce(findGhost(shape, [inBranch]))).toBeUndefined();
});

test("counts the findings beyond the limit", () => {
  const from = shapeOfTexts(...Array.from({ length: 60 }, (_, n) => ({ thought: `S${n + 1}|C|point ${n}` })));
  const analysis = analyzeSession(exampleSession, from, 0);
  const { learnings, leftOut } = runAtOnce(
    extractLearnings(exampleSession, from, analysis, [], ["pattern"], at),
  );
  expect({ filed: learnings.length, leftOut }).toEqual({ filed: 50, leftOut: 10 });
});

test("a correction becomes an anti-pattern with the old thought and its replacement", () => {
  const [learning] = extract(["anti-pattern"]);
  expect(learning?.content).toContain("> thought 2");
  expect(learning?.content).toContain("> thought 8");
  expect(learning?.targetPath).toBe("anti-patterns/thought-2.md");
  expect(learning?.metadata.sourceThoughts).toEqual([2, 4]);
});

test("lists conclusions before the outcomes of branches", () => {
  expect(extract(["pattern"]).map(({ targetPath }) => targetPath)).toEqual([
    "patterns/thought-8.md",
    "patterns/b-b-is-a-dead-end.md",
  ]);
});

test("a signal contains the figures", () => {
  const [signal] = extract(["signal"]);
  expect(JSON.parse(signal?.content ?? "")).toMatchObject({
    structure: { linearityScore: 0.625 },
    completion: 0.8,
  });
});

test("named moments replace the automatic findings", () => {
  const moments: KeyMoment[] = [
    { thoughtNumber: 3, type: "insight", significance: 9, summary: "Look at the pool" },
    { thoughtNumber: 2, type: "revision", significance: 4 },
  ];
  const learnings = extract(["pattern", "anti-pattern"], moments);
  expect(learnings.map(({ type, targetPath }) => [type, targetPath])).toEqual([
    ["pattern", "patterns/look-at-the-pool.md"],
    ["anti-pattern", "anti-patterns/thought-2.md"],
  ]);
});
