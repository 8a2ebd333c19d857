import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createTestRunner } from "./test-runner.testing.ts";

const { run, runner, files, close } = createTestRunner("auto");
afterAll(close);

describe("what a cell prints", () => {
  test("is shown as Node prints it, with standard error in the right place", async () => {
    const { status, output, exitCode, sandbox, durationMs } = await run(`
      console.log("one", { a: [1, 2], b: new Map([["k", 1]]) });
      console.error("two");
      console.table([{ x: 1 }]);
      process.stdout.write("three");
    `);
    expect(output).toBe(
      [
        "one { a: [ 1, 2 ], b: Map(1) { 'k' => 1 } }",
        "two",
        ...["┌─────────┬───┐", "│ (index) │ x │", "├─────────┼───┤", "│ 0       │ 1 │", "└─────────┴───┘"],
        "three",
      ].join("\n"),
    );
    expect({ status, exitCode }).toEqual({ status: "completed", exitCode: 0 });
    expect(sandbox).toBe((await runner.sandbox()).level);
    expect(durationMs).toBeGreaterThan(0);
  });

  test("is shortened and marked if it is too long, and the cell continues", async () => {
    const { output, truncated, value } = await run(
      `for (let i = 0; i < 3000; i += 1) console.log("é".repeat(512));\n"end"`,
    );
    expect(truncated).toBe(true);
    expect(output.length).toBeLessThan(1024 * 1024);
    expect(output.slice(-100)).toMatch(/é\n+… \d+ of \d+ bytes are not shown …\n$/);
    expect(output.includes("�")).toBe(false);
    expect(value).toBe("'end'");
  });
});

describe("the last expression", () => {
  test.each([
    ["a number", "1 + 1", "2"],
    ["a promise, awaited", "Promise.resolve([1])", "[ 1 ]"],
    ["an object after declarations", "const a = { b: 1 };\na", "{ b: 1 }"],
    ["a template over several lines", "const x = 1;\n`a\n}\n;x$" + "{x}\n`", "'a\\n}\\n;x1\\n'"],
    ["a call over several lines", "[1, 2]\n  .map((x) => {\n    return x * 2;\n  })", "[ 2, 4 ]"],
    ["an object in parentheses", "({ a: 1 })", "{ a: 1 }"],
    ["an async arrow that is called", "(async () => 5)()", "5"],
    ["a type assertion", "(3 as number) satisfies number;", "3"],
    ["after a shebang line", "#!/usr/bin/env node\n7", "7"],
    ["after a comment", "7 // seven\n/* the end */", "7"],
  ])("is shown: %s", async (_what, source, value) => {
    expect(await run(source)).toMatchObject({ status: "completed", value });
  });

  test.each([
    ["undefined", "console.log(1)"],
    ["a declaration", "const x = 1;"],
    ["a function", "function f() { return 1; }"],
    ["a class", "class A {}"],
    ["an export", "const x = 1;\nexport { x };"],
    ["a block", "{ const x = 1; x; }"],
    ["a condition", "if (true) 1;"],
    ["nothing", ""],
  ])("is not shown: %s", async (_what, source) => {
    const { status, value } = await run(source);
    expect({ status, value }).toEqual({ status: "completed", value: undefined });
  });
});

