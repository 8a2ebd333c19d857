import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import { createPackedProject } from "../library/packed-project.ts";
import { matchOutput, programIn } from "./markdown.ts";

const root = join(import.meta.dirname, "..", "..");
const guide = join("docs", "guide");
const pages = ["README.md", ...readdirSync(join(root, guide)).map((name) => join(guide, name))]
  .map((file) => ({ file, parts: programIn(readFileSync(join(root, file), "utf8")) }))
  .filter(({ parts }) => parts.length > 0);

const project = createPackedProject();

test("the guide contains programs", () => {
  expect(pages.map(({ file }) => file)).toContain(join(guide, "embedding.md"));
});

/** The blocks in a page together form one program. The text below each block is its output. */
describe.each(pages)("the TypeScript of $file", ({ parts }) => {
  test("compiles against the package", () => {
    expect(project.compile(parts.map(({ code }) => code).join("\n"))).toBe("");
  });

  test("prints the output that the page shows", async () => {
    expect(parts.every(({ marked }) => marked)).toBe(true);
    const mark = "=== end of block ===";
    const { code } = await transform(
      parts.map((part) => `${part.code}\nconsole.log("${mark}");`).join("\n"),
      { loader: "ts", target: "node20" },
    );
    const { stdout, stderr, status } = project.run(code);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    const printed = stdout.split(`${mark}\n`).slice(0, -1);
    expect(printed).toHaveLength(parts.length);
    for (const [index, { output, line }] of parts.entries())
      expect.soft(matchOutput(output, printed[index]?.trimEnd() ?? "", new Map()), `line ${line}`).toBe(true);
  });
});
