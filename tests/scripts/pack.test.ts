import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const root = join(import.meta.dirname, "..", "..");
/** The Observatory is built already: it takes long, and Vite follows no linked packages. */
const sources = ["src", "ui", "scripts", "content", "sandbox", "dist/observatory"];
const pages = ["package.json", "package-lock.json", "README.md", "CHANGELOG.md", "LICENSE"];

test("npm pack builds what it packs", { timeout: 120_000 }, () => {
  const copy = join(tempDir(), "clone");
  mkdirSync(copy);
  for (const part of [...sources, ...pages]) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], {
    cwd: copy,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [{ files }] = JSON.parse(packed.slice(packed.indexOf("[")));
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...["dist/thoughtbox.js", "dist/program.js", "dist/package.json", "dist/main.mjs", "dist/index.d.mts"],
      ...["dist/lists/daily.json", "dist/observatory/index.html", "dist/third-party-notices.txt"],
      ...["content/cipher.md", "sandbox/cell.mjs", "LICENSE"],
    ]),
  );
});
