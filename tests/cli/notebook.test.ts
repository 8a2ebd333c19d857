import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CliOptions, runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

async function json(line: string | string[], options: CliOptions) {
  const typed = typeof line === "string" ? `${line} --json` : [...line, "--json"];
  const { out, err } = await runCommand(typed, options);
  expect(err).toBe("");
  return JSON.parse(out);
}

/** Creates a notebook with these code cells, in order. */
async function prepare(cells: Record<string, string>) {
  const options = { dataDir: join(tempDir(), "data") };
  const { notebookId } = await json(["notebook", "new", "Where does the cent go?"], options);
  for (const [filename, content] of Object.entries(cells))
    await json(
      [
        "call",
        "notebook.add_cell",
        `notebookId=${notebookId}`,
        "type=code",
        `filename=${filename}`,
        `content=${content}`,
      ],
      options,
    );
  return { ...options, notebookId };
}

describe("thoughtbox notebook", () => {
  test("lists a notebook and runs its cells in order", async () => {
    const { notebookId, ...options } = await prepare({
      "split.ts": "export const split = (c: number, n: number) => Array(n).fill(Math.floor(c / n));",
      "check.ts": 'import { split } from "./split.ts"; console.log(split(100, 3)); 99',
    });
    const listed = await runCommand("notebook ls", options);
    expect(await runCommand("notebook list", options)).toEqual(listed);
    expect(listed.out).toContain(notebookId.slice(0, 8));
    expect(listed.out).toContain("Where does the cent go?");
    const { code, out, err } = await runCommand("notebook run latest", options);
    expect(code, err).toBe(0);
    expect(out).toMatch(
      /✓ split\.ts {2}\d+ ms\n\n✓ check\.ts {2}\d+ ms\n {2}\[ 33, 33, 33 \]\n {2}99\n\n✓ 2 cells passed\. Sandbox: \w+\.\n$/,
    );
    expect(err).toBe("");
  });

  test("stops at a cell that fails, names it and exits with 1", async () => {
    const options = await prepare({
      "one.ts": "1",
      "two.ts": "// wrong\nthrow new Error('no')",
      "three.ts": "3",
    });
    const { code, out } = await runCommand("notebook run latest", options);
    expect(code).toBe(1);
    expect(out).toContain("✗ two.ts");
    expect(out).toContain("  Error: no\n      at two.ts:2:7");
    expect(out).toContain("✗ 1 of 3 cells passed, 1 failed, 1 did not run.");
    const alone = await runCommand("notebook run latest --cell three.ts", options);
    expect(alone).toMatchObject({ code: 0, out: expect.stringContaining("✓ 1 cell passed.") });
  });

  test("a cell's output cannot control the terminal, and a long output is shown in full", async () => {
    const options = await prepare({
      "loud.ts": "console.log('\\u001b[31mred'); console.log('x'.repeat(5000))",
    });
    const { out } = await runCommand("notebook run latest", options);
    expect(out).not.toContain("\u001b[31m");
    expect(out).toContain("x".repeat(5_000));
  });

  test("records a run as evidence in the session that --record names", async () => {
    const options = await prepare({ "sum.ts": "33 * 3" });
    await runCommand(["call", "thought", "thought=S1|H|Cents get lost", "sessionTitle=Cents"], options);
    const { out } = await runCommand("notebook run latest --record latest", options);
    expect(out).toMatch(/recorded as [0-9a-f]{8}:2/);
    expect((await runCommand("read latest 2", options)).out).toContain("(sum.ts of notebook");
  });

  test("loads an export with new --from", async () => {
    const { notebookId, dataDir } = await prepare({ "sum.ts": "33 * 3" });
    const options = { dataDir, directory: tempDir() };
    const shown = await runCommand(`notebook export ${notebookId.slice(0, 8)}`, options);
    const written = await runCommand("notebook export latest --to cent.src.md", options);
    expect(written.code, written.err).toBe(0);
    expect(readFileSync(join(options.directory, "cent.src.md"), "utf8")).toBe(shown.out);
    const loaded = await json("notebook new --from cent.src.md", options);
    expect(loaded.notebookId).not.toBe(notebookId);
    expect(loaded.notebook.cells.at(-1)).toMatchObject({ filename: "sum.ts", source: "33 * 3" });
  });

  test.each([
    ["notebook delete latest", 2, "is not one of new, run, export, ls"],
    ["notebook new", 2, "needs a name"],
    ["notebook run", 2, "needs a notebook"],
    ["notebook run nothing", 2, "is not a notebook ID"],
    ["notebook run 0123abcd", 1, "begins with"],
    ["notebook run latest --cell nowhere.ts", 1, "nowhere.ts"],
    ["notebook run latest --timeout soon", 2, "number of seconds"],
    ["notebook new Broken --from x.src.md", 2, "needs a name, or --from"],
  ])("%s is refused with exit code %i and one sentence", async (line, code, sentence) => {
    const refused = await runCommand(line, await prepare({ "one.ts": "1" }));
    expect(refused).toMatchObject({ code, err: expect.stringContaining(sentence) });
  });

  test("refuses a file that is not a notebook and creates none", async () => {
    const options = { dataDir: join(tempDir(), "data"), directory: tempDir() };
    writeFileSync(join(options.directory, "prose.md"), "# Only prose\n");
    const { code, err } = await runCommand("notebook new --from prose.md", options);
    expect(code).toBe(2);
    expect(err).toContain("not a .src.md file");
    expect((await runCommand("notebook ls", options)).out).toContain("No notebooks");
  });

  test("shows progress only in a terminal", async () => {
    const options = await prepare({ "one.ts": "1", "two.ts": "2" });
    const { err } = await runCommand("notebook run latest", { ...options, errorIsTerminal: true });
    expect(err).toMatch(/running cells {2}[█░]+ {2}\d of 2/);
  });
});
