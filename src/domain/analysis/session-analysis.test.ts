import { describe, expect, test } from "vitest";
import { readCipher } from "../ledger/thought.ts";
import { exampleSession, exampleThoughts, recorded, shapeOf } from "./example-session.testing.ts";
import { analyzeSession } from "./session-analysis.ts";

const analyze = (thoughts = exampleThoughts()) => analyzeSession(exampleSession, shapeOf(thoughts), 2);

describe("a session of eight thoughts with two branches and one revision", () => {
  test("has a linearity of 1 − (1 revision + 2 fork points) / 8", () => {
    expect(analyze().structure.linearityScore).toBe(0.625);
    expect(analyze().linearity).toBe(0.625);
  });

  test("has one revision in eight thoughts", () => {
    expect(analyze().structure.revisionRate).toBe(0.125);
  });

  test("has two branch IDs, nested or not", () => {
    expect(analyze()).toMatchObject({
      structure: { maxDepth: 2 },
      branchCount: 2,
      metadata: { branchCount: 2 },
    });
  });

  test("has eight thoughts in seven minutes", () => {
    expect(analyze().metadata.duration).toBe(7 * 60_000);
    expect(analyze().density).toBe(1.143);
  });

  test("has converged, because the main chain continued after the last branch thought", () => {
    expect(analyze().quality).toEqual({ critiqueRequests: 2, hasConvergence: true, isComplete: true });
  });

  test("is 80 % complete, with four main thoughts of five", () => {
    expect(analyze().completion).toBe(0.8);
  });
});

test("counts two branches from one thought as one fork point", () => {
  const thoughts = recorded(
    { thoughtNumber: 1 },
    { thoughtNumber: 2, branchId: "a", branchFromThought: 1 },
    { thoughtNumber: 2, branchId: "b", branchFromThought: 1 },
    { thoughtNumber: 2 },
  );
  expect(analyze(thoughts).linearity).toBe(0.75);
});

test("returns figures for a session without thoughts", () => {
  expect(analyze([])).toMatchObject({
    linearity: 1,
    density: 0,
    completion: 0,
    structure: { revisionRate: 0 },
    quality: { hasConvergence: false, isComplete: false },
  });
});

test("a session that ends in a branch has not converged", () => {
  const thoughts = recorded({ thoughtNumber: 1 }, { thoughtNumber: 2, branchId: "a", branchFromThought: 1 });
  expect(analyze(thoughts).quality.hasConvergence).toBe(false);
});

describe("typed steps after the last branch", () => {
  const typed = (thoughtNumber: number, thought: string) => ({
    thoughtNumber,
    thought,
    cipher: readCipher(thought),
  });
  const branched = [
    typed(1, "S1|Q|Where does the time go?"),
    { ...typed(2, "S2|H|S1|The pool"), branchId: "a", branchFromThought: 1 },
  ];
  const converges = (...later: string[]) =>
    analyze(recorded(...branched, ...later.map((thought, at) => typed(2 + at, thought)))).quality
      .hasConvergence;

  test.each([
    ["a hypothesis settles nothing", ["S2|H|S1|DNS"], false],
    ["a conclusion settles something", ["S2|C|S1|It is DNS"], true],
    ["a rejected conclusion settles nothing", ["S2|C|S1|It is DNS", "S3|X|S2|The trace disproves it"], false],
    ["a revised conclusion settles nothing", ["S2|C|S1|It is DNS", "S3|R|^S2|It is not"], false],
    ["a contradicted conclusion settles nothing", ["S2|C|S1|It is DNS", "S3|E|the trace ⊖ [S2]"], false],
    [
      "a conclusion whose contradiction was rejected settles something",
      ["S2|C|S1|It is DNS", "S3|E|the trace ⊖ [S2]", "S4|X|S3|wrong host"],
      true,
    ],
    ["unfinished prose settles nothing", ["I have no idea yet. What next?"], false],
    ["prose that closes a branch settles something", ["Branch a merged: it is DNS"], true],
    ["a new conclusion settles something", ["S2|C|S1|It is DNS", "S3|X|S2|No", "S4|C|S1|It is TLS"], true],
  ])("%s", (_, later, expected) => {
    expect(converges(...later)).toBe(expected);
  });
});
