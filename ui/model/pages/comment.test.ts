import { expect, test } from "vitest";
import { longestComment, previewComment, writeComment } from "./comment.ts";

const counts = { files: 2, added: 4, explained: 3 };
const section = (kind: string, title: string, items: string[]) => ({ kind, title, items });

test("counts what a comment leaves out, and never exceeds the limit", () => {
  const reasons = Array.from({ length: 8 }, (_, n) => `reason ${n} ${"x".repeat(150)}`);
  const sections = [
    section("reasons", "", reasons),
    section("given_up", "**Given up**", ["a".repeat(300), "b".repeat(300), "c".repeat(300)]),
  ];
  const text = writeComment(counts, sections, () => true);
  expect(text.length).toBeLessThanOrEqual(longestComment);
  expect(text).toMatch(
    /^### Why these lines\n\n2 files, 4 added lines: \*\*3 have a reason\*\*, 1 does not\./,
  );
  expect(text).toContain("reason 4");
  expect(text).not.toContain("reason 5");
  expect(text).toContain("- … and 3 more\n\n**Given up**");
  expect(text).toMatch(/- … and \d more$/);
  expect(writeComment(counts, sections, () => false)).toBe(text.split("\n\n- ")[0]);
});

test("reports how many large files are not counted", () => {
  const text = writeComment({ ...counts, large: 1 }, [], () => true);
  expect(text).toMatch(/1 does not\. Not counted: 1 large file\.$/);
});

test("previews the comment as a code host shows it, without interpreting its text as markup", () => {
  const text =
    "### Why\n\n**`src/a.ts:1-2`** keep \\*two\\* &lt;b> @\u200bada &amp; `x`\n- **Given up**: \\`y\\`";
  expect(previewComment(text)).toEqual([
    { kind: "heading", words: [{ text: "Why", look: "plain" }] },
    {
      kind: "text",
      words: [
        { text: "src/a.ts:1-2", look: "code" },
        { text: " keep *two* <b> @ada & ", look: "plain" },
        { text: "x", look: "code" },
      ],
    },
    {
      kind: "item",
      words: [
        { text: "Given up", look: "strong" },
        { text: ": `y`", look: "plain" },
      ],
    },
  ]);
});
