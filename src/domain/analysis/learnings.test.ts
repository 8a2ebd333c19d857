import { expect, test } from "vitest";
import { exampleSession, exampleThoughts } from "./example-session.testing.ts";
import { extractLearnings, type KeyMoment, type Learning } from "./learnings.ts";
import { analyzeSession } from "./session-analysis.ts";
import { shapeOf } from "./session-shape.ts";

const shape = shapeOf(exampleThoughts());
const at = "2026-02-01T00:00:00.000Z";

function extract(wanted: Learning["type"][], moments: KeyMoment[] = []): Learning[] {
  return extractLearnings(
    exampleSession,
    shape,
    analyzeSession(exampleSession, shape, 0),
    moments,
    wanted,
    at,
  );
}

test("a correction becomes an anti-pattern with what was thought and what replaced it", () => {
  const [learning] = extract(["anti-pattern"]);
  expect(learning?.content).toContain("> thought 2");
  expect(learning?.content).toContain("> thought 8");
  expect(learning?.targetPath).toBe("anti-patterns/thought-2.md");
  expect(learning?.metadata.sourceThoughts).toEqual([2, 4]);
});

test("conclusions come before the outcomes of branches", () => {
  expect(extract(["pattern"]).map(({ targetPath }) => targetPath)).toEqual([
    "patterns/thought-8.md",
    "patterns/a-thought-5.md",
    "patterns/b-b-is-a-dead-end.md",
  ]);
});

test("a signal carries the figures", () => {
  const [signal] = extract(["signal"]);
  expect(JSON.parse(signal?.content ?? "")).toMatchObject({
    structure: { linearityScore: 0.625 },
    completion: 0.8,
  });
});

test("named moments replace what the session shows by itself", () => {
  const moments: KeyMoment[] = [
    { thoughtNumber: 3, type: "insight", significance: 9, summary: "Look at the pool" },
    { thoughtNumber: 2, type: "pivot", significance: 4 },
    { thoughtNumber: 77, type: "decision", significance: 10 },
  ];
  const learnings = extract(["pattern", "anti-pattern"], moments);
  expect(learnings.map(({ type, targetPath }) => [type, targetPath])).toEqual([
    ["pattern", "patterns/look-at-the-pool.md"],
    ["anti-pattern", "anti-patterns/thought-2.md"],
  ]);
});
