import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { createRepository, repositoryOf, withRepository } from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp } from "../../support/test-app.ts";

describe.each(["fs", "postgres"] as const)("git_scan over %s", (backend) => {
  test("commits are tied to sessions by their lines only once, and rebased or vanished ones stay and are marked", async () => {
    const app = createTestApp({ backend });
    const { client, sessionId } = await withRepository(app);
    const repository = createRepository(repositoryOf(app));
    const first = await client.call("git_scan");
    expect(first).toMatchObject({ scanned: 2, added: 1, gone: [], unknown: [] });
    expect(first.ties).toMatchObject([{ subject: "fix: size the pool", sessionId, how: "edits" }]);
    expect(await client.call("git_scan")).toMatchObject({ added: 0, ties: first.ties });

    const before = repository.git(["rev-parse", "HEAD"]).trim();
    repository.git(["commit", "--quiet", "--amend", "--no-edit"], 12, 40);
    const now = repository.git(["rev-parse", "HEAD"]).trim();
    expect(now).not.toBe(before);
    const rebased = await client.call("git_scan");
    expect(rebased).toMatchObject({
      added: 2,
      ties: [{ commit: now.slice(0, 12), sessionId }],
      gone: [{ commit: before.slice(0, 12), sessionId, fate: "rebased", now: now.slice(0, 12) }],
    });
    repository.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    expect(await client.call("git_scan")).toMatchObject({
      ties: [],
      gone: [
        { commit: before.slice(0, 12), fate: "rebased" },
        { commit: now.slice(0, 12), fate: "vanished" },
      ],
    });
    expect(await client.call("git_scan")).toMatchObject({ added: 0 });
    const { actions } = await client.call("read_actions", { sessionId, type: "commit" });
    expect(actions.map(({ summary }: { summary: string }) => summary)).toEqual([
      `commit ${before.slice(0, 12)} \`fix: size the pool\``,
      `commit ${now.slice(0, 12)} \`fix: size the pool\``,
      `commit ${before.slice(0, 12)} \`fix: size the pool\`, rebased as ${now.slice(0, 12)}`,
      `commit ${now.slice(0, 12)} \`fix: size the pool\`, no longer reachable`,
    ]);
  });
});

test("trailers tie commits to sessions, and trailers of other stores or projects are reported as unknown", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client, sessionId: captured } = await withRepository(app);
  const repository = createRepository(repositoryOf(app));
  const { sessionId } = await client.call("start_new", { sessionTitle: "Release" });
  const { sessionId: foreign } = await client.call("start_new", { sessionTitle: "F", project: "foreign" });
  const conversation = "22222222-2222-4333-8444-555555555555";
  const checkpoint = "abcdef012345";
  repository.git(["checkout", "--quiet", "--orphan", "entire/checkpoints/v1"]);
  repository.write(`ab/cdef012345/0/metadata.json`, JSON.stringify({ session_id: conversation }));
  repository.commit("checkpoint", 20);
  repository.git(["checkout", "--quiet", "main"]);
  const trailers = [
    `Thoughtbox-Session: ${sessionId}`,
    `Agent-Session: claude-code/${conversation}`,
    `Entire-Checkpoint: ${checkpoint}`,
    `Thoughtbox-Session: ${foreign}`,
    "Thoughtbox-Session: 00000000-0000-4000-8000-000000000000",
  ];
  for (const [n, trailer] of trailers.entries()) repository.commit(`step ${n}\n\n${trailer}`, 30 + n);
  const { ties, unknown } = await client.call("git_scan");
  const named = ties.filter(({ how }: { how: string }) => how === "trailer");
  expect(named).toHaveLength(3);
  expect(named).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ subject: "step 0", sessionId }),
      expect.objectContaining({ subject: "step 1", sessionId: captured }),
      expect.objectContaining({ subject: "step 2", sessionId: captured }),
    ]),
  );
  expect(unknown.map(({ trailer }: { trailer: string }) => trailer).sort()).toEqual(
    ["Thoughtbox-Session: 00000000-0000-4000-8000-000000000000", `Thoughtbox-Session: ${foreign}`].sort(),
  );
});

