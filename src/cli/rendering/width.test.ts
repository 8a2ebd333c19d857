import { expect, test } from "vitest";
import { cut, foldCommand, foldLines, pad, textWidth, wrap, wrapFacts } from "./width.ts";

test("measures width in columns, not characters", () => {
  expect(textWidth("plain")).toBe(5);
  expect(textWidth("日本語")).toBe(6);
  expect(textWidth("e\u0301")).toBe(1);
  expect(textWidth("👩‍👩‍👧")).toBe(2);
  expect(textWidth("✓ ● │ …")).toBe(7);
});

test("marks a shortened text and never exceeds the width", () => {
  expect(cut("a long sentence", 20)).toBe("a long sentence");
  expect(cut("a long sentence", 8)).toBe("a long…");
  expect(cut("日本語の文字", 6)).toBe("日本…");
  for (let width = 1; width < 20; width += 1)
    expect(textWidth(cut("混ぜた mixed 👩‍👩‍👧 text", width))).toBeLessThanOrEqual(width);
});

test("pads to a column on either side", () => {
  expect(pad("日本", 6)).toBe("日本  ");
  expect(pad("12", 4, "right")).toBe("  12");
  expect(pad("too long", 3)).toBe("too long");
});

test("wraps between words, and inside a word that is too long", () => {
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("abcdefghij k", 4)).toEqual(["abcd", "efgh", "ij k"]);
  expect(wrap("", 10)).toEqual([""]);
  expect(wrap("日本語の文字", 5)).toEqual(["日本", "語の", "文字"]);
});

test("keeps a web address whole, on a separate line", () => {
  const address = "https://example.com/a/long/path";
  expect(wrap(`see ${address} for it`, 12)).toEqual(["see", address, "for it"]);
  expect(wrap(`see (${address}),`, 12)).toEqual(["see", `(${address}),`]);
  expect(wrap("http://日本語の文字", 8)).toEqual(["http://", "日本語の", "文字"]);
});

test("keeps the separator at the end of the line when facts wrap", () => {
  expect(wrapFacts(["one", "two", "three"], 11)).toEqual(["one · two ·", "three"]);
  expect(wrapFacts(["4 thoughts", "0 revisions"], 14)).toEqual(["4 thoughts ·", "0 revisions"]);
  expect(wrapFacts(["a longer fact", "b"], 8)).toEqual(["a longer", "fact · b"]);
});

test("folds a wide line between words and keeps its colours and indent", () => {
  const dim = (text: string) => `\x1bq[2m${text}\x1bq[22m`;
  const [first = "", second = "", ...rest] = foldLines(
    [dim("  Not shown: 1 branch. Read one with --branch.")],
    36,
  );
  expect([first, second, rest]).toEqual([
    "\x1bq[2m  Not shown: 1 branch. Read one with",
    "    --branch.\x1bq[22m",
    [],
  ]);
  expect(foldLines(["short", ""], 36)).toEqual(["short", ""]);
  expect(foldLines(["  - one connection per worker, not ten"], 36)).toEqual([
    "  - one connection per worker, not",
    "    ten",
  ]);
});

test("folds a command between words with a backslash, and never inside quotes", () => {
  expect(foldCommand("thoughtbox ls", 36)).toEqual(["thoughtbox ls"]);
  expect(foldCommand("thoughtbox decide Keep --because 'no other server' --chosen SQLite", 36)).toEqual([
    "thoughtbox decide Keep --because \\",
    "  'no other server' --chosen SQLite",
  ]);
});

test("keeps commands and addresses whole so that they can be copied", () => {
  const lines = [
    "  thoughtbox import --from claude-code --only . --since 30d",
    "  thoughtbox call thought \\",
    "    thought='What if the proxy drops idle sockets?'",
    "https://example.com/dashboards/ci/cache?from=monday",
  ];
  expect(foldLines(lines, 36)).toEqual(lines);
});

test("folds a word that is wider than a line, but no URL", () => {
  const bold = (text: string) => `\x1bq[1m${text}\x1bq[22m`;
  expect(foldLines([`- ${bold("日本語の文字です")} x`], 10)).toEqual([
    "-",
    "  \x1bq[1m日本語の",
    "  文字です\x1bq[22m",
    "  x",
  ]);
  expect(foldLines(["日本語 日本語"], 8)).toEqual(["日本語", "  日本語"]);
  expect(foldLines(["  abcdefghijkl"], 8)).toEqual(["  abcd", "    efgh", "    ijkl"]);
  const address = "see https://example.com/a/long/path";
  expect(foldLines([address], 12)).toEqual(["see", "  https://example.com/a/long/path"]);
});
