import { describe, expect, it } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { deriveEdges } from "./edges.ts";
import { parseCipher } from "./parse.ts";

function edgesOf(text: string): string[] {
  const steps = parseCipher(text)?.steps ?? [];
  const name = (number: number, branch?: string) => (branch === undefined ? number : `${branch}:${number}`);
  return deriveEdges(steps).map(
    ({ from, fromBranch, to, toBranch, relation }) =>
      `${name(from, fromBranch)} ${relation} ${name(to, toBranch)}`,
  );
}

describe("a reference becomes an edge", () => {
  it.each([
    ["evidence supports", "S3|E|S2|x", ["3 supports 2"]],
    ["a caret revises", "S16|R|^S12,S13|x", ["16 revises 12", "16 supports 13"]],
    ["an inline caret revises", "S16|C|^[S12] x", ["16 revises 12"]],
    ["X rejects", "S20|X|S12|x", ["20 rejects 12"]],
    [
      "what an X step cites inline is not rejected",
      "S20|X|S12|by [S13]",
      ["20 rejects 12", "20 supports 13"],
    ],
    ["X without a field rejects inline", "S20|X|[S12] is disproven", ["20 rejects 12"]],
    ["a range supports each member", "S9|C|S1-S3|x", ["9 supports 1", "9 supports 2", "9 supports 3"]],
    ["an inline mention supports", "S9|C|as in [S4]", ["9 supports 4"]],
    ["⊖ before an inline reference contradicts", "S9|E|the trace ⊖ [S4]", ["9 contradicts 4"]],
    ["⊖ after an inline reference contradicts", "S9|E|[S4]⊖ the trace", ["9 contradicts 4"]],
    ["a reference after ⊖ and other text is unclear", "S9|E|S3|a ⊖ b, see [S4]", ["9 supports 3"]],
    ["⊖ does not apply to the next sentence", "S9|E|S3|a ⊖ b. See [S4]", ["9 supports 3", "9 supports 4"]],
    [
      "⊖ does not apply to the previous clause",
      "S9|E|as in [S4]; a ⊖ [S3]",
      ["9 contradicts 3", "9 supports 4"],
    ],
    [
      "each of two clauses contradicts separately",
      "S9|Q|[S1] ⊖ [S2]; [S3] ⊖ [S4]",
      ["1 contradicts 2", "3 contradicts 4", "9 supports 1", "9 supports 2", "9 supports 3", "9 supports 4"],
    ],
    [
      "an X step rejects the step after ⊖",
      "S4|X|[S3] ⊖ [S2]",
      ["3 contradicts 2", "4 rejects 2", "4 supports 3"],
    ],
    ["an X step rejects the step before ⊖ if none follows", "S4|X|[S2] ⊖ the trace", ["4 rejects 2"]],
    ["X outweighs ⊖", "S4|X|S2|the trace ⊖ [S2]", ["4 rejects 2"]],
    [
      "an X step with a reference field contradicts other steps",
      "S4|X|S2|the trace ⊖ [S1]",
      ["4 contradicts 1", "4 rejects 2"],
    ],
    ["the field does not turn an unclear reference into support", "S4|E|S2|a ⊖ b, as in [S2]", []],
    ["⊖ outweighs the reference field", "S9|E|S4|the trace ⊖ [S4]", ["9 contradicts 4"]],
    [
      "⊖ between two references sets them against each other",
      "S9|Q|[S3] ⊖ [S5]?",
      ["3 contradicts 5", "9 supports 3", "9 supports 5"],
    ],
    [
      "evidence that relays a contradiction contradicts the step after ⊖",
      "S4|E|[S3] ⊖ [S2]",
      ["3 contradicts 2", "4 contradicts 2", "4 supports 3"],
    ],
    [
      "the reference field does not turn a relayed contradiction into support",
      "S4|E|S2|[S3] ⊖ [S2]",
      ["3 contradicts 2", "4 contradicts 2", "4 supports 3"],
    ],
    ["a step of a branch, in the field", "S4|E|alt:S3,S2|x", ["4 supports 2", "4 supports alt:3"]],
    ["a step of a branch, in the text", "S4|C|as in [alt:S3]", ["4 supports alt:3"]],
    ["a branch has a separate step with the same number", "S3|E|alt:S3|x", ["3 supports alt:3"]],
    ["a range of a branch", "S9|C|alt:S1-S2|x", ["9 supports alt:1", "9 supports alt:2"]],
    ["a correction of a branch", "S9|R|^alt:S3|x", ["9 revises alt:3"]],
    [
      "⊖ between a step and one of a branch",
      "S4|E|[S2] ⊖ [alt:S3]",
      ["2 contradicts alt:3", "4 supports 2", "4 contradicts alt:3"],
    ],
    [
      "⊖ between two branches",
      "S9|Q|[one:S3] ⊖ [two:S3]?",
      ["9 supports one:3", "9 supports two:3", "one:3 contradicts two:3"],
    ],
    ["a list in brackets is text, and ⊖ before it has no effect", "S4|E|[S3]⊖[S2,S1]", ["4 supports 3"]],
    ["⊖ before a step without brackets has no effect", "S4|E|[S3] ⊖ S2", ["4 supports 3"]],
    ["⊖ before a number in brackets has no effect", "S4|E|[S3] ⊖ [2]", ["4 supports 3"]],
    ["^ outweighs X", "S9|X|^S4|x", ["9 revises 4"]],
    ["a step has no edge to itself", "S2|C|S1-S3|see [S2]", ["2 supports 1", "2 supports 3"]],
  ])("%s", (_, text, expected) => {
    expect(edgesOf(text)).toEqual(expected);
  });
});

