import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import type { CellContent } from "./notebook.ts";
import { decodeSrcMd, encodeSrcMd } from "./src-md.ts";

const read = (name: string) => readFileSync(join(import.meta.dirname, "src-md", "fixtures", name), "utf8");

/** Lines that have a special meaning in the format, and line breaks of every kind. */
const telling = fc.constantFrom(
  "```",
  "````ts",
  "~~~",
  "   ```",
  "# Title",
  "#",
  "## Two",
  "###### add.ts",
  "###### package.json",
  "[add.ts](./src/add.ts)",
  "<!-- cell -->",
  '<!-- cell:{"type":"markdown","end":1} -->',
  "<!-- /cell:1 -->",
  "<!-- /cell:2 -->",
  '<!-- srcbook:{"language":"typescript"} -->',
  "-->",
  "",
  " ",
  "\r",
  "\ufeff",
  "text",
);
const text = fc.oneof(
  fc
    .array(fc.oneof(telling, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 8 })
    .chain((lines) => fc.constantFrom("\n", "\r\n", "\n\n", "\r").map((end) => lines.join(end))),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const cell: fc.Arbitrary<CellContent> = fc.oneof(
  fc.record({ type: fc.constant("title" as const), text }),
  fc.record({ type: fc.constant("markdown" as const), text }),
  fc.record({ type: fc.constant("package.json" as const), source: text }),
  fc.record({
    type: fc.constant("code" as const),
    filename: fc.constantFrom("add.ts", "a.js", "x_1.mts", "old.cjs", "A-b.mjs"),
    source: text,
  }),
);
const notebook = fc.record(
  {
    language: fc.constantFrom("typescript" as const, "javascript" as const),
    tsconfig: fc.oneof(
      text,
      fc.json(),
      fc.json().map((json) => JSON.stringify(JSON.parse(json), null, 2)),
    ),
    cells: fc.array(cell, { maxLength: 6 }),
  },
  { requiredKeys: ["language", "cells"] },
);

describe("a notebook as .src.md", () => {
  test("is read back unchanged", () => {
    fc.assert(
      fc.property(notebook, (whole) => {
        expect(decodeSrcMd(encodeSrcMd(whole))).toEqual(whole);
      }),
      { numRuns: 3_000, seed: 19 },
    );
  });

  test("is either refused, or the same after it is written and read again", () => {
    fc.assert(
      fc.property(fc.array(telling, { maxLength: 30 }), (lines) => {
        const file = ['<!-- srcbook:{"language":"javascript"} -->', ...lines].join("\n");
        let whole: ReturnType<typeof decodeSrcMd>;
        try {
          whole = decodeSrcMd(file);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "INVALID_PAYLOAD", reason: expect.any(String) });
          return;
        }
        expect(decodeSrcMd(encodeSrcMd(whole))).toEqual(whole);
      }),
      { numRuns: 2_000, seed: 19 },
    );
  });

  test("matches what Srcbook writes for an ordinary notebook", () => {
    const cells: CellContent[] = [
      { type: "title", text: "Rounding" },
      { type: "package.json", source: '{\n  "type": "module"\n}' },
      { type: "markdown", text: "Where does the cent go?" },
      { type: "code", filename: "round.ts", source: "export const round = (x: number) => Math.round(x);" },
    ];
    expect(encodeSrcMd({ language: "typescript", cells })).toBe(read("rounding.src.md"));
  });

  test("puts code with fences into a longer fence, and a marker between adjacent Markdown cells", () => {
    const file = encodeSrcMd({
      language: "javascript",
      cells: [
        { type: "code", filename: "md.js", source: "const block = `\n```js\n1\n```\n`;" },
        { type: "markdown", text: "one" },
        { type: "markdown", text: "two" },
      ],
    });
    expect(file).toContain("````javascript\n");
    expect(file).toContain("one\n\n<!-- cell -->\n\ntwo");
  });
});

describe("reading a Srcbook file", () => {
  test("in JavaScript, with title, package.json, code cells, and prose that contains a code block", () => {
    const { language, cells } = decodeSrcMd(read("weather.src.md"));
    expect(language).toBe("javascript");
    expect(cells.map((one) => [one.type, "filename" in one ? one.filename : ""])).toEqual([
      ["title", ""],
      ["package.json", ""],
      ["markdown", ""],
      ["code", "readings.js"],
      ["markdown", ""],
      ["code", "mean.js"],
    ]);
    expect(cells[2]).toMatchObject({ text: expect.stringContaining("# this is a comment in shell") });
    expect(cells[3]).toMatchObject({ source: "export const readings = [12, 14, 13];" });
  });

  test("in TypeScript, with compiler options and CR LF line endings", () => {
    const { language, tsconfig, cells } = decodeSrcMd(read("shapes-crlf.src.md").replaceAll("\n", "\r\n"));
    expect(language).toBe("typescript");
    expect(JSON.parse(tsconfig ?? "")).toEqual({ compilerOptions: { target: "es2022", strict: true } });
    expect(cells.at(-1)).toEqual({
      type: "code",
      filename: "area.ts",
      source:
        "type Square = { side: number };\n\nexport const area = ({ side }: Square): number => side ** 2;",
    });
  });

  test("fails if its code is in separate files", () => {
    const linked = '<!-- srcbook:{"language":"javascript"} -->\n\n# T\n\n###### a.js\n\n[a.js](./src/a.js)\n';
    expect(() => decodeSrcMd(linked)).toThrow("code_elsewhere");
  });

  test.each([
    "",
    "# Only Markdown",
    '<!-- srcbook:{"language":"cobol"} -->\n# T',
    "<!-- srcbook:{nonsense} -->",
  ])("refuses %j", (file) => {
    expect(() => decodeSrcMd(file)).toThrow(expect.objectContaining({ code: "INVALID_PAYLOAD" }));
  });
});
