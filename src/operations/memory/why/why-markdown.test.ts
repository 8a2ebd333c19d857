import { expect, test } from "vitest";
import { escapeAroundCode, escapeMarkdown, toHover, toMarkdown } from "./why-markdown.ts";

test.each([
  ["a bare address", "see https://evil.example/a", "see https\\://evil.example/a"],
  ["a name that looks like an address", "see WWW.evil.example", "see WWW\\.evil.example"],
  ["a link", "[ok](command:run?x)", "\\[ok\\](command:run?x)"],
  ["a link in angle brackets", "<https://evil.example>", "&lt;https\\://evil.example>"],
  ["a picture", "![x](http://evil.example/x.png)", "\\!\\[x\\](http\\://evil.example/x.png)"],
  ["an element", "<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"],
  ["an entity", "&lt;b&gt;", "&amp;lt;b&amp;gt;"],
  ["a heading and a fence", "a\n# b\n```js", "a \\# b \\`\\`\\`js"],
  ["a reference", "[x]: command:run", "\\[x\\]: command:run"],
  ["a mail address", "ada@evil.example", "ada@\u200bevil.example"],
])("keeps %s as text in an editor", (_what, stored, shown) => {
  expect(escapeMarkdown(stored)).toBe(shown);
});

test.each([
  ["a name", "set `job.id` in *each*", "set `job.id` in \\*each\\*"],
  ["text that would be Markdown", "`<b>`, `@ada` and `[x](y)`", "`<b>`, `@ada` and `[x](y)`"],
  ["not after a single backtick", "a `b <i>", "a \\`b &lt;i>"],
  ["not with unequal backticks", "``a` <i>", "\\`\\`a\\` &lt;i>"],
  ["code after a backslash", "\\`a`*", "\\\\`a`\\*"],
])("keeps code in a comment as code: %s", (_what, stored, shown) => {
  expect(escapeAroundCode(stored)).toBe(shown);
});

const answer = {
  file: "src/pool.ts",
  lines: "2",
  commit: {
    sha: "25a8cdae2d92",
    subject: "fix: size the pool",
    message: "Ten were too few.",
    author: "Ada",
    at: "2026-03-02T10:05:00.000Z",
  },
  by: {
    sessionId: "bccf5170-0000-4000-8000-000000000000",
    edit: "t1",
    at: "2026-03-02T10:01:00.000Z",
    agent: "claude-code",
    how: "by-commit" as const,
  },
  asked: { text: "yes", thought: "bccf5170:3" },
  proposal: { text: "Open one connection per worker.", thought: "bccf5170:2" },
  earlier: { text: "Checkout times out.", thought: "bccf5170:1" },
  because: { text: "The workers wait.", thought: "bccf5170:4" },
  context: { text: "The pool has ten connections.", thought: "bccf5170:2" },
};

test("a comment for a pull request contains a line for each part of the reason", () => {
  expect(toMarkdown([answer], {}).slice(3)).toEqual([
    "  - asked: yes",
    "  - agreed to: Open one connection per worker.",
    "  - earlier: Checkout times out.",
    "  - because: The workers wait.",
    "  - before: The pool has ten connections.",
    "  - message: Ten were too few.",
  ]);
});

test("an editor shows the same parts and explains by-commit", () => {
  const hover = toHover(answer) ?? "";
  expect(hover).toContain("by-commit: wrote nearly all other lines that the commit added to this file");
  for (const label of ["asked", "agreed to", "earlier", "because", "before", "message"])
    expect(hover).toContain(`**${label}** `);
  expect(toHover({ ...answer, by: { ...answer.by, how: "sure" } })).toContain("wrote it: sure");
});