describe("errors", () => {
  test("refer to the lines of the cell as it was written, also in an imported cell", async () => {
    const { status, error, exitCode } = await run({
      "main.ts":
        'import { fail } from "./fail.ts";\n\ntype A = {\n  a: 1;\n};\n\nexport const a = () => fail();\na();\n',
      "fail.ts":
        'interface Long {\n  a: string;\n}\nexport function fail(): never {\n  throw new RangeError("no");\n}\n',
    });
    expect(status).toBe("failed");
    expect(exitCode).toBe(1);
    expect(error).toBe(
      "RangeError: no\n    at fail (fail.ts:5:9)\n    at a (main.ts:7:24)\n    at main.ts:8:1",
    );
  });

  test.each([
    ["are reported if thrown later", 'setTimeout(() => { throw new Error("late"); }, 1);', "Error: late"],
    ["include an unhandled rejection", 'Promise.reject(new Error("refused"));', "Error: refused"],
    ["include a thrown value that is not an error", 'throw "text";', "Uncaught 'text'"],
    ["include a syntax error", "const = 1;", "SyntaxError: main.ts:1:7: "],
    ["include an import of a missing name", 'import { nope } from "node:fs"; nope();', "SyntaxError: "],
    ["include an import of a missing cell", 'import "./nowhere.ts";', "nowhere.ts"],
    ["include an import of a missing package", 'import "left-pad";', "left-pad"],
    ["include an await that never ends", "await new Promise(() => {});", "never settled"],
    ["include an exit with a code", "process.exit(3);", "exited with code 3"],
  ])("%s", async (_what, source, expected) => {
    const { status, error } = await run(source);
    expect(status).toBe("failed");
    expect(error).toContain(expected);
  });

  test("have no effect in a cell that is not imported", async () => {
    expect(await run({ "main.ts": "1", "broken.ts": "const = 1" })).toMatchObject({ status: "completed" });
    expect(await run({ "main.ts": 'import "./broken.ts"', "broken.ts": "const = 1" })).toMatchObject({
      error: expect.stringContaining("broken.ts:1:7"),
    });
  });
});

describe("a source that crashes the compiler", () => {
  test("fails with a clear error, and does not affect other cells", async () => {
    const deep = `${"!".repeat(256 * 1024 - 1)}1`;
    const importing = `console.log(6 * 7); await import("./deep.ts");`;
    const [neighbour, elsewhere] = await Promise.all([
      run({ "main.ts": importing, "deep.ts": deep }),
      run("7 * 8"),
    ]);
    expect(neighbour).toMatchObject({ status: "failed", output: "42\n" });
    expect(neighbour.error).toContain("deep.ts: the compiler gave up");
    expect(elsewhere).toMatchObject({ status: "completed", value: "56" });
    expect(await run("1 + 1")).toMatchObject({ status: "completed", value: "2" });
  });
});

describe("cells", () => {
  test("can import each other in a cycle, with or without extension, dynamically, and as JavaScript", async () => {
    const { value, error } = await run({
      "main.ts": `
        import { even } from "./even.ts";
        import { odd } from "./odd.js";
        import plain from "./plain.mjs";
        import old from "./old.cjs";
        const { late } = await import("./late");
        [even(4), odd(4), plain, old.n, late, import.meta.url.endsWith("/main.ts")]`,
      "even.ts":
        'import { odd } from "./odd.ts"; export const even = (n: number): boolean => n === 0 || odd(n - 1);',
      "odd.ts":
        'import { even } from "./even.ts"; export const odd = (n: number): boolean => n !== 0 && even(n - 1);',
      "plain.mjs": "export default 'plain';",
      "old.cjs": "module.exports = { n: 1 };",
      "late.ts": "export const late: string = 'late'; 'not shown'",
    });
    expect(error).toBeUndefined();
    expect(value).toBe("[ true, false, 'plain', 1, 'late', true ]");
  });

  test("can read and write files in their directory, and the files are kept", async () => {
    writeFileSync(join(files, "data.json"), '{"n":41}');
    await run('import fs from "node:fs"; fs.writeFileSync("made.txt", "by a cell");');
    const { value, error } = await run(`
      import fs from "node:fs";
      import data from "./data.json" with { type: "json" };
      [data.n + 1, fs.readFileSync("made.txt", "utf8"), fs.readFileSync("main.ts", "utf8").length > 0]`);
    expect(error).toBeUndefined();
    expect(value).toBe("[ 42, 'by a cell', true ]");
  });

  test("respect the compiler options that change what code means", async () => {
    const source =
      "const seen: string[] = [];\nfunction mark(_: object, key: string) { seen.push(key); }\nclass A { @mark b() {} }\nseen";
    const tsconfig = JSON.stringify({
      compilerOptions: { experimentalDecorators: true, paths: { "*": ["/etc/*"] } },
    });
    expect(await run(source, { tsconfig })).toMatchObject({ value: "[ 'b' ]" });
  });
});

