import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, noSmallDisk } from "../support/disk/small-disk.ts";
import { startSession, think } from "../support/ledger.ts";
import { noon } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { eventually, filesBelow, openTree, readJson } from "../support/views/tree.ts";

const sessionsOf = (directory: string) => join(directory, "projects", "_default", "sessions");

test("a foreign file in place of the tree delays no thought, is reported once, and the tree catches up", async () => {
  const directory = join(tempDir(), "data");
  mkdirSync(directory);
  writeFileSync(join(directory, "projects"), "in the way");
  const lines: string[] = [];
  const { ledger, tree } = openTree({ directory, log: (line) => lines.push(line) });
  const id = await startSession(ledger);
  for (let n = 0; n < 20; n += 1) await think(ledger, id);
  await eventually(async () => (await tree.status()).state === "stalled");
  await tree.flush();
  await tree.flush(id);
  expect(await tree.status()).toMatchObject({ pending: 21, trouble: { code: "ENOTDIR" }, deferred: [] });
  expect(lines).toEqual([expect.stringContaining("cannot be written")]);
  expect(await tree.verify(id)).toMatchObject({ valid: true, sessionExists: false, pendingFiles: 21 });

  rmSync(join(directory, "projects"));
  await eventually(async () => (await tree.status()).state === "current");
  expect(filesBelow(sessionsOf(directory))).toHaveLength(21);
  expect(lines).toEqual([expect.anything(), expect.stringContaining("can be written again")]);
  expect(await tree.verify(id)).toMatchObject({ valid: true, sessionExists: true, pendingFiles: 0 });
});

test("an obstacle in one session's folder does not delay other sessions", async () => {
  const lines: string[] = [];
  const { ledger, tree, directory } = openTree({ log: (line) => lines.push(line) });
  const [blocked, free] = [await startSession(ledger), await startSession(ledger)];
  await tree.flush();
  const obstacle = join(sessionsOf(directory), blocked, "001.json");
  mkdirSync(obstacle);
  for (const id of [blocked, free, blocked, free]) await think(ledger, id);
  await tree.flush();
  expect(filesBelow(join(sessionsOf(directory), free))).toEqual(["001.json", "002.json", "manifest.json"]);
  expect(await tree.status()).toMatchObject({ state: "current", deferred: [{ sessionId: blocked }] });
  expect(await tree.verify(blocked)).toMatchObject({ valid: false, missingThoughtFiles: ["002.json"] });
  expect(lines).toHaveLength(1);

  rmdirSync(obstacle);
  await tree.flush(blocked);
  expect(await tree.verify(blocked)).toMatchObject({ valid: true });
  expect((await tree.status()).deferred).toEqual([]);
});

test("a session whose files are deferred is written at a later start", async () => {
  const first = openTree();
  const id = await startSession(first.ledger);
  await first.tree.flush();
  const obstacle = join(sessionsOf(first.directory), id, "001.json");
  mkdirSync(obstacle);
  await think(first.ledger, id);
  await first.tree.flush();
  await first.close();
  rmdirSync(obstacle);
  const next = openTree({ directory: first.directory });
  await startSession(next.ledger);
  await eventually(async () => (await next.tree.status()).deferred.length === 0);
  expect(readJson(obstacle).thoughtNumber).toBe(1);
});

/** Mounts a separate disk for the tree. The store stays where there is room. */
function treeOnSmallDisk() {
  const disk = mountSmallDisk(1);
  const directory = join(tempDir(), "data");
  mkdirSync(join(directory, "projects"), { recursive: true });
  execFileSync("mount", ["--bind", disk.path, join(directory, "projects")]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", join(directory, "projects")]));
  return { ...disk, ...openTree({ directory }), remount: (how: "ro" | "rw") => remount(directory, how) };
}

function remount(directory: string, how: "ro" | "rw"): void {
  execFileSync("mount", ["-o", `remount,bind,${how}`, join(directory, "projects")]);
}

test.skipIf(noSmallDisk).each([
  ["full", "ENOSPC", (tree: Small) => tree.fill(), (tree: Small) => tree.free()],
  ["read-only", "EROFS", (tree: Small) => tree.remount("ro"), (tree: Small) => tree.remount("rw")],
])("a tree on a %s disk delays no thought, and catches up later", async (_how, code, spoil, mend) => {
  const small = treeOnSmallDisk();
  const { ledger, tree } = small;
  const id = await startSession(ledger);
  await tree.flush();
  spoil(small);
  for (let n = 0; n < 10; n += 1) await think(ledger, id);
  await tree.flush();
  expect(await tree.status()).toMatchObject({ state: "stalled", trouble: { code } });
  expect(await tree.verify(id)).toMatchObject({ valid: true });
  mend(small);
  await eventually(async () => (await tree.status()).state === "current");
  expect(await tree.verify(id)).toMatchObject({ valid: true, pendingFiles: 0 });
});
type Small = ReturnType<typeof treeOnSmallDisk>;

test("removed folders are created again", async () => {
  const { ledger, tree, directory } = openTree();
  const id = await startSession(ledger);
  await think(ledger, id);
  await tree.flush();
  rmSync(join(directory, "projects"), { recursive: true });
  await think(ledger, id);
  await tree.flush();
  expect(existsSync(join(sessionsOf(directory), id, "002.json"))).toBe(true);
});

test("a file with a new thought's name is moved aside, never overwritten", async () => {
  const { ledger, tree, directory } = openTree();
  const id = await startSession(ledger);
  await tree.flush();
  const path = join(sessionsOf(directory), id, "001.json");
  writeFileSync(path, "the only copy of something");
  await think(ledger, id);
  await tree.flush();
  expect(readJson(path).thoughtNumber).toBe(1);
  const [kept = ""] = filesBelow(join(directory, "quarantine"));
  expect(readFileSync(join(directory, "quarantine", kept), "utf8")).toBe("the only copy of something");
});

test("a file in a session restored from the trash is not overwritten either", async () => {
  const { ledger, tree, directory } = openTree();
  const id = await startSession(ledger);
  await think(ledger, id);
  await tree.flush();
  await ledger.deleteSession(id, noon);
  await tree.flush();
  const path = join("trash", "_default", id, "001.json");
  writeFileSync(join(directory, path), "the only copy of something");
  await ledger.restoreSession(id, noon);
  await tree.flush();
  expect(await tree.verify(id)).toMatchObject({ valid: true });
  const [kept = ""] = filesBelow(join(directory, "quarantine"));
  expect(readFileSync(join(directory, "quarantine", kept), "utf8")).toBe("the only copy of something");
});

test("a session whose files are deferred is removed from the tree when it is deleted", async () => {
  const { ledger, tree, directory } = openTree();
  const id = await startSession(ledger);
  await tree.flush();
  mkdirSync(join(sessionsOf(directory), id, "001.json"));
  await think(ledger, id);
  await tree.flush();
  expect((await tree.status()).deferred).toHaveLength(1);
  await ledger.deleteSession(id, noon);
  await tree.flush();
  expect((await tree.status()).deferred).toEqual([]);
  expect(existsSync(join(sessionsOf(directory), id))).toBe(false);
});
