import { expect, test } from "vitest";
import type { Thought } from "../../domain/ledger/thought.ts";
import { readCipher } from "../../domain/ledger/thought.ts";
import { createCipherLinks } from "./session-columns.ts";

/** The positions follow the order of the given thoughts. */
function linksOf(thoughts: { text: string; number: number; branchId?: string; from?: number }[]) {
  const positions = new Map<string, number>();
  const { read } = createCipherLinks(
    ({ branchId = "", thoughtNumber }) => positions.get(`${branchId}:${thoughtNumber}`) ?? 0,
  );
  return thoughts.map(({ text, number, branchId, from }, at) => {
    const cipher = readCipher(text);
    const links = read({
      thought: text,
      thoughtNumber: number,
      totalThoughts: 9,
      nextThoughtNeeded: true,
      timestamp: "",
      ...(cipher && { cipher }),
      ...(branchId !== undefined && { branchId }),
      ...(from !== undefined && { branchFromThought: from }),
    } satisfies Thought);
    positions.set(`${branchId ?? ""}:${number}`, at + 1);
    return links;
  });
}

test("links a reference to the thought that contains the step", () => {
  const [, , third] = linksOf([
    { text: "S1|O|Late\nS2|Q|S1|Since when?", number: 1 },
    { text: "S3|H|S2|The join", number: 2 },
    { text: "S4|X|S3|It is fast\nS5|E|S2|Since Friday", number: 3 },
  ]);
  expect(third).toEqual([
    { relation: "rejects", to: 2 },
    { relation: "supports", to: 1 },
  ]);
});

test("reads a number in a branch as its own thought, or as one before the fork", () => {
  const [, , inBranch] = linksOf([
    { text: "S1|O|Late", number: 1 },
    { text: "S2|H|S1|On the main line only", number: 2 },
    { text: "S2|H|S1|Another way", number: 2, branchId: "other", from: 1 },
  ]);
  expect(inBranch).toEqual([{ relation: "rests_on", to: 1 }]);
});

test("finds no links in prose, and none from a thought to itself", () => {
  expect(
    linksOf([
      { text: "S1|O|Late", number: 1 },
      { text: "as S1 says", number: 2 },
      { text: "S3|H|S3|Me", number: 3 },
    ]),
  ).toEqual([[], [], []]);
});

test("a caret revises, and a step can relay a contradiction between two others", () => {
  const [, , revision, question] = linksOf([
    { text: "S1|O|Late", number: 1 },
    { text: "S2|C|S1|The join", number: 2 },
    { text: "S3|R|^S2|The lock", number: 3 },
    { text: "S4|Q|[S3] ⊖ [S2]", number: 4 },
  ]);
  expect(revision).toEqual([{ relation: "revises", to: 2 }]);
  expect(question).toEqual([
    { relation: "rests_on", to: 2 },
    { relation: "rests_on", to: 3 },
    { relation: "contradicts", to: 2, from: 3 },
  ]);
});
