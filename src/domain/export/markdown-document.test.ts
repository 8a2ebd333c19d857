import { expect, test } from "vitest";
import { exampleSession, exampleThoughts, recorded } from "../analysis/example-session.testing.ts";
import { markdownParts, referenceTable, withoutActiveLinks } from "./markdown-document.ts";

const toMarkdownDocument = (...given: Parameters<typeof markdownParts>): string =>
  [...markdownParts(...given)].join("");

test("lists branches under the thought they leave, and corrections with the text they replace", () => {
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

test("draws chains and corrections in a Mermaid graph", () => {
  const text = toMarkdownDocument(exampleSession, exampleThoughts(), false);
  expect(text).toContain("```mermaid\ngraph LR");
  expect(text).toContain("t2 --> t4");
  expect(text).toContain("t8 -. revises .-> t2");
  expect(text).not.toContain("| Project |");
});

test("keeps texts as data: no HTML, no headings, no hidden characters, no secrets", () => {
  const hostile = "# Title\n<script>alert(1)</script>\n\u202Eevil ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const text = toMarkdownDocument(exampleSession, recorded({ thought: hostile }), true);
  expect(text).toContain("> # Title");
  expect(text).toContain("&lt;script>");
  expect(text).toContain("\\u{202e}evil");
  expect(text).not.toContain("ghp_abc");
});

test("shows a critique under its thought, with the name of the model", () => {
  const critique = { text: "Unproven.\n# Really", model: "critic*1", timestamp: "2026-01-01T10:00:00.000Z" };
  const text = toMarkdownDocument(exampleSession, recorded({ thought: "It is DNS.", critique }), true);
  expect(text).toContain("> It is DNS.\n\nCritique by critic\\*1:\n\n> Unproven.\n> # Really");
});

test("renders branches nested thousands of levels deep, and texts with hundreds of thousands of lines", () => {
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

test("describes a session without thoughts as empty", () => {
  expect(toMarkdownDocument(exampleSession, [], true)).toContain("No thoughts yet.");
});

test.each([
  ["[run](javascript:alert(1))", "[run]\\(javascript:alert(1))"],
  ["[run](  \n JaVaScRiPt:alert(1))", "[run]\\(  \n JaVaScRiPt:alert(1))"],
  ["[run](javascript\\:alert(1))", "[run]\\(javascript\\:alert(1))"],
  ["[open](file:///etc/passwd)", "[open]\\(file:///etc/passwd)"],
  ["[a]: data:text/html,x", "[a]\\: data:text/html,x"],
  ["> [a]:\n> javascript:x", "> [a]\\:\n> javascript:x"],
  ["> > [run](\n> > javascript:x)", "> > [run]\\(\n> > javascript:x)"],
  ["![pixel](https://example.org/p.png)", "!\\[pixel](https://example.org/p.png)"],
  ["[![pixel](x.png)](vbscript:x)", "[!\\[pixel](x.png)]\\(vbscript:x)"],
])("makes %j inert", (markdown, inert) => {
  expect(withoutActiveLinks(markdown)).toBe(inert);
});

test.each([
  "[page](https://example.org/a:b)",
  "[mail](mailto:ada@example.org)",
  "[file](docs/guide.md#what: and why)",
  "[top](#top)",
  "S1|H|a claim [1]: because",
  "list[0](x)",
])("leaves %j unchanged", (markdown) => {
  expect(withoutActiveLinks(markdown)).toBe(markdown);
});

const pool = { title: "The *pool* | <b>", sessionId: "5f0c0a52-7c0e-4a53-9d0b-0c8a3f0c2d11" };

test("gives each anchor a row with the thoughts that contain it and its meaning", () => {
  const thoughts = [1, 2, 3, 4].map((thoughtNumber) => ({ thoughtNumber, thought: `text ${thoughtNumber}` }));
  const found = { status: "resolved", candidates: [pool], selected: { ...pool, thoughts } } as const;
  const missing = {
    status: "unresolved",
    candidates: [pool],
    hint: "Session 5f0c0a52 has no thought S9.",
  } as const;
  const text = referenceTable([
    { anchor: "@pool:S1-S4", thoughtNumber: 2, ...found },
    { anchor: "@pool:S9", thoughtNumber: 2, ...missing },
    { anchor: "@pool:S1-S4", thoughtNumber: 2, branchId: "alt", ...found },
    {
      anchor: "@auth:S1",
      thoughtNumber: 3,
      status: "ambiguous",
      candidates: [{ title: "One" }, { title: "Two" }],
    },
    { anchor: "@dns:S1", thoughtNumber: 4, status: "unresolved", candidates: [] },
  ]);
  expect(text.split("\n").slice(2)).toEqual([
    "| anchor | in | means |",
    "|---|---|---|",
    "| `@pool:S1-S4` | thought 2, thought 2 of branch alt | “The \\*pool\\* \\| &lt;b>” (`5f0c0a52-7c0e-4a53-9d0b-0c8a3f0c2d11`); 1: *text 1*; 2: *text 2*; 3: *text 3* … |",
    "| `@pool:S9` | thought 2 | Session 5f0c0a52 has no thought S9. |",
    "| `@auth:S1` | thought 3 | one of “One”, “Two” |",
    "| `@dns:S1` | thought 4 | no matching session |",
    "",
  ]);
});
