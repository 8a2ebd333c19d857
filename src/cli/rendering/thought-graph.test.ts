import { expect, test } from "vitest";
import { runAtOnce } from "../../kernel/steps.ts";
import { createPaint } from "./render-context.ts";
import { renderThoughtGraph, type ShownThought } from "./thought-graph.ts";
import { textWidth } from "./width.ts";

const draw = (...given: Parameters<typeof renderThoughtGraph>): string[] =>
  runAtOnce(renderThoughtGraph(...given));
const context = { width: 40, paint: createPaint(undefined), now: new Date(0) };

const thought = (thoughtNumber: number, more: Partial<ShownThought> = {}): ShownThought => ({
  thought: `thought ${thoughtNumber}`,
  thoughtNumber,
  totalThoughts: 9,
  nextThoughtNeeded: true,
  timestamp: "2026-11-15T12:00:00.000Z",
  ...more,
});

test("draws branches beside the thought they leave, and the last branch closes the line", () => {
  const drawn = draw(
    [
      thought(1),
      thought(2, { branchId: "a", branchFromThought: 1 }),
      thought(2),
      thought(3, { branchId: "b", branchFromThought: 2 }),
      thought(4, { branchId: "c", branchFromThought: 3, branchFromBranch: "b" }),
    ],
    context,
  );
  expect(drawn).toEqual([
    "● 1  thought 1",
    "├─╮ a",
    "│ ● 2  thought 2",
    "● 2  thought 2",
    "╰─╮ b",
    "  ● 3  thought 3",
    "  ╰─╮ c",
    "    ● 4  thought 4",
  ]);
});

test("shows what a revision replaces, also across branches", () => {
  const drawn = draw(
    [
      thought(1),
      thought(2, { branchId: "a", branchFromThought: 1, isRevision: true, revises: { thoughtNumber: 1 } }),
      thought(2, { isRevision: true, revises: { thoughtNumber: 1 } }),
    ],
    context,
  );
  expect(drawn).toEqual([
    "○ 1  thought 1  → a 2, 2",
    "├─╮ a",
    "│ ◆ 2  thought 2  ↺ main 1",
    "◆ 2  thought 2  ↺ 1",
  ]);
});

test("crosses out rejected thoughts, and labels links unless they lead to the previous thought", () => {
  const drawn = draw(
    [
      thought(1),
      thought(2, {
        links: [{ relation: "rests_on", to: { thoughtNumber: 1 } }],
        rejected: true,
        rejectedBy: [{ thoughtNumber: 4 }],
      }),
      thought(3, { links: [{ relation: "against", to: { thoughtNumber: 2 } }] }),
      thought(4, {
        links: [
          { relation: "rests_on", to: { thoughtNumber: 1 } },
          { relation: "rejects", to: { thoughtNumber: 2 } },
        ],
      }),
      thought(5, { links: [{ relation: "revises", to: { thoughtNumber: 4 } }] }),
    ],
    context,
  );
  expect(drawn).toEqual([
    "● 1  thought 1",
    "✗ 2  thought 2  → 4",
    "● 3  thought 3  ⊖ 2",
    "○ 4  thought 4  ✗ 2  ← 1  → 5",
    "◆ 5  thought 5  ↺ 4",
  ]);
});

test("aligns numbers, and draws thoughts by number even if they arrived out of order", () => {
  const drawn = draw([thought(10), thought(9)], context);
  expect(drawn).toEqual(["●  9  thought 9", "● 10  thought 10"]);
});

test("draws no line wider than the terminal, however deep branches nest", () => {
  const deep = Array.from({ length: 60 }, (_, depth) =>
    thought(depth + 1, {
      thought: "a text that is too long for what is left of the line",
      ...(depth > 0 && { branchId: `branch-${depth}`, branchFromThought: depth }),
      ...(depth > 1 && { branchFromBranch: `branch-${depth - 1}` }),
    }),
  );
  const drawn = draw(deep, context);
  expect(drawn).toHaveLength(119);
  for (const line of drawn) expect(textWidth(line)).toBeLessThanOrEqual(context.width);
});

test("draws branches that nest thousands of levels deep", () => {
  const fork = (index: number) => ({
    ...thought(index + 2, { branchId: `b${index}`, branchFromThought: index + 1 }),
    ...(index > 0 && { branchFromBranch: `b${index - 1}` }),
  });
  const deep = [thought(1), ...Array.from({ length: 20_000 }, (_, index) => fork(index))];
  expect(draw(deep, context)).toHaveLength(40_001);
});