test("why shows a session that only the commit message names", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client, sessionId: captured } = await withRepository(app);
  const repository = createRepository(repositoryOf(app));
  const { sessionId } = await client.call("start_new", { sessionTitle: "Release" });
  repository.write("NEWS.md", "The first release is here.\n");
  const id = repository.commit(`docs: release\n\nThoughtbox-Session: ${sessionId}`, 30);
  const { answers, note } = await client.call("why", { commit: id });
  expect(answers).toMatchObject([{ file: "NEWS.md" }]);
  expect(note).toBe(`The commit message refers to session ${sessionId} ("Release").`);
  expect(await client.call("why", { commit: "HEAD~1" })).not.toHaveProperty("note");
  repository.write(
    "src/pool.ts",
    "export const pool = {\n  size: 40, // one connection per worker\n};\n//\n",
  );
  repository.git(["commit", "--quiet", "--amend", "-m", `fix\n\nAgent-Session: ${captured}`]);
  expect((await client.call("why", { commit: "HEAD" })).note).toContain(captured);
});

test("only 20 of 1,000 trailers in a commit message are read", async () => {
  const app = createTestApp({ backend: "memory" });
  const { client } = await withRepository(app);
  const repository = createRepository(repositoryOf(app));
  const lines = Array.from({ length: 1_000 }, (_, n) => `Entire-Checkpoint: ${(0xabc000 + n).toString(16)}`);
  repository.commit(`planted\n\n${lines.join("\n")}`, 30);
  const { unknown } = await client.call("git_scan");
  expect(unknown).toHaveLength(20);
});

test("a commit from the year 33658 is tied with a date that a restore accepts", async () => {
  const app = createTestApp({ backend: "memory" });
  const { client } = await withRepository(app);
  const repository = createRepository(repositoryOf(app));
  const { sessionId } = await client.call("start_new", { sessionTitle: "Planted" });
  const message = `planted\n\nThoughtbox-Session: ${sessionId}`;
  repository.git(["commit", "--quiet", "--allow-empty", "--date=@999999999999 +0000", "-m", message]);
  expect(await client.call("git_scan")).toMatchObject({
    ties: expect.arrayContaining([expect.objectContaining({ sessionId, how: "trailer" })]),
  });
  const { actions } = await client.call("read_actions", { sessionId, type: "commit" });
  expect(actions).toMatchObject([{ at: "9999-12-31T00:00:00.000Z" }]);
});

test("git_scan reports a missing repository, and the trailer names the latest session of the last hour", async () => {
  let now = new Date("2026-03-01T10:00:00.000Z");
  const app = createTestApp({ backend: "memory", clock: () => now });
  mkdirSync(repositoryOf(app), { recursive: true });
  const client = app.modern();
  expect(await client.call("git_scan")).toMatchObject({
    scanned: 0,
    note: expect.stringContaining("no git"),
  });
  expect(await client.call("git_trailer")).not.toHaveProperty("trailer");
  const { sessionId } = await client.call("thought", { thought: "one" });
  expect(await client.call("git_trailer")).toMatchObject({
    trailer: `Thoughtbox-Session: ${sessionId}`,
  });
  now = new Date("2026-03-01T11:30:00.000Z");
  expect(await client.call("git_trailer")).not.toHaveProperty("trailer");
});

