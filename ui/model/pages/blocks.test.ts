import { expect, test } from "vitest";
import { toBlocks } from "./blocks.ts";

const ada = { sessionId: "a", thought: "a:1" };
const commit = { sha: "c1" };
const run = (from: number, to: number, writer: typeof ada | undefined = undefined) => ({
  ...{ from, to, writer, commit },
});

test("combines neighbouring lines of one edit into one block", () => {
  const blocks = toBlocks([run(1, 2, ada), run(3, 3, ada), run(4, 5), run(6, 6, ada)], 1, 6);
  expect(blocks.map(({ from, to, writer }) => [from, to, writer?.thought])).toEqual([
    [1, 3, "a:1"],
    [4, 5, undefined],
    [6, 6, "a:1"],
  ]);
});

test("adds blocks for lines that are not loaded yet, and limits blocks to the window", () => {
  const blocks = toBlocks([run(1, 3, ada), run(6, 9)], 2, 8);
  expect(blocks.map(({ from, to, isKnown }) => [from, to, isKnown])).toEqual([
    [2, 3, true],
    [4, 5, false],
    [6, 8, true],
  ]);
  expect(toBlocks([], 1, 3)).toHaveLength(1);
  expect(toBlocks([], 1, 0)).toEqual([]);
});
