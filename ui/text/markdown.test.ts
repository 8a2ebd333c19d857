import { expect, test } from "vitest";
import { parseInline, safeHref } from "./inline.ts";
import { parseMarkdown } from "./markdown.ts";

const kinds = (text: string) => parseMarkdown(text).map(({ kind }) => kind);

test("reads paragraphs, lists, code, tables, quotes and headings", () => {
  const text =
    "# Head\n\nWords\ngo on\n\n- one\n  - two\n\n1. first\n\n> said\n\n```ts\nlet a\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---";
  expect(kinds(text)).toEqual(["heading", "paragraph", "list", "list", "quote", "code", "table", "rule"]);
});

test("aligns the columns of a table by the line below its head", () => {
  const [table] = parseMarkdown("| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |");
  expect(table).toMatchObject({ kind: "table", align: [undefined, "left", "center", "right"] });
});

test("keeps the numbers of a list", () => {
  const [list] = parseMarkdown("1. one\n3. three\n4. four\n- not numbered");
  expect(list).toMatchObject({
    start: 1,
    items: [{ inner: [{ text: "one" }] }, { value: 3 }, { inner: [{ text: "four" }] }],
  });
  expect(list && "items" in list && list.items[2]).not.toHaveProperty("value");
});

test("does not read code between backticks on one line as a fence", () => {
  expect(kinds("```x``` is the key\n\nwords")).toEqual(["paragraph", "paragraph"]);
});

test("keeps markup as text", () => {
  expect(parseInline("<b>x</b> &amp;")).toEqual([{ kind: "text", text: "<b>x</b> &amp;" }]);
});

test("accepts only links to the web and into this page", () => {
  expect(safeHref("https://example.com/a?b=c")).toBe("https://example.com/a?b=c");
  expect(safeHref("#/s/1")).toBe("#/s/1");
  for (const bad of [
    "javascript:alert(1)",
    "data:text/html,x",
    "//evil.example",
    "https://a\u202eb",
    "#x",
    " java\nscript:x",
  ])
    expect(safeHref(bad), bad).toBeUndefined();
});

test("links addresses of notebooks, cells and sessions to their pages, and keeps others as text", () => {
  const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
  const cell = `thoughtbox://notebooks/${id(1)}/cells/${id(2)}?version=1&run=17`;
  expect(parseInline(`ran ${cell}.`)).toEqual([
    { kind: "text", text: "ran " },
    { kind: "link", href: `#/n/${id(1)}/${id(2)}?v=1&run=17`, inner: [{ kind: "text", text: cell }] },
    { kind: "text", text: "." },
  ]);
  const hrefs = (text: string) => parseInline(text).map((node) => ("href" in node ? node.href : node.kind));
  expect(hrefs(`thoughtbox://notebooks/${id(1)}`)).toEqual([`#/n/${id(1)}`]);
  expect(hrefs(`thoughtbox://sessions/${id(3)}`)).toEqual([`#/s/${id(3)}`]);
  for (const other of ["thoughtbox://notebooks/../x", "thoughtbox://", `xthoughtbox://sessions/${id(3)}`])
    expect(hrefs(other), other).toEqual(["text"]);
});

test("shows an image as a link, and never loads it", () => {
  expect(parseInline("![pic](https://example.com/a.png)")).toEqual([
    { kind: "link", href: "https://example.com/a.png", inner: [{ kind: "text", text: "pic" }] },
  ]);
});

test("reads emphasis only around words, and keeps names with underscores", () => {
  expect(parseInline("**bold** and *soft* and snake_case_name and 2 * 3 * 4")).toEqual([
    { kind: "strong", inner: [{ kind: "text", text: "bold" }] },
    { kind: "text", text: " and " },
    { kind: "emphasis", inner: [{ kind: "text", text: "soft" }] },
    { kind: "text", text: " and snake_case_name and 2 * 3 * 4" },
  ]);
});

test.each([
  "2*3*4",
  "src/**/*.ts and test/**/*.ts",
  "**/*.ts, **/*.js",
  "__init__ and __name__",
  "_private_ and snake_case_name",
  "char **argv, char **envp",
  "a*b and c*d",
  "matches \\d+\\.\\d* or \\*",
  "~~/notes and a~~b~~c",
  "p* and q*",
  "**foo**bar and f(*args, **kwargs)",
])("keeps every character of %s", (text) => {
  expect(parseInline(text)).toEqual([{ kind: "text", text }]);
});

test("reads emphasis in brackets, in quotation marks, around code and inside emphasis", () => {
  const words = (text: string) =>
    JSON.stringify(parseInline(text)).match(/"kind":"(?:strong|emphasis|struck)"/g);
  expect(words("(**sure**), “*soft*”, **`code`** and **all *of* it**.")).toHaveLength(5);
  expect(words("~~gone~~, **a**: b")).toHaveLength(2);
});

test("ends unclosed code with the text", () => {
  expect(parseMarkdown("```\na\nb")).toEqual([{ kind: "code", language: "", text: "a\nb" }]);
});

test("parses hostile texts of 20,000 characters", () => {
  for (const part of [
    "[",
    "**",
    "*a ",
    "`",
    "_a",
    "![",
    "> ",
    "  - x\n",
    "|-",
    "<!--",
    "h",
    "https://",
    "# # ",
  ])
    expect(parseMarkdown(part.repeat(20_000 / part.length)).length, part).toBeGreaterThan(0);
});
