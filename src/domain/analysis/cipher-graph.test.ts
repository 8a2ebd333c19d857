import { describe, expect, test } from "vitest";
import type { Thought } from "../ledger/thought.ts";
import { type Address, describeAddress, readCipher } from "../ledger/thought.ts";
import { type CipherGraph, cipherFiguresOf, cipherGraphOf } from "./cipher-graph.ts";
import { exampleSession, recorded, shapeOf } from "./example-session.testing.ts";
import { analyzeSession } from "./session-analysis.ts";

/** Builds a graph from texts on the main chain, or from thoughts with the given fields. */
function graphOf(...drafts: (string | Partial<Thought>)[]): CipherGraph {
  return cipherGraphOf(
    recorded(
      ...drafts.map((draft) => {
        const fields = typeof draft === "string" ? { thought: draft } : draft;
        const cipher = readCipher(fields.thought ?? "");
        return { ...fields, ...(cipher && { cipher }) };
      }),
    ),
  );
}

const name = (address: Address) => describeAddress(address).replace("thought ", "").replace(" of branch", "");
const edgesOf = ({ edges }: CipherGraph) =>
  edges.map(({ from, to, relation }) => `${name(from)} ${relation} ${name(to)}`);
const rejectedOf = (graph: CipherGraph, count: number) =>
  Array.from({ length: count }, (_, n) => n + 1).filter((thoughtNumber) =>
    graph.isRejected({ thoughtNumber }),
  );

describe("a reference becomes an edge between thoughts", () => {
  test.each([
    ["a step rests on the steps it names", "S3|C|S1,S2|x", ["3 rests_on 1", "3 rests_on 2"]],
    ["evidence supports the step it names", "S3|E|S2|x", ["3 supports 2"]],
    ["⊖ is evidence against", "S3|E|seen ⊖ [S2]", ["3 against 2"]],
    ["^ revises, in the field or inline", "S3|R|^S2|not so, ^[S1] neither", ["3 revises 1", "3 revises 2"]],
    ["X rejects", "S3|X|S2|ruled out by [S1]", ["3 rests_on 1", "3 rejects 2"]],
    [
      "two steps that exclude each other",
      "S3|Q|[S1] ⊖ [S2]?",
      ["1 against 2", "3 rests_on 1", "3 rests_on 2"],
    ],
    [
      "evidence that relays a contradiction",
      "S3|E|[S1] ⊖ [S2]",
      ["1 against 2", "3 supports 1", "3 against 2"],
    ],
    ["a reference to a missing step adds no edge", "S3|C|S2,S9|x", ["3 rests_on 2"]],
    ["references in prose add no edges", "see [S1]", []],
  ])("%s", (_, text, expected) => {
    expect(edgesOf(graphOf("S1|O|one", "S2|H|two", text))).toEqual(expected);
  });

  test("counts a step's own number, not that of its thought", () => {
    expect(edgesOf(graphOf("S10|O|a\nS11|H|b", "S12|C|S11|c"))).toEqual(["2 rests_on 1"]);
  });

  test("a prose thought is referenced by its number", () => {
    expect(edgesOf(graphOf("plain words", "S2|E|S1|seen"))).toEqual(["2 supports 1"]);
  });

  test("leaves out links inside one thought, and merges two of the same kind", () => {
    expect(edgesOf(graphOf("S1|O|a\nS2|H|S1|b", "S3|C|S1,S2|c\nS4|C|S3,S2|d"))).toEqual(["2 rests_on 1"]);
  });

  test("a contradiction between two steps outweighs support that an earlier thought stated", () => {
    const graph = graphOf("S1|O|one", "S2|H|two", "S3|E|S2,S1|seen", "S4|Q|[S3] ⊖ [S2]?");
    expect(edgesOf(graph)).toEqual(["3 supports 1", "3 against 2", "4 rests_on 2", "4 rests_on 3"]);
  });

  test("two steps of a thought can support and contradict another thought", () => {
    expect(edgesOf(graphOf("S1|H|one", "S2|E|S1|seen\nS3|E|⊖ [S1]"))).toEqual([
      "2 supports 1",
      "2 against 1",
    ]);
  });

  test("the field revisesThought adds the same edge as ^", () => {
    const correction = { thought: "S2|R|^S1|b", isRevision: true, revisesThought: 1 } as const;
    expect(edgesOf(graphOf("S1|O|a", { ...correction, revises: { thoughtNumber: 1 } }))).toEqual([
      "2 revises 1",
    ]);
    expect(edgesOf(graphOf("a", { thought: "b", isRevision: true, revises: { thoughtNumber: 1 } }))).toEqual([
      "2 revises 1",
    ]);
  });
});