test("display shows rich results, and refuses unknown types", async () => {
  const { displays, status } = await run(`
    display({ mime: "text/html", data: "<b>bold</b>" });
    display({ mime: "application/json", data: { rows: [1, 2] } });
    display({ mime: "image/png", data: new Uint8Array([137, 80, 78, 71]) });
  `);
  expect(status).toBe("completed");
  expect(displays).toEqual([
    { mime: "text/html", data: "<b>bold</b>" },
    { mime: "application/json", data: '{"rows":[1,2]}' },
    { mime: "image/png", data: "iVBORw==" },
  ]);
  expect(await run('display({ mime: "text/x-shellscript", data: "" })')).toMatchObject({
    error: expect.stringContaining("TypeError: display() takes"),
  });
});

test("returns an array of flat objects as JSON, and every other value as Node.js prints it", async () => {
  const values = async (source: string) => (await run(source)).value;
  expect(await values("[{ word: 'a', hits: 3 }, { word: null, hits: 0.5 }]")).toBe(
    '[{"word":"a","hits":3},{"word":null,"hits":0.5}]',
  );
  expect(await values("[{ at: new Date(0) }]")).toBe("[ { at: 1970-01-01T00:00:00.000Z } ]");
  expect(await values("[{ a: NaN }]")).toBe("[ { a: NaN } ]");
  expect(await values("[]")).toBe("[]");
  expect(await values("Array.from({ length: 9_000 }, (_, n) => ({ n }))")).toContain("more items");
});

test("display shows SVG, and plot draws lines, bars and points as SVG", async () => {
  const { displays, error } = await run(`
    const show = (data) => display({ mime: "image/svg+xml", data });
    show(plot([1, 4, 9]));
    show(plot({ "<b>": [["mon", 1], ["tue", -2]], b: [["mon", 3]] }, { kind: "bars", title: "A & B" }));
    show(plot([[0, 1], [2.5, 1]], { kind: "points" }));
    show(plot({ a: [1, 2], b: [] }, { alt: 'Two "dots"' }));
  `);
  expect(error).toBeUndefined();
  expect(displays.map(({ mime }) => mime)).toEqual(Array(4).fill("image/svg+xml"));
  const [lines = "", bars = "", points = "", described = ""] = displays.map(({ data }) => data);
  expect(lines.match(/<path class="s0" fill="none"/g)).toHaveLength(1);
  expect(lines).toContain('aria-label="Plot of lines. 3 points, lowest 1 at 0, highest 9 at 2"');
  expect(bars).toContain("&#60;b&#62;: 2 points, lowest -2 at tue, highest 1 at mon");
  expect([...lines.matchAll(/text-anchor="end">([^<]+)</g)].map(([, tick]) => tick)).toEqual([
    ...["0", "2", "4", "6", "8", "10"],
  ]);
  expect(points).toContain("data-theme=dark");
  expect(described).toContain('aria-label="Two &#34;dots&#34;"');
  expect(bars.match(/<rect /g)).toHaveLength(3);
  expect(bars).toContain("A &#38; B");
  expect(bars).toContain("&#60;b&#62;");
  expect(points.match(/<circle /g)).toHaveLength(2);
  const { displays: extremes } = await run(
    "for (const data of [[-1e308, 1e308], [1e16, 1e16 + 2], [0, 1e-320]]) display({ mime: 'image/svg+xml', data: plot(data) });",
  );
  expect(extremes).toHaveLength(3);
  for (const { data } of extremes) expect(data.length).toBeLessThan(10_000);
  for (const svg of [lines, bars, points]) {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  }
  for (const [call, problem] of [
    ["plot([])", "at least one point"],
    ["plot([NaN])", "finite numbers"],
    ['plot([1], { kind: "pie" })', "one of lines, bars, points"],
    ["plot(7)", "plot() takes"],
  ])
    expect(await run(String(call)), call).toMatchObject({ error: expect.stringContaining(String(problem)) });
});

