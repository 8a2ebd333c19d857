import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../tests/support/temp-dir.ts";
import { readConfig } from "./config.ts";
import { claimProjectRoot } from "./disk/project-root.ts";
import { findGitProject } from "./git-project.ts";

/** Creates folders in a temporary directory. */
function repositories() {
  const top = tempDir();
  const folder = (...names: string[]) => {
    const path = join(top, ...names);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const dataDir = folder("data");
  const find = (cwd: string, home = folder("home")) => findGitProject({ cwd, home, dataDir })?.name;
  return { folder, dataDir, find };
}

test("the project has the name of the repository around the working directory", () => {
  const { folder, find } = repositories();
  folder("Web Shop", ".git");
  expect(find(folder("Web Shop", "src", "deep"))).toBe("Web-Shop");
  expect(find(folder("elsewhere"))).toBeUndefined();
});

test("a deleted directory belongs to the repository around it", () => {
  const { folder, find } = repositories();
  folder("shop", ".git");
  expect(find(join(folder("shop"), ".worktrees", "fix", "src"))).toBe("shop");
});

test("the home directory is not a project, whatever it contains", () => {
  const { folder, find } = repositories();
  folder("ada", ".git");
  expect(find(folder("ada", "notes"), folder("ada"))).toBeUndefined();
});

test("a worktree belongs to its main repository, a submodule is a separate project", () => {
  const { folder, find } = repositories();
  folder("shop", ".git", "worktrees", "fix");
  writeFileSync(join(folder("shop", ".git", "worktrees", "fix"), "commondir"), "../..\n");
  writeFileSync(join(folder("fix"), ".git"), `gitdir: ${folder("shop", ".git", "worktrees", "fix")}\n`);
  expect(find(folder("fix", "src"))).toBe("shop");
  folder("shop", ".git", "modules", "lib");
  writeFileSync(join(folder("shop", "lib"), ".git"), "gitdir: ../.git/modules/lib\n");
  expect(find(folder("shop", "lib"))).toBe("lib");
});

test("recognises a worktree that git created", () => {
  const { folder, find } = repositories();
  const git = (...args: string[]) => execFileSync("git", ["-C", folder("real"), ...args], { stdio: "pipe" });
  git("init", "-q");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
  git("worktree", "add", "-q", join(folder("trees"), "side"));
  expect(find(join(folder("trees"), "side"))).toBe("real");
});

test("the first repository with a name keeps it, and another one gets a suffix", () => {
  const { folder, dataDir, find } = repositories();
  const [first, second] = [folder("one", "api"), folder("two", "api")];
  for (const root of [first, second]) mkdirSync(join(root, ".git"));
  const claimed = findGitProject({ cwd: first, home: folder("home"), dataDir });
  claimProjectRoot(dataDir, "api", claimed?.root ?? "");
  claimProjectRoot(dataDir, "api", "/somewhere/else");
  expect(find(first)).toBe("api");
  expect(find(second)).toMatch(/^api-[0-9a-f]{6}$/);
  expect(find(second)).toBe(find(second));
});

test("an explicit project takes precedence over the repository, and is required by a lock", () => {
  const { folder, dataDir } = repositories();
  const cwd = folder("shop");
  mkdirSync(join(cwd, ".git"));
  const sources = { cwd, home: folder("home"), fromGit: true };
  const env = { THOUGHTBOX_DATA_DIR: dataDir };
  expect(readConfig({ ...sources, env })).toMatchObject({ project: "shop", gitRoot: expect.any(String) });
  const chosen = readConfig({ ...sources, env: { ...env, THOUGHTBOX_PROJECT: "mine" } });
  expect(chosen).toMatchObject({ project: "mine" });
  expect(chosen.gitRoot).toBeUndefined();
  expect(readConfig({ cwd, home: folder("home"), env }).project).toBe("_default");
  const locked = { ...env, THOUGHTBOX_PROJECT_LOCK: "true" };
  expect(() => readConfig({ ...sources, env: locked })).toThrow(
    /THOUGHTBOX_PROJECT_LOCK .* THOUGHTBOX_PROJECT /,
  );
});