describe("in a branch", () => {
  const fork = { branchId: "a", branchFromThought: 2 };

  test("a reference to another branch contains its name, and main is the main line", () => {
    const graph = graphOf(
      "S1|O|x",
      "S2|H|y",
      { ...fork, thoughtNumber: 3, thought: "S3|H|in a" },
      { thoughtNumber: 3, thought: "S3|H|on the main line" },
      { thoughtNumber: 4, thought: "S4|E|S1|[S2] ⊖ [a:S3]" },
      { branchId: "a", thoughtNumber: 4, thought: "S4|C|S3,main:S3,a:S1|z" },
      { thoughtNumber: 5, thought: "S5|X|a:S3,b:S3|no" },
    );
    expect(edgesOf(graph)).toEqual([
      "2 against 3 a",
      "4 supports 1",
      "4 supports 2",
      "4 against 3 a",
      "4 a rests_on 3 a",
      "4 a rests_on 1",
      "4 a rests_on 3",
      "5 rejects 3 a",
    ]);
    expect(graph.isRejected({ branchId: "a", thoughtNumber: 3 })).toBe(true);
    expect(graph.isRejected({ thoughtNumber: 3 })).toBe(false);
  });

  test("its first thought can refer to steps before the fork", () => {
    expect(edgesOf(graphOf("S1|O|x", "S2|H|y", { ...fork, thoughtNumber: 3, thought: "S3|E|S1|z" }))).toEqual(
      ["3 a supports 1"],
    );
  });

  test("a number refers to the branch's own step first, and never to a parent's step after the fork", () => {
    const graph = graphOf(
      "S1|O|x",
      "S2|H|y",
      "S3|H|main",
      "S4|H|main",
      { ...fork, thoughtNumber: 3, thought: "S3|H|branch" },
      { branchId: "a", thoughtNumber: 5, thought: "S5|C|S3,S4,S2|z" },
    );
    expect(edgesOf(graph)).toEqual(["5 a rests_on 2", "5 a rests_on 3 a"]);
  });

  test("a branch of a branch can refer to steps before both forks", () => {
    const graph = graphOf(
      "S1|O|x",
      { branchId: "a", branchFromThought: 1, thoughtNumber: 2, thought: "S2|H|y" },
      {
        branchId: "b",
        branchFromThought: 2,
        branchFromBranch: "a",
        thoughtNumber: 3,
        thought: "S3|X|S1,S2|z",
      },
    );
    expect(edgesOf(graph)).toEqual(["3 b rejects 1", "3 b rejects 2 a"]);
    expect(graph.isRejected({ branchId: "a", thoughtNumber: 2 })).toBe(true);
    expect(graph.isRejected({ thoughtNumber: 2 })).toBe(false);
  });
});

