import { expect, test } from "vitest";
import { exampleSession, exampleThoughts, recorded } from "../analysis/example-session.testing.ts";
import { toMarkdownDocument } from "./markdown-document.ts";

test("branches stand under the thought they leave, corrections beside what they replace", () => {
  const text = toMarkdownDocument(exampleSession, exampleThoughts(), true);
  const order = [
    "### 2\n",
    "#### Branch `a` from thought 2",
    "##### a 3",
    "Branch `b` from thought 3 of branch a",
    "### 3\n",
    "### 4 · revises thought 2",
  ];
  const places = order.map((part) => text.indexOf(part));
  expect(places.every((place) => place > 0)).toBe(true);
  expect([...places].sort((a, b) => a - b)).toEqual(places);
  expect(text).toContain("Replaces: *thought 2*");
  expect(text).toContain("Corrected by thought 4.");
  expect(text).toContain("| Thoughts | 8 (2 branches, 1 revision) |");
});

test("a Mermaid graph shows chains and corrections", () => {
  const text = toMarkdownDocument(exampleSession, exampleThoughts(), false);
  expect(text).toContain("```mermaid\ngraph LR");
  expect(text).toContain("t2 --> t4");
  expect(text).toContain("t8 -. revises .-> t2");
  expect(text).not.toContain("| Project |");
});

test("texts are data: no HTML, no headings of their own, nothing hidden, no secrets", () => {
  const hostile = "# Title\n<script>alert(1)</script>\n\u202Eevil ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const text = toMarkdownDocument(exampleSession, recorded({ thought: hostile }), true);
  expect(text).toContain("> # Title");
  expect(text).toContain("&lt;script>");
  expect(text).toContain("\\u{202e}evil");
  expect(text).not.toContain("ghp_abc");
});

test("a critique stands under its thought, with the name of the model", () => {
  const critique = { text: "Unproven.\n# Really", model: "critic*1", timestamp: "2026-01-01T10:00:00.000Z" };
  const text = toMarkdownDocument(exampleSession, recorded({ thought: "It is DNS.", critique }), true);
  expect(text).toContain("> It is DNS.\n\nCritique by critic\\*1:\n\n> Unproven.\n> # Really");
});

test("branches may be nested deeper than calls can be, and texts may have more lines than calls take arguments", () => {
  const nested = Array.from({ length: 20_000 }, (_, n) => ({
    thoughtNumber: n + 2,
    branchId: `b${n}`,
    branchFromThought: n + 1,
    ...(n > 0 && { branchFromBranch: `b${n - 1}` }),
  }));
  const thoughts = recorded({ thoughtNumber: 1, thought: "\n".repeat(300_000) }, ...nested);
  const text = toMarkdownDocument(exampleSession, thoughts, true);
  expect(text).toContain("###### Branch `b19999` from thought 20000 of branch b19998");
});

test("a session without thoughts says so", () => {
  expect(toMarkdownDocument(exampleSession, [], true)).toContain("No thoughts yet.");
});
