import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { connectRaw } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

const mayChown = process.getuid?.() === 0;
if (!mayChown) process.stderr.write("skipped: only root can give a directory to another user\n");

/** Expects every call to be answered with one sentence and a hint, and the server to keep running. */
async function expectRefused(dataDir: string, sentence: RegExp): Promise<void> {
  const server = spawnServer(dataDir);
  const client = await connectRaw(server, "modern");
  for (const operation of ["list_sessions", "start_new"]) {
    const { error } = await client.gateway(operation);
    expect(error).toMatchObject({ code: "STORAGE_ERROR", recovery: { hint: expect.any(String) } });
    expect(error.message).toMatch(sentence);
  }
  expect((await client.call("help")).markdown).toContain("start_new");
}

test("a data directory that is a symbolic link is refused, and its target is left alone", async () => {
  const real = join(tempDir(), "real");
  mkdirSync(real);
  const link = join(tempDir(), "link");
  symlinkSync(real, link);
  await expectRefused(link, /cannot be used: it is a symbolic link/);
  expect(readdirSync(real)).toEqual([]);
});

test("a dangling symbolic link is refused, and its target is not created", async () => {
  const [link, target] = [join(tempDir(), "link"), join(tempDir(), "target")];
  symlinkSync(target, link);
  await expectRefused(link, /cannot be used: it is a symbolic link/);
  expect(existsSync(target)).toBe(false);
});

test("a file in place of the data directory is refused", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "mine");
  await expectRefused(file, /cannot be used: it is not a directory/);
});

test("a file in place of a parent directory is refused", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "mine");
  await expectRefused(join(file, "data"), /The store cannot be opened/);
});

test.runIf(existsSync("/proc/self"))("a path at which no directory can be created is refused", async () => {
  await expectRefused("/proc/thoughtbox", /The store cannot be opened/);
});

test("a directory in place of the store's file is refused", async () => {
  const dataDir = tempDir();
  mkdirSync(join(dataDir, "thoughtbox.db"));
  await expectRefused(dataDir, /The store cannot be opened/);
});

test.skipIf(!mayChown)("a data directory of another user is refused and not written to", async () => {
  const theirs = join(tempDir(), "theirs");
  mkdirSync(theirs);
  chownSync(theirs, 65_534, 65_534);
  await expectRefused(theirs, /cannot be used: it belongs to another user/);
  expect(readdirSync(theirs)).toEqual([]);
});

test("a data directory that others can write to loses that permission, which is reported once", async () => {
  const dataDir = join(tempDir(), "data");
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o777);
  const client = await connectRaw(spawnServer(dataDir), "modern");
  await client.call("start_new", { title: "mine" });
  await client.call("list_sessions");
  expect(statSync(dataDir).mode & 0o777).toBe(0o755);
  expect(client.server.stderr().match(/other users could write to the data directory/g)).toHaveLength(1);
});

test("a store's file that is a symbolic link is refused, and its target is left alone", async () => {
  for (const name of ["thoughtbox.db", "thoughtbox.db-wal", "thoughtbox.db-shm"]) {
    const [dataDir, target] = [join(tempDir(), "data"), join(tempDir(), "target")];
    mkdirSync(dataDir);
    writeFileSync(target, "");
    symlinkSync(target, join(dataDir, name));
    await expectRefused(dataDir, new RegExp(`cannot be used: its ${name} is a symbolic link`));
    expect(statSync(target).size).toBe(0);
  }
});

test.skipIf(!mayChown)("a store's file that another user planted is refused and not written to", async () => {
  const dataDir = join(tempDir(), "data");
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o777);
  const planted = join(dataDir, "thoughtbox.db");
  writeFileSync(planted, "");
  chownSync(planted, 65_534, 65_534);
  await expectRefused(dataDir, /cannot be used: its thoughtbox.db belongs to another user/);
  expect(statSync(planted).size).toBe(0);
});

test("files in the data directory that others can write to lose that permission, which is reported", async () => {
  const dataDir = join(tempDir(), "data");
  mkdirSync(dataDir);
  for (const [name, text] of [
    ["config.json", "{}"],
    ["thoughtbox.db", ""],
  ] as const) {
    writeFileSync(join(dataDir, name), text);
    chmodSync(join(dataDir, name), 0o666);
  }
  const client = await connectRaw(spawnServer(dataDir), "modern");
  await client.call("start_new", { title: "mine" });
  for (const name of ["config.json", "thoughtbox.db"]) {
    expect(statSync(join(dataDir, name)).mode & 0o022).toBe(0);
    expect(client.server.stderr()).toContain(`other users could write to ${join(dataDir, name)}.`);
  }
});

test("no file is written through a link in place of a folder", async () => {
  const [dataDir, elsewhere] = [join(tempDir(), "data"), join(tempDir(), "elsewhere")];
  mkdirSync(dataDir);
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(dataDir, "projects"));
  const client = await connectRaw(spawnServer(dataDir), "modern");
  const { sessionId } = await client.call("start_new", { title: "mine" });
  await client.call("cipher", { sessionId });
  await client.call("thought", { sessionId, thought: "mine" });
  const note = { sessionId, title: "mine", description: "mine", content: "mine" };
  const { pattern } = await client.call("knowledge.create_pattern", note);
  await client.call("knowledge.delete_pattern", { sessionId, id: pattern.id });
  const { notebookId } = await client.call("notebook.create", { sessionId, name: "mine" });
  await client.call("notebook.delete", { sessionId, notebookId, confirm: true });
  client.server.child.stdin.end();
  await client.server.exited;
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("settings behind a symbolic link are ignored or refused", async () => {
  const real = join(tempDir(), "real");
  mkdirSync(real);
  writeFileSync(join(real, "config.json"), JSON.stringify({ project: "planted" }));
  const link = join(tempDir(), "link");
  symlinkSync(real, link);
  const { out } = await runCommand(["config", "--json"], { dataDir: link });
  expect(out).not.toContain("planted");

  const dataDir = join(tempDir(), "data");
  mkdirSync(dataDir);
  symlinkSync(join(real, "config.json"), join(dataDir, "config.json"));
  const { code, err } = await runCommand(["config", "--json"], { dataDir });
  expect(code).not.toBe(0);
  expect(err).toContain("config.json is a symbolic link");
});

test.runIf(mayChown)("a config.json of another user is refused in one sentence", async () => {
  const dataDir = join(tempDir(), "data");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "config.json"), JSON.stringify({ project: "planted" }));
  chownSync(join(dataDir, "config.json"), 65_534, 65_534);
  const { code, err } = await runCommand(["config", "--json"], { dataDir });
  expect(code).not.toBe(0);
  expect(err).toContain("belongs to another user");
});