describe("a rejected thought", () => {
  test("is the thought that X names, not the one that rejects it", () => {
    expect(rejectedOf(graphOf("S1|H|a", "S2|X|S1|no", "S3|H|c"), 3)).toEqual([1]);
  });

  test("is an X step that names nothing", () => {
    expect(rejectedOf(graphOf("S1|X|caching is out", "S2|X|S7|nor that"), 2)).toEqual([1, 2]);
  });

  test("is what an X step contradicts, not what it cites", () => {
    const graph = graphOf("S1|O|a", "S2|H|b", "S3|E|c", "S4|X|[S3] ⊖ [S2]");
    expect(edgesOf(graph)).toEqual(["3 against 2", "4 rejects 2", "4 rests_on 3"]);
    expect(rejectedOf(graph, 4)).toEqual([2]);
  });

  test("is one whose steps are all rejected, not only some", () => {
    const some = graphOf("S1|H|a\nS2|H|b", "S3|X|S2|no");
    expect(rejectedOf(some, 2)).toEqual([]);
    expect(some.rejectedSteps({ thoughtNumber: 1 })).toEqual([2]);
    const all = graphOf("S1|H|a\nS2|H|b", "S3|X|S2|no", "S4|X|S1|nor that");
    expect(rejectedOf(all, 3)).toEqual([1]);
  });

  test("is not one that rejects only one of its own steps", () => {
    const graph = graphOf("S1|H|a\nS2|X|S1|no\nS3|H|b");
    expect(graph.rejectedSteps({ thoughtNumber: 1 })).toEqual([1]);
    expect(rejectedOf(graph, 1)).toEqual([]);
  });

  test("may be prose", () => {
    expect(rejectedOf(graphOf("plain words", "S2|X|S1|no"), 2)).toEqual([1]);
  });
});

test("lists the types of a thought's steps, each once", () => {
  const graph = graphOf("S1|H|a\nS2|E|S1|b\nS3|H|c", "words");
  expect(graph.typesOf({ thoughtNumber: 1 })).toEqual(["H", "E"]);
  expect(graph.typesOf({ thoughtNumber: 2 })).toEqual([]);
});

test("limits the edges of a text that names hundreds of steps", () => {
  const texts = Array.from({ length: 300 }, (_, n) => `S${n + 1}|O|x`);
  const { edges } = graphOf(...texts, "S301|C|S1-S200,S201-S300|x");
  expect(edges.length).toBe(250);
});

test("follows deeply nested branches through a limited number of forks, and ignores a cycle of forks", () => {
  const nested = Array.from({ length: 1_000 }, (_, n) => ({
    thought: `S${n + 2}|C|S1-S200|x`,
    thoughtNumber: n + 2,
    branchId: `b${n}`,
    branchFromThought: n + 1,
    ...(n > 0 && { branchFromBranch: `b${n - 1}` }),
  }));
  const graph = graphOf({ thought: "S1|O|start", thoughtNumber: 1 }, ...nested);
  expect(graph.edgesFrom({ branchId: "b9", thoughtNumber: 11 })).toHaveLength(10);
  expect(graph.edgesFrom({ branchId: "b99", thoughtNumber: 101 })).toHaveLength(16);
  const circle = graphOf(
    { thought: "S1|O|x", thoughtNumber: 1 },
    { thought: "S2|E|S9|x", thoughtNumber: 2, branchId: "a", branchFromThought: 2, branchFromBranch: "b" },
    { thought: "S2|E|S9|x", thoughtNumber: 2, branchId: "b", branchFromThought: 2, branchFromBranch: "a" },
  );
  expect(circle.edges).toEqual([]);
});

const shapeOfTexts = (...texts: string[]) =>
  shapeOf(
    recorded(
      ...texts.map((thought) => {
        const cipher = readCipher(thought);
        return { thought, ...(cipher && { cipher }) };
      }),
    ),
  );

test("counts steps by type, links by kind, and rejected thoughts", () => {
  const shape = shapeOfTexts("S1|O|a", "S2|H|S1|b\nS3|E|S1|c", "words", "S4|X|S2,S3|no", "S5|H|S1|d");
  expect(cipherFiguresOf(shape)).toEqual({
    thoughts: 4,
    types: { H: 2, E: 1, O: 1, X: 1 },
    edges: { rests_on: 2, supports: 1, rejects: 1 },
    rejected: 1,
  });
});

test("returns no figures for a session in prose", () => {
  expect(cipherFiguresOf(shapeOfTexts("one", "two"))).toBeUndefined();
});

test("a correction by ^ counts as one revision, even if the field names it too", () => {
  const analysis = analyzeSession(exampleSession, shapeOfTexts("S1|H|a", "S2|R|^S1|b"), 0);
  expect(analysis.metadata.revisionCount).toBe(1);
  expect(analysis.structure).toMatchObject({ revisionRate: 0.5, linearityScore: 0.5 });
});
