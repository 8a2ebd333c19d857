import { describe, expect, test } from "vitest";
import { NONE } from "../columns.ts";
import { writeSession } from "../session.testing.ts";
import {
  type Action,
  commitSubject,
  failingLines,
  gapAfter,
  joinReads,
  mayReport,
  placeActions,
  quotedOutput,
  tallyOf,
  timeParts,
} from "./actions.ts";

type Raw = Parameters<typeof placeActions>[1][number];

const raw = (more: Partial<Raw>): Raw => ({
  ...{ type: "command", call: "c", at: 0, took: undefined, follows: undefined, branch: undefined },
  ...{ path: undefined, paths: [], change: undefined, written: 0, removed: 0, command: "", failed: false },
  ...{ exit: undefined, tests: false, results: undefined, commit: undefined, said: "" },
  ...more,
});

/** Creates three thoughts, ten seconds apart, and what happened between them. */
function session() {
  const { columns, think } = writeSession();
  think("", "O");
  think("", "H");
  think("", "E");
  const second = (n: number) => (columns.time[0] ?? 0) + n * 1_000;
  for (let i = 0; i < 3; i++) columns.time[i] = second(i * 10);
  const after = (thoughtNumber: number) => ({ thoughtNumber });
  const done = placeActions(columns, [
    raw({ type: "edit", at: second(4), took: 2_000, follows: after(1) }),
    raw({ type: "command", at: second(12), took: 3_000, follows: after(2), tests: true, failed: true }),
    raw({ type: "read", at: second(2), took: 1_000, follows: after(1), paths: ["a", "b"] }),
    raw({ type: "refusal", at: second(16), follows: after(2) }),
  ]);
  return { columns, done, second };
}

describe("the agent's actions", () => {
  test("are sorted by when they began, although reads may be stored last", () => {
    const { done } = session();
    expect(done.all.map(({ type }) => type)).toEqual(["read", "edit", "command", "refusal"]);
    expect(done.after.get(0)?.map(({ type }) => type)).toEqual(["read", "edit"]);
    expect(tallyOf(done.all)).toMatchObject({ reads: 2, edits: 1, tests: 1, failedTests: 1, refused: 1 });
  });

  test("last as long as the transcript states, or until the next event", () => {
    expect(session().done.all.map(({ took }) => took)).toEqual([1_000, 2_000, 3_000, 4_000]);
  });

  test("share the time with thinking and waiting, and the parts add up to the whole", () => {
    const { columns, done, second } = session();
    const parts = timeParts(columns, done, () => false);
    expect(parts).toEqual({
      thinking: 10_000,
      editing: 3_000,
      running: 3_000,
      waiting: 4_000,
      whole: 20_000,
    });
    const own = timeParts(columns, done, () => false, { from: second(10), to: second(20) });
    expect(own).toEqual({ thinking: 3_000, editing: 0, running: 3_000, waiting: 4_000, whole: 10_000 });
    expect(timeParts(columns, done, (thought) => thought === 1).waiting).toBe(8_000);
  });

  test("count the time until an edit was permitted as waiting", () => {
    const { columns, second } = session();
    const done = placeActions(columns, [
      raw({ type: "edit", at: second(21), took: 60_000, follows: undefined }),
    ]);
    const { editing, waiting } = timeParts(columns, done, () => false);
    expect({ editing, waiting }).toEqual({ editing: 10_000, waiting: 50_000 });
  });

  test("are between a thought and the next one on its branch", () => {
    const { columns, done, second } = session();
    expect(gapAfter(columns, 0, done.after.get(0) ?? [])).toEqual({
      from: second(0),
      to: second(10),
      next: 1,
    });
    expect(gapAfter(columns, 2, [])).toEqual({ from: second(20), to: second(20), next: NONE });
  });

  test("combine neighbouring reads, with each file once", () => {
    const { done } = session();
    const [read] = done.all as [Action];
    const joined = joinReads([
      read,
      { ...read, at: read.at + 5_000, paths: ["b", "c"] },
      ...done.all.slice(1),
    ]);
    expect(joined.map(({ type }) => type)).toEqual(["read", "edit", "command", "refusal"]);
    expect(joined[0]).toMatchObject({ paths: ["a", "b", "c"], took: 6_000 });
  });
});

describe("why a command failed", () => {
  const text =
    "S3|O|S2|`npm test` failed.\n> Exit code 1\n> ok 1\n> not ok 2 - pool\n>   expected 10\n> ok 3";

  test("is quoted in one of the next thoughts on its branch", () => {
    const { columns, done } = session();
    expect(mayReport(columns, done.all[2] as Action)).toEqual([2]);
    expect(quotedOutput(text, "npm test")).toHaveLength(5);
    expect(quotedOutput(text, "npm run build")).toBeUndefined();
  });

  test("is shown by the first line that mentions a failure, and the next", () => {
    expect(failingLines(quotedOutput(text, "npm test") ?? [])).toEqual(["not ok 2 - pool", "  expected 10"]);
    expect(failingLines(["Exit code 1", "", "nothing", "to see", "here"])).toEqual(["nothing", "to see"]);
    expect(failingLines([])).toEqual([]);
  });
});

test.each([
  ["git commit -am 'Larger \"pool\"'", 'Larger "pool"'],
  ['git add . && git commit -m "It\'s larger⏎⏎Body"', "It's larger"],
  ["git commit -m \"$(cat <<'EOF'⏎feat: a larger pool⏎⏎Body⏎EOF⏎)\"", "feat: a larger pool"],
  ["git commit --amend --no-edit", "git commit --amend --no-edit"],
])("describes %s as %s", (command, subject) => {
  expect(commitSubject(command)).toBe(subject);
});
