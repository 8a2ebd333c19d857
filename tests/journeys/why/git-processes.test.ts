import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { createRepositories } from "../../../src/git/repository.ts";
import { createRepository } from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** A git that writes down each time it runs. */
function countedGit() {
  const [bin, log] = [tempDir(), join(tempDir(), "log")];
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho run >> "${log}"\nexec "${real}" "$@"\n`, { mode: 0o755 });
  const runs = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0);
  return { environment: { PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` }, runs };
}

test("paths of another checkout are looked up in git once, not once per file", async () => {
  const made = createRepository(tempDir());
  for (const path of ["src/a.ts", "src/b.ts", "pkg/src/a.ts"]) made.write(path, `${path}\n`);
  made.commit("feat: all", 1);
  const { environment, runs } = countedGit();
  const repository = await createRepositories(environment).open(made.directory);
  const find = async (path: string) => [...((await repository?.findPaths([path])) ?? [])];
  expect(await find("home/ada/shop/src/a.ts")).toEqual([]);
  const before = runs();
  expect(await find("home/ada/shop/src/b.ts")).toEqual([]);
  expect(await find("home/ada/other/c.ts")).toEqual([]);
  expect(runs()).toBe(before);
  expect(await find("pkg/src/a.ts")).toEqual(["pkg/src/a.ts"]);
  expect(await find("pkg/src/b.ts")).toEqual([]);
  expect(await find("src/b.ts")).toEqual(["src/b.ts"]);
  expect(await find("src")).toEqual([]);
});
