import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = join(import.meta.dirname, "..", "..");
/**
 * Includes the built Observatory, because building it takes a long time and Vite does not follow linked
 * packages.
 */
const sources = ["src", "ui", "scripts", "content", "sandbox", "dist/observatory"];
const pages = ["package.json", "package-lock.json", "README.md", "CHANGELOG.md", "LICENSE"];

/** On Windows, `npm` and the installed commands are batch files. */
const onWindows = process.platform === "win32";

/** Creates a clone that was never built, with its dependencies installed as links. */
function neverBuilt(): string {
  const copy = join(tempDir(), "clone");
  const modules = join(copy, "node_modules");
  mkdirSync(modules, { recursive: true });
  for (const part of [...sources, ...pages]) cpSync(join(root, part), join(copy, part), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")).filter((entry) => !entry.startsWith(".")))
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  writeFileSync(join(modules, ".package-lock.json"), "{}");
  return copy;
}

const run = (program: string, args: readonly string[], cwd: string) =>
  execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    env: cleanEnv(),
    stdio: ["ignore", "pipe", "pipe"],
    shell: onWindows,
  });

test("npm pack builds the package first", { timeout: 240_000 }, () => {
  const packed = run("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], neverBuilt());
  const [{ files }] = JSON.parse(packed.slice(packed.indexOf("[\n")));
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...["dist/thoughtbox.js", "dist/program.js", "dist/package.json", "dist/main.mjs", "dist/index.d.mts"],
      ...["dist/lists/daily.json", "dist/observatory/index.html", "dist/third-party-notices.txt"],
      ...["content/cipher.md", "sandbox/cell.mjs", "LICENSE"],
    ]),
  );
});

test("npm install -g . in a clone that was never built installs a command that works", {
  timeout: 240_000,
}, () => {
  const clone = neverBuilt();
  const prefix = join(clone, "prefix");
  run("npm", ["install", "-g", ".", "--offline", "--prefix", prefix, "--loglevel=error"], clone);
  const installed = onWindows ? join(prefix, "thoughtbox") : join(prefix, "bin", "thoughtbox");
  expect(run(installed, ["--version"], clone)).toMatch(/^\d+\.\d+\.\d+\n$/);
});
