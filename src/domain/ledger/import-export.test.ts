import { expect, test } from "vitest";
import { runAtOnce } from "../../kernel/steps.ts";
import { readSessionExport } from "./import-export.ts";

const timestamp = "2026-11-15T12:00:00.000Z";
const session = {
  id: "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  title: "Branches",
  tags: [],
  project: "_default",
  createdAt: timestamp,
  updatedAt: timestamp,
  lastAccessedAt: timestamp,
  status: "active",
  thoughtCount: 0,
  branchCount: 0,
};

/** Returns an export in which each branch forks from the one before it and revises the first thought. */
function nestedBranches(count: number): string {
  const nodes = Array.from({ length: count + 1 }, (_, n) => ({
    data: {
      thought: `thought ${n}`,
      thoughtNumber: n + 1,
      totalThoughts: n + 1,
      nextThoughtNeeded: true,
      timestamp,
      ...(n > 0 && { branchId: `b${n}`, branchFromThought: n, isRevision: true, revisesThought: 1 }),
      ...(n > 1 && { branchFromBranch: `b${n - 1}` }),
    },
  }));
  return JSON.stringify({ version: "1.0", session, nodes });
}

test("reads ten thousand nested branches in one call", () => {
  const read = runAtOnce(readSessionExport(nestedBranches(10_000)));
  if (typeof read === "string") throw new Error(read);
  expect(read.entries).toHaveLength(10_001);
  expect(read.entries.at(-1)?.data).toMatchObject({
    branchId: "b10000",
    branchFromBranch: "b9999",
    revises: { thoughtNumber: 1 },
  });
});

test("refuses more than 20,000 branches and names the limit", () => {
  expect(runAtOnce(readSessionExport(nestedBranches(20_001)))).toBe(
    "An import can have at most 20,000 branches. This one has 20,001.",
  );
});