test("runs no cell while the disk is nearly full", async () => {
  const full = createTestRunner("auto", { spareDisk: { bytes: Number.POSITIVE_INFINITY, share: 1.1 } });
  await expect(full.run("1")).rejects.toMatchObject({ facts: { trouble: "disk_nearly_full" } });
  await full.close();
});

describe("files", () => {
  test.each(["strong", "medium", "basic"] as const)("are kept, including folders, at %s", async (level) => {
    const { run, runner, files, close } = createTestRunner(level);
    if ((await runner.sandbox()).level === level) {
      const long = "n".repeat(200);
      await run(
        `import fs from "node:fs"; fs.mkdirSync("a/b", { recursive: true }); fs.writeFileSync("a/b/${long}", "kept"); fs.writeFileSync("empty", "");`,
      );
      expect(readFileSync(join(files, "a", "b", long), "utf8")).toBe("kept");
      expect(
        await run(
          `import fs from "node:fs"; [fs.readFileSync("a/b/${long}", "utf8"), fs.readdirSync(".").sort()]`,
        ),
      ).toMatchObject({
        value: "[ 'kept', [ 'a', 'empty', 'main.ts' ] ]",
      });
      await run(`import fs from "node:fs"; fs.rmSync("a", { recursive: true });`);
      expect(readdirSync(files).sort()).toEqual(["empty", "main.ts"]);
    }
    await close();
  });

  test.each(["strong", "medium", "basic"] as const)(
    "can be imported after a cell wrote them, and a missing package is reported, at %s",
    async (level) => {
      const { run, runner, close } = createTestRunner(level);
      if ((await runner.sandbox()).level === level) {
        const written = `import fs from "node:fs"; fs.writeFileSync("own.js", "module.exports = 42;"); (await import("./own.js")).default`;
        expect(await run(written)).toMatchObject({ value: "42" });
        expect((await run('import "left-pad";')).error).toContain("Cannot find package 'left-pad'");
      }
      await close();
    },
  );

  test("of a notebook from before it had a folder for files are still found", async () => {
    const { run, directory, files, close } = createTestRunner("auto");
    rmSync(files, { recursive: true });
    writeFileSync(join(directory, "old.txt"), "older");
    expect(await run('import fs from "node:fs"; fs.readFileSync("old.txt", "utf8")')).toMatchObject({
      value: "'older'",
    });
    await close();
  });
});

describe("a cell ends", () => {
  test("if it takes too long, even if it ignores SIGTERM", async () => {
    const { error, stoppedBy } = await run('process.on("SIGTERM", () => {});\nsetInterval(() => {}, 1000);', {
      timeoutMs: 300,
    });
    expect(stoppedBy).toBe("time");
    expect(error).toBe("The cell did not finish within 0.3 s and was stopped.");
  });

  test("if it is cancelled", async () => {
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 200);
    expect(await run("setInterval(() => {}, 1000);", { signal: cancel.signal })).toMatchObject({
      status: "failed",
      stoppedBy: "cancelled",
    });
  });
});

test("a caller can hold eight places, all callers together sixteen, and a place can be reused", async () => {
  const { runner, close } = createTestRunner("auto");
  const enter = (caller: string, times: number) =>
    Array.from({ length: times }, () => runner.enter(caller)).filter((leave) => leave !== undefined);
  expect(enter("one", 9)).toHaveLength(8);
  const [leave] = enter("two", 5);
  expect(enter("three", 5)).toHaveLength(3);
  expect(enter("four", 1)).toEqual([]);
  leave?.();
  expect(enter("one", 1)).toEqual([]);
  expect(enter("four", 2)).toHaveLength(1);
  await close();
});