describe("the step after ⊖ is contradicted", () => {
  it.each([
    "[S3] ⊖ ([S2])",
    "[S3] ⊖: [S2]",
    "[S3] ⊖ **[S2]**",
    "**[S3]** ⊖ [S2]",
    "[S3] ⊖ step [S2]",
    '[S3] ⊖ "[S2]"',
    "[S3] ⊖ the hypothesis [S2]",
    "[S3] ⊖\n[S2]",
  ])("%s", (content) => {
    expect(edgesOf(`S4|E|${content}`)).toEqual(["3 contradicts 2", "4 contradicts 2", "4 supports 3"]);
  });

  it.each([
    "[S1], [S2]",
    "[S1] and [S2]",
    "[S1], and [S2]",
    "[S1] [S2]",
    "[S1][S2]",
    "([S1] ∧ [S2])",
    "steps [S1] or [S2]",
  ])("⊖ %s", (list) => {
    expect(edgesOf(`S4|E|[S3] ⊖ ${list}`)).toEqual([
      "3 contradicts 1",
      "3 contradicts 2",
      "4 contradicts 1",
      "4 contradicts 2",
      "4 supports 3",
    ]);
  });

  it.each([
    "[S3] ⊖ [S1]; [S2]",
    "[S3] ⊖ what [S2] says",
    "[S3] ⊖ cf. what [S2] says",
    "⊖ e.g. Redis in [S2]",
  ])("unless it is unclear, and then the reference is left out: %s", (content) => {
    const edges = edgesOf(`S4|E|${content}`).join();
    expect(edges).not.toContain("supports 2");
    expect(edges).not.toContain("contradicts 3");
  });

  it("and is never supported, whatever text is in between", () => {
    const pieces = [
      "the",
      "Cache",
      "and",
      ",",
      ":",
      "(",
      ")",
      "**",
      '"',
      "[x]",
      "S7",
      "→",
      "∵",
      "e.g.",
      "[S1]",
      "\n",
      "-",
      "⊖",
      "1.5",
    ];
    const filler = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(filler, fc.constantFrom("E", "C", "H", "X", "O"), fc.boolean(), (words, type, hasLeft) => {
        const edges = edgesOf(`S4|${type}|${hasLeft ? "[S3] " : ""}⊖${words}[S2]`);
        expect(edges).not.toContain("4 supports 2");
      }),
    );
  });
});

it("orders unique edges by number, whatever their order in the text", () => {
  expect(edgesOf("S3|C|S2,S1,S2|[S1]\nS2|E|S1|x\nS3|E|S1|again")).toEqual([
    "2 supports 1",
    "3 supports 1",
    "3 supports 2",
  ]);
});

it("limits the edges of a text that names millions", () => {
  const text = Array.from({ length: 50_000 }, (_, index) => `S${index + 500}|O|S1-S200|`).join("\n");
  expect(edgesOf(text)).toHaveLength(50_000);
});
