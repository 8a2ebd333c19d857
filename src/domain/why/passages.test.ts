import { expect, test } from "vitest";
import { toPassages } from "./passages.ts";

const session = "bccf5170";
const thought = (thoughtNumber: number, text: string, agentId = "claude-code") => ({
  thoughtNumber,
  thought: text,
  agentId,
  branchId: undefined,
});
const none = { earlier: [], later: [] };

test("a command that failed after an edit supersedes what was said before that edit", () => {
  const thoughts = [
    thought(1, "Fix the lint.", "user"),
    thought(2, "The check needs an explicit return."),
    thought(3, "S3|O|S2|`lint` failed.", "tool"),
    thought(4, "Now the two tests are the same."),
  ];
  const told = toPassages(thoughts, { sessionId: session, last: 4, made: { ...none, earlier: [2] } });
  expect(told.map(({ text, edits, overtaken }) => [text, edits, overtaken])).toEqual([
    ["Fix the lint.", 1, true],
    ["The check needs an explicit return.", 1, true],
    ["Now the two tests are the same.", 0, false],
  ]);
});

test("a failure without an earlier edit supersedes nothing", () => {
  const thoughts = [thought(1, "The pool is too small."), thought(2, "S2|O|S1|`test` failed.", "tool")];
  const [told] = toPassages(thoughts, { sessionId: session, last: 2, made: none });
  expect(told).toMatchObject({ edits: 0, overtaken: false });
});

test("uses only what the parent of a sub-agent said after its last edit", () => {
  const thoughts = [
    thought(1, "Move the code to its own package.", "user"),
    thought(2, "There is an unused import in the file."),
    thought(3, "The code moves, because two packages need it."),
  ];
  const made = { ...none, earlier: [2] };
  const texts = toPassages(thoughts, { sessionId: session, last: 3, made, isParent: true }).map(
    ({ text }) => text,
  );
  expect(texts).toEqual([
    "Move the code to its own package.",
    "The code moves, because two packages need it.",
  ]);
});

test("ignores what the parent of a sub-agent said before the user's last request", () => {
  const thoughts = [
    thought(1, "The import is unused, because the code was moved."),
    thought(2, "Now tackle the package.", "user"),
  ];
  const told = toPassages(thoughts, { sessionId: session, last: 2, made: none, isParent: true });
  expect(told.map(({ text }) => text)).toEqual(["Now tackle the package."]);
});
