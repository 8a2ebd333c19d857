import { expect, test } from "vitest";
import { escapeMarkdown } from "./why-markdown.ts";

test.each([
  ["a bare address", "see https://evil.example/a", "see https\\://evil.example/a"],
  ["a name that looks like one", "see WWW.evil.example", "see WWW\\.evil.example"],
  ["a link", "[ok](command:run?x)", "\\[ok\\](command:run?x)"],
  ["a link in angle brackets", "<https://evil.example>", "&lt;https\\://evil.example>"],
  ["a picture", "![x](http://evil.example/x.png)", "\\!\\[x\\](http\\://evil.example/x.png)"],
  ["an element", "<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"],
  ["an entity", "&lt;b&gt;", "&amp;lt;b&amp;gt;"],
  ["a heading and a fence", "a\n# b\n```js", "a \\# b \\`\\`\\`js"],
  ["a reference", "[x]: command:run", "\\[x\\]: command:run"],
  ["a mail address", "ada@evil.example", "ada@\u200bevil.example"],
])("%s stays text in an editor", (_what, stored, shown) => {
  expect(escapeMarkdown(stored)).toBe(shown);
});
