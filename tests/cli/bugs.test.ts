import { spawnSync } from "node:child_process";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectRaw, startThinking } from "../support/raw-client.ts";
import { binary, cleanEnv, spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const stackLine = /^ +at /m;

/** Runs the program on a Node.js whose functions are broken. */
function runBroken(...flags: string[]) {
  const file = join(tempDir(), "break.cjs");
  writeFileSync(file, 'process.umask = () => { throw new TypeError("no mask \\x1b[2J") };\n');
  return spawnSync(process.execPath, ["--require", file, binary, "ls", ...flags], {
    env: { ...cleanEnv(), THOUGHTBOX_DATA_DIR: join(tempDir(), "data") },
    encoding: "utf8",
  });
}

test("a bug is reported in one line, and its stack only with --debug", () => {
  const { stderr, status } = runBroken();
  expect(stderr).toBe("thoughtbox: TypeError: no mask \\u{1b}[2J (--debug shows more)\n");
  expect(status).toBe(1);
  const told = runBroken("--debug");
  expect(told.stderr).toMatch(stackLine);
  expect(told.stderr).not.toContain("\x1b");
});

test.each([
  ["no stack", []],
  ["a stack with --debug", ["--debug"]],
])("a server whose installed files are gone still answers, and logs %s", async (_what, flags) => {
  const directory = join(tempDir(), "thoughtbox");
  const root = join(binary, "..", "..");
  for (const part of ["dist", "package.json"])
    cpSync(join(root, part), join(directory, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  const copy = ([node = ""]: string[]) => [node, join(directory, "dist", "thoughtbox.js"), "stdio", ...flags];
  const client = await connectRaw(spawnServer(join(tempDir(), "data"), {}, copy), "modern");
  await expect(startThinking(client)).rejects.toThrow("INTERNAL_ERROR");
  expect(client.server.stderr()).toContain("ENOENT");
  expect(stackLine.test(client.server.stderr())).toBe(flags.length > 0);
});
