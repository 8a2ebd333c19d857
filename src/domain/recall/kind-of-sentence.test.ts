import { expect, test } from "vitest";
import { isLastingCorrection, kindOfSentence, planSubject } from "./kind-of-sentence.ts";

test.each([
  ["We decided to use mold, because lld breaks on ARM.", "decided"],
  ["Decision: paths are stored relative to the repository.", "decided"],
  ["The root cause is that the hook runs in another directory.", "decided"],
  ["The fix is to use the repo root instead of the current directory.", "decided"],
  ["The fix was updating the callers of the old signature.", "decided"],
  ["We decided not to cache the index.", "decided"],
  ["The root cause is that the parser doesn't work for nested lists.", "decided"],
  ["Storing diffs as data doesn't help because rebase invalidates line numbers", "rejected"],
  ["The gold linker does not work here.", "rejected"],
  ["A watcher was ruled out for network drives.", "rejected"],
  ["It is still unclear who owns the lock after a crash.", "open"],
  ["TODO: the Windows path is not tested.", "open"],
])("%s", (text, kind) => {
  expect(kindOfSentence(text, "agent")).toBe(kind);
});

test("announcements, headings and mere mentions of the words are not statements", () => {
  const said = [
    "Now let me add a note about the standalone copy decision and then exit plan mode.",
    "Let me update the todo list and present the summary.",
    "I should ask the user if they want me to create todo files for these findings.",
    "Created Todo Files for all findings",
    "Suffix Decision Heuristic for checkpoints",
    "Our suffix decision logic only runs when creating a checkpoint.",
    "The user chose:1.",
    "The sed command didn't work.",
    "IDs that are too long should be rejected.",
    "All suffixes of that commit are deleted (both condensed and abandoned)",
    "The key fix was calling the command, which properly sets up:",
    "The fix is ready.",
    "Thinking about it more, the fix is correct.",
    "The fix is complete and all tests pass.",
    "The trailer is missing because the state is from before the fix was applied.",
    "That would explain why attribution doesn't work for the second prompt.",
    "[SUGGESTION] Names with line breaks are unlikely, but the fix is trivial.",
    "The fix is minimal and targeted.",
    "The fix is verified.",
    "The real fix is ENT-242.",
    "Actually, the simplest fix is to:1.",
    "The fix is to either stop tracking branches, or track only some of them.",
    "I think the right fix is to move the check.",
    "Root cause is well-understood and the fix is in the right place.",
    "The user abandoned that work.",
    "The simplest fix is to scope it: either skip the slicing, or add another one.",
    "I'd say: don't fix this now.",
    "The one thing that still doesn't work.",
    "So when the review ended, the decision was correct.",
    "This doesn't fix the interrupted case, but it keeps the transcript.",
    "The child gets its own copy, but the parent's descriptor remains open.",
    "The user is reasoning through the scenario and concludes that it's not worth the complexity.",
    "The issue is that slicing by lines doesn't work for this format.",
    "If that's not an option, a token of the app is the way to go.",
    "The fix is working for both commands.",
    'You can no longer go back to between "the agent decided to start another one" and its first change.',
    "But my test changes the state after the fact, which doesn't help.",
  ];
  expect(said.filter((text) => kindOfSentence(text, "agent") !== undefined)).toEqual([]);
});

test("a correction that only steers the running session is not lasting", () => {
  const steering = [
    "commit",
    "ok let's create your proposed bug form",
    "can you give me a full version again?",
    "Make a nice commit message and commit.",
    "`mise run test:ci` was refused by the user.",
    "i'll take it from here.",
    "lol I guess this is idiomatic then",
    "our session starts with 7a3cf82d-9284",
    "huh, that's what my expectation says. Try again.",
    "no, write the plan first",
    "no, it should be the worktree and the new changes",
    "don't worry about linting for now, just continue.",
    "Also it seems that the injection isn't really working, otherwise you should have it.",
    "update the doc. then we should sequence this work",
    "I continued the rebase and it completed, so this does not always happen",
    "let's just drop the (manual-commit strategy only)",
    "if we're going to do that let's move it into somewhere better named. It's not a plan.",
    "still reviewing. I actually prefer the other name",
    "--- FAIL: TestInstall (0.04s)\n agent_test.go:650: hooks should use go run, not the binary",
    "The user wants to clarify these questions. They should be reformulated instead.",
    "and maybe delete the one you just created first",
    "pull down the remote branch first: `git fetch origin`",
  ];
  expect(steering.filter(isLastingCorrection)).toEqual([]);
  expect(isLastingCorrection("fix the test, the code is right")).toBe(true);
  expect(isLastingCorrection("No, never edit the generated files.")).toBe(true);
});

test("names a plan that the user hands over by its heading", () => {
  const plan =
    "Implement the following plan:\n\n# Plan: Telemetry is off by default\n\n## Summary\nIt was on.";
  expect(planSubject(plan)).toBe("Implement this plan: Telemetry is off by default");
  expect(planSubject("Look into the slow build.")).toBeUndefined();
});
