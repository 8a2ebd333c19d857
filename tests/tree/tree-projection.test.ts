import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { partitionPath } from "../../src/domain/ledger/chain/partition.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { startSession, think } from "../support/ledger.ts";
import { noon, openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { eventually, filesBelow, openTree, readJson, rightsOf } from "../support/views/tree.ts";

const sessionsOf = (directory: string) => join(directory, "projects", "_default", "sessions");

async function startStory(opened: Pick<ReturnType<typeof openTree>, "directory" | "ledger">) {
  const id = await startSession(opened.ledger, { title: "Story", tags: ["a"], partitionPath: "2026-11" });
  await think(opened.ledger, id, { thought: "one" });
  await think(opened.ledger, id, { thought: "two" });
  await think(opened.ledger, id, { thought: "else", branchId: "alt", branchFromThought: 1 });
  await think(opened.ledger, id, { thought: "two again", revisesThought: 2 });
  return { id, folder: join(sessionsOf(opened.directory), "2026-11", id) };
}

describe("the documented tree", () => {
  test("has one file per thought, one folder per branch, and a manifest", async () => {
    const opened = openTree();
    const { id, folder } = await startStory(opened);
    await opened.tree.flush();
    expect(filesBelow(folder)).toEqual([
      "001.json",
      "002.json",
      "003.json",
      "branches/alt/002.json",
      "manifest.json",
    ]);
    expect(readJson(join(folder, "branches/alt/002.json"))).toMatchObject({
      thought: "else",
      thoughtNumber: 2,
      branchId: "alt",
      branchFromThought: 1,
      chain: { position: 3 },
    });
    const head = await opened.store.ledger.readHead(id);
    expect(readJson(join(folder, "manifest.json"))).toMatchObject({
      version: "1.0",
      id,
      session: { title: "Story", thoughtCount: 4, branchCount: 1, partitionPath: "2026-11" },
      metadata: { title: "Story", tags: ["a"] },
      thoughtFiles: ["001.json", "002.json", "003.json"],
      branchFiles: { alt: ["002.json"] },
      branches: { alt: ["002.json"] },
      integrity: { checksum: head?.hash, lastValidated: noon },
    });
  });

  test.each(["monthly", "weekly", "daily", "none"] as const)(
    "files sessions by the %s partition of their creation",
    async (granularity) => {
      const opened = openTree();
      const partition = partitionPath(new Date("2024-12-30T12:00:00Z"), granularity);
      const id = await startSession(opened.ledger, { partitionPath: partition });
      await opened.tree.flush();
      const expected = { monthly: "2024-12", weekly: "2025-W01", daily: "2024-12-30", none: "" }[granularity];
      expect(filesBelow(sessionsOf(opened.directory))).toEqual([join(expected, id, "manifest.json")]);
    },
  );

  test("is private", async () => {
    const opened = openTree();
    const { folder } = await startStory(opened);
    await opened.tree.flush();
    for (const name of filesBelow(folder)) expect(rightsOf(join(folder, name)), name).toBe("600");
    for (const path of [
      folder,
      join(folder, "branches"),
      join(folder, "branches/alt"),
      join(opened.directory, "projects"),
    ])
      expect(rightsOf(path), path).toBe("700");
  });

  test("is written in the background after the acknowledgement", async () => {
    const opened = openTree();
    const { folder } = await startStory(opened);
    await eventually(() => existsSync(join(folder, "003.json")));
    const manifest = join(folder, "manifest.json");
    await eventually(() => existsSync(manifest) && readJson(manifest).thoughtFiles.length === 3);
    await eventually(async () => (await opened.tree.status()).state === "current");
  });

  test("includes what another process writes", async () => {
    const opened = openTree();
    const { id, folder } = await startStory(opened);
    await opened.tree.flush();
    const other = openTree({ directory: opened.directory });
    await think(other.store.ledger, id, { thought: "from elsewhere" });
    await eventually(() => existsSync(join(folder, "004.json")));
  });

  test("orders more than 999 files by number", async () => {
    const opened = openTree();
    const id = await startSession(opened.ledger);
    for (const thoughtNumber of [1_000, 2, 999]) await think(opened.ledger, id, { thoughtNumber });
    await opened.tree.flush();
    const folder = join(sessionsOf(opened.directory), id);
    expect(readJson(join(folder, "manifest.json")).thoughtFiles).toEqual([
      "002.json",
      "999.json",
      "1000.json",
    ]);
  });

  test("has changes of title and state in the manifest", async () => {
    const opened = openTree();
    const { id, folder } = await startStory(opened);
    await opened.tree.flush();
    await opened.store.ledger.updateSession(id, { title: "Renamed" }, noon);
    await opened.store.ledger.saveState(id, { stage: 3, domain: "debugging" });
    await opened.tree.flush(id);
    expect(readJson(join(folder, "manifest.json"))).toMatchObject({
      session: { title: "Renamed" },
      handle: { stage: 3, domain: "debugging" },
    });
  });

  test("moves a deleted session to the trash and restores it completely", async () => {
    const opened = openTree();
    const { id, folder } = await startStory(opened);
    await opened.tree.flush();
    const before = filesBelow(folder);
    for (const _round of [1, 2]) {
      await opened.store.ledger.deleteSession(id, noon);
      await opened.tree.flush();
      expect(existsSync(folder)).toBe(false);
      expect(filesBelow(join(opened.directory, "trash", "_default", id))).toEqual(before);
      await opened.store.ledger.restoreSession(id, noon);
      await opened.tree.flush();
      expect(filesBelow(folder)).toEqual(before);
      expect(filesBelow(join(opened.directory, "trash"))).toEqual([]);
      expect(await opened.tree.verify(id)).toMatchObject({ valid: true, errors: [] });
    }
  });

  test("has no files of a session that was deleted before they were written, until it is restored", async () => {
    const opened = openTree({ follows: false });
    const id = await startSession(opened.store.ledger);
    await think(opened.store.ledger, id);
    await opened.store.ledger.deleteSession(id, noon);
    await opened.tree.flush();
    expect(filesBelow(opened.directory).filter((name) => name.includes(id))).toEqual([]);
    await opened.store.ledger.restoreSession(id, noon);
    await opened.tree.flush();
    expect(filesBelow(sessionsOf(opened.directory))).toEqual([
      join(id, "001.json"),
      join(id, "manifest.json"),
    ]);
  });
});

describe("when files are written", () => {
  test("nothing is created before the first write", async () => {
    const directory = join(tempDir(), "data");
    const opened = openTree({ directory });
    await opened.close();
    expect(existsSync(directory)).toBe(false);
  });

  test("a read writes no tree", async () => {
    const opened = openTree();
    await startStory(opened);
    await opened.close();
    rmSync(join(opened.directory, "projects"), { recursive: true });
    const reader = openTree({ directory: opened.directory });
    await reader.ledger.listSessions({
      tagMode: "all",
      limit: 1,
      offset: 0,
      sortBy: "title",
      sortOrder: "asc",
    });
    await reader.close();
    expect(existsSync(join(opened.directory, "projects"))).toBe(false);
  });

  test("closing writes the remaining files", async () => {
    const opened = openTree();
    const { folder } = await startStory(opened);
    await opened.close();
    expect(filesBelow(folder)).toHaveLength(5);
  });

  test("files that were not written before a crash are written at the next start", async () => {
    const directory = join(tempDir(), "data");
    const crashed = openStore("fs", { directory });
    const { id, folder } = await startStory({ directory, ledger: crashed.ledger });
    await crashed.close();
    expect(existsSync(folder)).toBe(false);
    const next = openTree({ directory });
    await startSession(next.ledger);
    await eventually(() => existsSync(join(folder, "manifest.json")));
    expect(await next.tree.verify(id)).toMatchObject({ valid: true });
  });

  test("a flush of one session does not wait for the others", async () => {
    const opened = openTree({ follows: false });
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push(await startSession(opened.store.ledger));
    await think(opened.store.ledger, ids[3] ?? "");
    await opened.tree.flush(ids[3]);
    expect(readdirSync(sessionsOf(opened.directory))).toEqual([ids[3]]);
    expect((await opened.tree.status()).state).toBe("behind");
  });
});

describe("after a power cut", () => {
  /** Simulates a reboot: the lease belongs to an earlier boot of the machine. */
  const rebootedSince = (directory: string) =>
    openRaw(directory).exec("UPDATE leases SET boot = 'another run'");

  test("files that were written but never synced are written again", async () => {
    const opened = openTree();
    const { id, folder } = await startStory(opened);
    await opened.close();
    writeFileSync(join(folder, "002.json"), "");
    rebootedSince(opened.directory);
    const next = openTree({ directory: opened.directory });
    await startSession(next.ledger);
    await next.tree.flush();
    expect(await next.tree.verify(id)).toMatchObject({ valid: true });
  });

  test("without a power cut, files are not written again", async () => {
    const opened = openTree();
    const { folder } = await startStory(opened);
    await opened.close();
    writeFileSync(join(folder, "002.json"), "");
    const next = openTree({ directory: opened.directory });
    await startSession(next.ledger);
    await next.tree.flush();
    expect(readJson(join(folder, "001.json")).thought).toBe("one");
    expect(filesBelow(folder)).toHaveLength(5);
    expect(existsSync(join(folder, "002.json")) && rightsOf(join(folder, "002.json"))).toBe("600");
  });

  test("files become durable during a pause", async () => {
    const opened = openTree();
    await startStory(opened);
    await eventually(async () => {
      const { durableSeq, projectedSeq, pending } = await opened.tree.status();
      return pending === 0 && durableSeq === projectedSeq && durableSeq > 0;
    });
  });
});

test("temporary files of a dead writer are removed once its work is taken over", async () => {
  const opened = openTree();
  const { folder } = await startStory(opened);
  await opened.close();
  openRaw(opened.directory).exec("UPDATE leases SET expires_at = 1, holder = 'dead'");
  const stale = join(folder, ".004.json.0123abcd-7.tmp");
  const exported = join(opened.directory, "exports", ".story.json.0123abcd-0000-4000-8000-000000000000.tmp");
  mkdirSync(dirname(exported), { recursive: true });
  for (const draft of [stale, exported]) writeFileSync(draft, "half");
  utimesSync(exported, 1, 1);
  mkdirSync(join(folder, "notes.tmp"));
  const next = openTree({ directory: opened.directory });
  await startSession(next.ledger);
  await eventually(() => !existsSync(stale) && !existsSync(exported));
  expect(existsSync(join(folder, "notes.tmp"))).toBe(true);
});
