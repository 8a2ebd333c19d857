import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { transformSync } from "esbuild";
import { describe, expect, test } from "vitest";
import { binary, cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const sentence =
  "Thoughtbox needs Node.js 20.19 or newer, this is 12.22.1. Install a newer Node.js and start it again.";

/** Makes Node.js report another version, which has the same effect as running that version. */
function pretendToBe(version: string): string[] {
  const file = join(tempDir(), "pretend.cjs");
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  writeFileSync(file, `Object.defineProperty(process, "versions", { value: ${versions} });\n`);
  return ["--require", file, binary];
}

async function converse(words: string[], input: string) {
  const child = spawn(process.execPath, [...pretendToBe("12.22.1"), ...words], { env: cleanEnv() });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { stdout, stderr, code };
}

describe("a Node.js that is too old", () => {
  test("is reported in one sentence by every command, which does nothing else", async () => {
    for (const words of [["ls"], ["serve"], ["--version"]])
      expect(await converse(words, "")).toEqual({ stdout: "", stderr: `thoughtbox: ${sentence}\n`, code: 1 });
  });

  test("is reported to a client on stdio as the answer to its first request", async () => {
    const error = { code: -32000, message: sentence };
    for (const words of [["stdio"], []])
      for (const [line, id] of [
        ['{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}\n{"more":true}\n', 7],
        ['{"jsonrpc":"2.0","id":"a","method":"server/discover"}\n', "a"],
        ["not JSON\n", null],
      ] as const) {
        const { stdout, stderr, code } = await converse([...words], line);
        expect(JSON.parse(stdout)).toEqual({ jsonrpc: "2.0", id, error });
        expect({ stderr, code }).toEqual({ stderr: `thoughtbox: ${sentence}\n`, code: 1 });
      }
  });

  test("exits if its client disconnects without a request", async () => {
    expect(await converse(["stdio"], "")).toMatchObject({ stdout: "", code: 1 });
  });

  test.each([
    ["20.18.9", 1],
    ["20.19.0", 0],
    ["20.20.0", 0],
    ["22.0.0", 0],
    ["100.0.0", 0],
  ])("version %s makes the command exit with %i", (version, code) => {
    const words = [...pretendToBe(version), "--version"];
    expect(spawnSync(process.execPath, words, { env: cleanEnv() }).status).toBe(code);
  });

  test("can parse the binary, which is ES5 and not a module", () => {
    const source = readFileSync(binary, "utf8");
    // esbuild would rewrite or refuse syntax that ES5 lacks.
    const [asWritten, asES5] = ["esnext", "es5"].map(
      (target) => transformSync(source, { target, format: "cjs" }).code,
    );
    expect(asES5).toBe(asWritten);
    expect(source).not.toMatch(/\bimport\b|\bexport\b|`|=>/);
    expect(source.length).toBeLessThan(4_000);
    expect(readFileSync(join(binary, "..", "package.json"), "utf8")).toContain('"commonjs"');
  });
});

test("a package with missing files reports that, without a stack trace", () => {
  const directory = tempDir();
  const dist = join(binary, "..");
  const program = readFileSync(join(dist, "program.js"));
  writeFileSync(join(directory, "program.cjs"), program);
  const { stderr, status } = spawnSync(process.execPath, [join(directory, "program.cjs")], {
    encoding: "utf8",
    env: cleanEnv(),
  });
  expect(stderr).toBe(
    "thoughtbox: The program cannot be loaded (ERR_MODULE_NOT_FOUND). Reinstall it, then start it again.\n",
  );
  expect(status).toBe(1);
});
