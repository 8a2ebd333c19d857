import { describe, expect, test } from "vitest";
import { NOW } from "./beliefs.ts";
import { diffLines, diffWords, weaveWords } from "./diff.ts";
import { gist } from "./gist.ts";
import { excerptAt, searchThoughts, suggestWord } from "./search.ts";
import { writeSession } from "./session.testing.ts";

describe("the difference between two texts", () => {
  test("lists the removed and added lines of code", () => {
    expect(diffLines("a\nb\nc", "a\nx\nc\nd")).toEqual([
      { kind: "removed", text: "b" },
      { kind: "added", text: "x" },
      { kind: "added", text: "d" },
    ]);
    expect(diffLines("a", "a")).toEqual([]);
    expect(diffLines("a\n".repeat(2_000), "b")).toBeUndefined();
  });

  test("can be shown in a single text", () => {
    expect(weaveWords("Raise the lease to 30 s", "Raise the lease to 60 s now")).toEqual([
      { kind: "same", text: "Raise the lease to" },
      { kind: "removed", text: "30" },
      { kind: "added", text: "60" },
      { kind: "same", text: "s" },
      { kind: "added", text: "now" },
    ]);
    expect(weaveWords("one two three", "four five six")).toBeUndefined();
    expect(weaveWords("Batches of 5,000 rows", "Batches of 5,000 rows, by day (all)")).toEqual([
      { kind: "same", text: "Batches of 5,000 rows" },
      { kind: "added", text: ", by day (all)", isGlued: true },
    ]);
    expect(weaveWords("One, two, three", "One, two; three")).toEqual([
      { kind: "same", text: "One, two" },
      { kind: "removed", text: ",", isGlued: true },
      { kind: "added", text: ";", isGlued: true },
      { kind: "same", text: "three" },
    ]);
  });

  test("marks only the removed and added words", () => {
    expect(diffWords("Raise the lease to 30 s", "Raise the lease to 60 s.")).toEqual({
      before: [
        { kind: "same", text: "Raise the lease to" },
        { kind: "removed", text: "30" },
        { kind: "same", text: "s" },
      ],
      after: [
        { kind: "same", text: "Raise the lease to" },
        { kind: "added", text: "60" },
        { kind: "same", text: "s." },
      ],
    });
  });

  test("is left out if less than 60 % of the shorter text is shared", () => {
    expect(diffWords("one two three four five", "one two six seven eight")).toBeUndefined();
    expect(diffWords("one two three four five", "one two three six seven")).toBeDefined();
    expect(diffWords("", "anything")).toBeUndefined();
  });

  test("can be put together to both texts again", () => {
    const before = "a b c d e f g h i j";
    const after = "a c d x e f g y h i";
    const diff = diffWords(before, after);
    expect(diff?.before.map(({ text }) => text).join(" ")).toBe(before);
    expect(diff?.after.map(({ text }) => text).join(" ")).toBe(after);
  });

  test("finds one change in a very long text, and gives up on two long texts that differ everywhere", () => {
    const long = Array.from({ length: 100_000 }, (_, i) => `w${i}`);
    const changed = long.with(50_000, "other");
    expect(diffWords(long.join(" "), changed.join(" "))?.after.length).toBe(3);
    expect(diffWords(long.join(" "), long.toReversed().join(" "))).toBeUndefined();
  });
});

describe("the gist of a card", () => {
  test.each([
    ["∴ the lease was too short", "the lease was too short"],
    ["S12|H|S3,^S4|the lease was too short", "the lease was too short"],
    ["S1|O|37 customers charged twice", "37 customers charged twice"],
    ["S2|C||→ done\nin two lines", "done in two lines"],
    ["a plain | text", "a plain | text"],
    ["4|E|3|see `src/**/*.ts` and **that**.", "see src/**/*.ts and that."],
    ["## Then\n**join** by `order_id`", "Then join by order_id"],
    ["call f(*args, **kwargs) with **both**", "call f(*args, **kwargs) with both"],
    ["see\n```ts\n// **x** and `y`\n```\n**z**", "see // **x** and `y` z"],
    ["the **«lease»** and «**lease**»", "the «lease» and «lease»"],
    ["a [page](https://example.com) of *words*", "a page of words"],
    ["1. one\n- **two** | `a|b`", "1. one - two | a|b"],
    ["make failed.\n\n> Exit code 1\n> a > b", "make failed. Exit code 1 a > b"],
    ["S9|E|S7|The same join alone: 9 minutes ⊖ [S7]", "The same join alone: 9 minutes"],
    ["S9|E|[S3] ⊖ [S2], at noon", "[S3] ⊖ [S2], at noon"],
    ["S9|E|⊖ [S2]", "⊖ [S2]"],
    ["S9|Q|[S3] ⊖ [S5]", "[S3] ⊖ [S5]"],
  ])("reads %j as %j", (text, words) => {
    expect(gist(text)).toBe(words);
  });

  test("is short, however long the text", () => {
    expect(gist(" ".repeat(1_000_000)).length).toBe(0);
    expect(gist("S1|O|".repeat(200_000)).length).toBeLessThanOrEqual(400);
  });
});

describe("search in a session", () => {
  const { columns, think } = writeSession();
  think("", "O", { text: "The Lease is five seconds" });
  think("", "H", { text: "captures outlive it" });
  think("", "E", { text: "every lease was lost" });

  test("finds words whatever their case, up to the given moment", () => {
    expect(searchThoughts(columns, "lease", NOW)).toEqual([0, 2]);
    expect(searchThoughts(columns, "LEASE", 1)).toEqual([0]);
    expect(searchThoughts(columns, "  ", NOW)).toEqual([]);
    expect(searchThoughts(columns, "[", NOW)).toEqual([]);
  });

  test("suggests a word with a similar spelling", () => {
    expect(suggestWord(columns, "leese")).toBe("lease");
    expect(suggestWord(columns, "zebra")).toBeUndefined();
  });

  test("shows the match near the start of the excerpt", () => {
    expect(excerptAt("The Lease is five seconds", "lease")).toEqual({
      before: "The ",
      match: "Lease",
      after: " is five seconds",
    });
    const far = excerptAt("a very long sentence that says lease only here", "lease");
    expect(far).toEqual({ before: "… that says ", match: "lease", after: " only here" });
    expect(excerptAt("nothing", "lease").match).toBe("");
  });
});
