import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { pinRange } from "../../../src/domain/memory/ground.ts";
import { createRepositories } from "../../../src/git/repository.ts";
import { createRepository } from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Returns a git that logs every run. */
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

test("pinned lines are read from git again only if their file changed", async () => {
  const made = createRepository(tempDir());
  const text = "export const size = 20;\n";
  const commit = (path: string, content: string, minute: number) => {
    made.write(path, content);
    made.commit(`feat: ${path} ${minute}`, minute);
  };
  commit("src/pool.ts", text, 1);
  const { environment, runs } = countedGit();
  const repositories = createRepositories(environment);
  const opened = () => repositories.open(made.directory);
  const blobs = [...((await (await opened())?.findBlobs(["src/pool.ts"])) ?? new Map()).values()];
  const first = { lines: "1", blobs, range: pinRange(text, "1") };
  const pins = [
    { path: "src/pool.ts", ...first },
    { path: "src/pool.ts", blobs },
    { path: "../pool.ts", ...first },
    { path: "src/gone.ts", ...first },
  ];
  /** Returns the result, and how many times git ran after the repository was opened. */
  const compare = async () => {
    const repository = await opened();
    const before = runs();
    const [line, whole, outside, gone] = (await repository?.comparePins(pins)) ?? [];
    expect(outside).toEqual({ state: "unknown" });
    expect(gone).toEqual({ state: "moved", now: "src/gone.ts is deleted" });
    return { line, whole, runs: runs() - before };
  };
  const holds = { line: { state: "holds" }, whole: { state: "holds" } };
  expect(await compare()).toEqual({ ...holds, runs: 1 });
  expect(await compare()).toEqual({ ...holds, runs: 0 });
  commit("src/pool.ts", "// The pool.\nexport const size = 40;\n", 2);
  const moved = {
    line: { state: "moved", now: "src/pool.ts:2 is now: export const size = 40;" },
    whole: { state: "moved" },
  };
  expect(await compare()).toEqual({ ...moved, runs: 1 });
  expect(await compare()).toEqual({ ...moved, runs: 0 });
  commit("README.md", "# Pool\n", 3);
  expect(await compare()).toEqual({ ...moved, runs: 1 });
  commit("src/pool.ts", `// The pool.\n${text}`, 4);
  expect(await compare()).toEqual({ line: { state: "holds" }, whole: { state: "moved" }, runs: 1 });

  // Of many files, only those that changed are read.
  const many = Array.from({ length: 20 }, (_, n) => `src/many-${n}.ts`);
  for (const path of many) made.write(path, text);
  commit("src/pool.ts", text, 5);
  const pinned = many.map((path) => ({ path, ...first }));
  const compareMany = async () => {
    const repository = await opened();
    const before = runs();
    const states = (await repository?.comparePins(pinned))?.map(({ state }) => state);
    return { moved: states?.filter((state) => state === "moved").length, runs: runs() - before };
  };
  expect(await compareMany()).toEqual({ moved: 0, runs: 1 });
  commit("src/many-7.ts", "export const size = 7;\n", 6);
  expect(await compareMany()).toEqual({ moved: 1, runs: 2 });
  expect(await compareMany()).toEqual({ moved: 1, runs: 0 });
});

test("git is not asked for HEAD again after a commit or a checkout, and only once after branches are packed", async () => {
  const made = createRepository(tempDir());
  const commit = (minute: number) => {
    made.write("README.md", `# ${minute}\n`);
    made.commit(`docs: ${minute}`, minute);
  };
  commit(1);
  const { environment, runs } = countedGit();
  const repositories = createRepositories(environment);
  /** Returns how many times git ran to open the repository. */
  const opening = async () => {
    const before = runs();
    const repository = await repositories.open(made.directory);
    expect(repository?.head).toBe(made.git(["rev-parse", "HEAD"]).trim());
    return runs() - before;
  };
  expect(await opening()).toBe(1);
  commit(2);
  expect(await opening()).toBe(0);
  made.git(["checkout", "-q", "--detach", "HEAD~1"]);
  expect(await opening()).toBe(0);
  made.git(["checkout", "-q", "-b", "other"]);
  commit(3);
  expect(await opening()).toBe(0);
  made.git(["pack-refs", "--all"]);
  expect(await opening()).toBe(1);
  expect(await opening()).toBe(0);
  made.git(["update-ref", "-d", "HEAD"]);
  expect((await repositories.open(made.directory))?.head).toBeUndefined();
});

test("git is killed if the call that waits for it is cancelled", async () => {
  const made = createRepository(tempDir());
  made.write("src/a.ts", "a\n");
  made.commit("feat: a", 1);
  const [bin, started] = [tempDir(), join(tempDir(), "started")];
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho $$ > "${started}"\nexec sleep 600\n`, { mode: 0o755 });
  const environment = { PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
  const stop = new AbortController();
  const opened = createRepositories(environment)
    .open(made.directory, stop.signal)
    .catch((thrown: unknown) => thrown);
  while (!existsSync(started) || readFileSync(started, "utf8") === "") await nextTurn();
  const reason = new Error("The caller left.");
  stop.abort(reason);
  expect(await opened).toBe(reason);
  expect(() => process.kill(Number(readFileSync(started, "utf8")), 0)).toThrow("ESRCH");
  const late = createRepositories(environment).open(made.directory, stop.signal);
  await expect(late).rejects.toBe(reason);
});
