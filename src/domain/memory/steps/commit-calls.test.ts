import { expect, test } from "vitest";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { type CallResult, type CommitCall, commitCalls } from "./commit-calls.ts";
import type { BranchRow, FactKind, Writes } from "./rows.ts";
import type { MemoryStep } from "./step.ts";

const main: BranchRow = {
  bid: 1,
  uid: "main@1",
  name: "main",
  base: undefined,
  baseSeq: 0,
  depth: 0,
  createdAtMs: 0,
  deletedAtMs: undefined,
};

/** Returns a fact about a workspace with one branch and document. A merge has reserved all seqs after 10. */
function find(kind: FactKind, key: string | number): unknown {
  if (kind === "sequence") return { last: 10, mergeFrom: 11 };
  if (kind === "workspace") return { wid: 1, checkout: main, projectGuard: undefined };
  if (kind === "branch") return key === "main" ? main : undefined;
  if (kind === "anchors") return [];
  return kind === "log" ? { doc: 1, isOpen: true } : undefined;
}

/** Runs calls in one transaction. Also returns the writes that were not undone, and the kinds of facts that were loaded. */
function commit(...calls: readonly MemoryStep[][]): {
  results: CallResult[];
  applied: Writes[];
  loaded: FactKind[];
} {
  const at = new Date(0);
  const committing = commitCalls(
    calls.map((steps): CommitCall => ({ workspace: "acme", steps, at })),
    false,
  );
  const applied: Writes[] = [];
  const loaded: FactKind[] = [];
  let mark = 0;
  let step = committing.next();
  while (!step.done) {
    const request = step.value;
    if ("load" in request) loaded.push(...request.load.map(({ kind }) => kind));
    if ("apply" in request) applied.push(request.apply);
    if ("savepoint" in request && request.savepoint === "set") mark = applied.length;
    if ("savepoint" in request && request.savepoint === "undo") applied.length = mark;
    step = committing.next(
      "load" in request
        ? request.load.map(({ kind, keys }) => keys.map((key) => find(kind, key)))
        : undefined,
    );
  }
  return { results: step.value, applied, loaded };
}

const note = (branch: string): MemoryStep => ({
  do: "append",
  branch,
  doc: "notes",
  entry: { kind: "note", content: "text" },
});

test("a call takes over the numbers of a large merge, even if an earlier call that did so was refused", () => {
  const { results, applied } = commit([note("main"), note("nowhere")], [note("main")]);
  expect(results.map(({ refused }) => refused?.code)).toEqual(["UNKNOWN_ID", undefined]);
  expect(applied.flatMap(({ entry = [] }) => entry.map(({ seq }) => seq))).toEqual([11]);
  expect(applied.flatMap(({ sequence = [] }) => sequence)).toEqual([11]);
});

test("a call reads again whether tags are in use if an earlier call that read it was refused", () => {
  const refuse: MemoryStep = {
    do: "change_anchors",
    names: ["x"],
    decide() {
      throw new ThoughtboxError("CONFLICT", "no");
    },
  };
  const { results, loaded } = commit([refuse], [refuse]);
  expect(results.map(({ refused }) => refused?.code)).toEqual(["CONFLICT", "CONFLICT"]);
  expect(loaded.filter((kind) => kind === "carried")).toHaveLength(2);
});