describe("git hook", () => {
  const trailer = "Thoughtbox-Session: 11111111-2222-4333-8444-555555555555";
  const prepare = () => {
    const dataDir = join(tempDir(), "data");
    const repository = createRepository(join(dirname(dataDir), "repository"));
    const run = async (line: string) => {
      const outcome = await runCommand(line, { dataDir, directory: repository.directory });
      expect(outcome.code, outcome.err).toBe(0);
      return outcome.out;
    };
    const message = () => repository.git(["log", "-1", "--format=%B"]).trim();
    return { repository, run, message, hook: join(repository.directory, ".git", "hooks", "commit-msg") };
  };

  test("adds the trailer once, even if a commit is amended, and is gone after remove", async () => {
    const { repository, run, message, hook } = prepare();
    repository.commit("before", 0);
    expect(message()).toBe("before");
    expect(await run("git hook install")).toContain(hook);
    expect(await run("git hook install")).toContain("already");
    repository.commit("size the pool", 1);
    expect(message()).toBe(`size the pool\n\n${trailer}`);
    repository.git(["commit", "--quiet", "--amend", "--no-edit", "--allow-empty"], 2);
    expect(message()).toBe(`size the pool\n\n${trailer}`);
    expect(() =>
      repository.git(["commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", ""], 3),
    ).not.toThrow();
    expect(message()).toBe("");
    await run("git hook remove");
    expect(existsSync(hook)).toBe(false);
    expect(await run("git hook remove")).toContain("not installed");
    repository.commit("after", 4);
    expect(message()).toBe("after");
  });

  test("an existing hook runs first, may refuse, keeps its name, and is restored byte for byte", async () => {
    const { repository, run, message, hook } = prepare();
    const own = `#!/bin/sh\nprintf '%s' "$(basename "$0")" > seen\ngrep -q forbidden "$1" && exit 1\nexit 0\n# \u00e9 `;
    writeFileSync(hook, own);
    chmodSync(hook, 0o750);
    await run("git hook install");
    repository.commit("allowed", 1);
    expect(message()).toBe(`allowed\n\n${trailer}`);
    expect(readFileSync(join(repository.directory, "seen"), "utf8")).toBe("commit-msg");
    expect(() => repository.commit("forbidden", 2)).toThrow();
    await run("git hook remove");
    expect(readFileSync(hook, "utf8")).toBe(own);
    expect(statSync(hook).mode & 0o777).toBe(0o750);
    expect(existsSync(`${hook}.before-thoughtbox`)).toBe(false);
  });

  test("core.hooksPath is respected, and a hook that was changed by hand is left alone", async () => {
    const { repository, run, message, hook } = prepare();
    repository.git(["config", "core.hooksPath", "tools/hooks"]);
    mkdirSync(join(repository.directory, "tools", "hooks"), { recursive: true });
    await run("git hook install");
    const file = join(repository.directory, "tools", "hooks", "commit-msg");
    expect([existsSync(hook), existsSync(file)]).toEqual([false, true]);
    repository.commit("here", 1);
    expect(message()).toBe(`here\n\n${trailer}`);
    writeFileSync(file, `${readFileSync(file, "utf8")}echo mine\n`);
    const dataDir = join(dirname(repository.directory), "data");
    const outcome = await runCommand("git hook remove", { dataDir, directory: repository.directory });
    expect([outcome.code === 0, outcome.err]).toEqual([false, expect.stringContaining("changed by hand")]);
    expect(readFileSync(file, "utf8")).toContain("echo mine");
    const again = await runCommand("git hook install", { dataDir, directory: repository.directory });
    expect([again.code === 0, again.err]).toEqual([false, expect.stringContaining("changed by hand")]);
    expect(readFileSync(file, "utf8")).toContain("echo mine");
  });

  test.each([
    ["bash", `#!/bin/bash\n[[ "$(cat "$1")" =~ forbidden ]] && exit 1\nexit 0\n`],
    ["sh with an option", `#!/bin/sh -e\n! grep -q forbidden "$1" || false\nexit 0\n`],
    ["another interpreter", `#!/usr/bin/awk -f\n/forbidden/ { exit 1 }\n`],
  ])("an existing hook for %s still refuses commits", async (_, own) => {
    const { repository, run, hook } = prepare();
    writeFileSync(hook, own);
    chmodSync(hook, 0o755);
    await run("git hook install");
    repository.commit("allowed", 1);
    expect(() => repository.commit("forbidden", 2)).toThrow();
  });

  test("a hook that cannot be replaced still guards commits", async () => {
    const { repository, hook } = prepare();
    const own = "#!/bin/sh\nexit 1\n";
    writeFileSync(hook, own);
    chmodSync(hook, 0o755);
    mkdirSync(`${hook}.before-thoughtbox`);
    const dataDir = join(dirname(repository.directory), "data");
    const outcome = await runCommand("git hook install", { dataDir, directory: repository.directory });
    expect(outcome.err).toContain("already exists");
    writeFileSync(`${hook}.thoughtbox-new`, "left by a kill");
    rmSync(`${hook}.before-thoughtbox`, { recursive: true });
    await runCommand("git hook install", { dataDir, directory: repository.directory });
    expect(() => repository.commit("refused", 1)).toThrow();
  });

  test("a line break in a folder name does not lead to another repository", async () => {
    const home = tempDir();
    const other = join(home, "other", ".git");
    const directory = join(home, "a\n", other);
    mkdirSync(directory, { recursive: true });
    execFileSync("git", ["init", "--quiet", directory]);
    const outcome = await runCommand("git hook install", { dataDir: join(home, "data"), directory });
    expect(outcome.code).not.toBe(0);
    expect(existsSync(other)).toBe(false);
  });

  test("install reports a folder outside a repository", async () => {
    const dataDir = join(tempDir(), "data");
    const outcome = await runCommand("git hook install", { dataDir, directory: dirname(dataDir) });
    expect(outcome.err).toContain("not in a git repository");
    expect(() => execFileSync("git", ["--version"])).not.toThrow();
  });
});
