import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { createRepository } from "../../support/git/repository.ts";
import { cleanEnv } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { claudeRoot, writeTranscripts } from "../../support/transcripts.ts";

const root = join(import.meta.dirname, "../../..");
const windows = join(root, "tests/support/disk/like-windows.cjs");

/** Returns the built program in a process that behaves as on Windows. */
function createProgram({
  directory = tempDir(),
  dataDir = join(tempDir(), "data"),
  startedLaterBy = 0,
} = {}) {
  const run = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--require", windows, join(root, "dist/thoughtbox.js"), ...words],
      {
        encoding: "utf8",
        cwd: directory,
        env: {
          ...cleanEnv(),
          HOME: join(dataDir, ".."),
          THOUGHTBOX_DATA_DIR: dataDir,
          CLAUDE_CONFIG_DIR: join(dataDir, "../claude"),
          STARTED_LATER_BY: String(startedLaterBy),
        },
      },
    );
    return { status, stdout, stderr };
  };
  return { dataDir, run };
}

test("on a system like Windows, thoughts, files, trash, export and backup work", () => {
  const { dataDir, run } = createProgram();
  const first = run("call", "thought", "thought=S1|O|It works", "sessionTitle=First");
  expect(first).toMatchObject({ status: 0 });
  expect(first.stderr).not.toContain("other users could write");
  const { sessionId } = JSON.parse(first.stdout);
  run(
    "call",
    "thought",
    `sessionId=${sessionId}`,
    "thought=On a device",
    "branchFromThought=1",
    "branchId=nul",
  );
  expect(run("verify", "--all")).toMatchObject({ status: 0 });
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
  expect(files.filter((path) => path.endsWith(join("nul_", "002.json")))).toHaveLength(1);
  expect(run("backup", join(dataDir, "../copy.db"))).toMatchObject({ status: 0 });
  expect(run("export", "latest", "--to", join(dataDir, "../first.md"))).toMatchObject({ status: 0 });
  expect(existsSync(join(dataDir, "../first.md"))).toBe(true);
  expect(run("config", "set", "project", "shop")).toMatchObject({ status: 0 });
  const diagnosis = run("doctor").stdout;
  expect(diagnosis).toContain(dataDir);
  expect(diagnosis).not.toMatch(/other users|chmod/i);
  expect(run("rm", sessionId)).toMatchObject({ status: 0 });
  expect(run("undelete", sessionId)).toMatchObject({ status: 0 });
  expect(run("show", sessionId).stdout).toContain("It works");
}, 180_000);

test("on a system like Windows, consent to capture applies", () => {
  const { dataDir, run } = createProgram();
  mkdirSync(join(dataDir, "../claude"), { recursive: true });
  expect(run("connect", "claude-code", "--capture=yes")).toMatchObject({ status: 0 });
  const { stdout } = run("capture");
  expect(stdout).not.toContain("Capture is off");
  expect(stdout).toContain("Capture is on");
}, 180_000);

test("on a system like Windows, a link in place of a file is not followed", () => {
  const { dataDir, run } = createProgram();
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "../elsewhere.json"), '{"project":"stolen"}');
  symlinkSync(join(dataDir, "../elsewhere.json"), join(dataDir, "config.json"));
  expect(run("config").stdout).not.toContain("stolen");
});

test("without /proc, exports and transcripts follow no link below their directory", () => {
  const { dataDir, run } = createProgram();
  const { sessionId } = JSON.parse(run("call", "thought", "thought=one").stdout);
  const exportTo = (destination: string) =>
    run("call", "session.export", `sessionId=${sessionId}`, `destination=${destination}`);
  expect(exportTo("for-review/one.json")).toMatchObject({ status: 0 });
  mkdirSync(join(dataDir, "../elsewhere"));
  symlinkSync(join(dataDir, "../elsewhere"), join(dataDir, "exports/linked"));
  expect(exportTo("linked/one.json").status).toBe(1);
  expect(readdirSync(join(dataDir, "../elsewhere"))).toEqual([]);

  writeTranscripts({ dataDir });
  symlinkSync(
    join(claudeRoot({ dataDir }), "-home-ada-shop"),
    join(claudeRoot({ dataDir }), "-home-ada-other"),
  );
  const { stdout } = run("import", "--from", "claude-code");
  expect(stdout).toContain("1 new");
}, 180_000);

test("on a system like Windows, a git hook is set aside and restored", () => {
  const directory = tempDir();
  createRepository(directory);
  const folder = join(directory, ".git/hooks");
  const theirs = "#!/bin/sh\nexit 0\n";
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "commit-msg"), theirs, { mode: 0o755 });
  const { run } = createProgram({ directory });
  expect(run("git", "hook", "install")).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "commit-msg"), "utf8")).not.toBe(theirs);
  expect(run("git", "hook", "remove")).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "commit-msg"), "utf8")).toBe(theirs);
}, 60_000);

test("without a boot ID, a corrected clock does not count as a reboot, but a later start does", () => {
  const { dataDir, run } = createProgram();
  const bootOf = () => {
    const database = new DatabaseSync(join(dataDir, "thoughtbox.db"), { readOnly: true });
    const { boot } = database.prepare("SELECT boot FROM leases").get() as { boot: string };
    database.close();
    return boot;
  };
  const think = (program: Pick<ReturnType<typeof createProgram>, "run">) =>
    expect(program.run("call", "thought", "thought=one")).toMatchObject({ status: 0 });
  think({ run });
  const first = bootOf();
  expect(first).toMatch(/^booted-\d+$/);
  think(createProgram({ dataDir, startedLaterBy: 60 }));
  expect(bootOf()).toBe(first);
  think(createProgram({ dataDir, startedLaterBy: 3600 }));
  expect(bootOf()).not.toBe(first);
}, 60_000);

test("on a system like Windows, a notebook reports that its cells cannot run", () => {
  const { run } = createProgram();
  const { notebookId } = JSON.parse(run("call", "notebook.create", "title=Sums").stdout);
  const { cellId } = JSON.parse(
    run("call", "notebook.add_cell", `notebookId=${notebookId}`, "type=code", "content=1 + 1").stdout,
  );
  const ran = run("call", "notebook.run_cell", `notebookId=${notebookId}`, `cellId=${cellId}`);
  expect(ran.stdout + ran.stderr).toContain("Thoughtbox runs cells on Linux and macOS, not on Windows");
});
