import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { importTree } from "../../src/storage/tree/import/import-tree.ts";
import { allEntries, startSession, think, verifyChain } from "../support/ledger.ts";
import { noon } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { filesBelow, ledgerContents, openTree } from "../support/views/tree.ts";

/** Writes the files of a tree, as left by earlier versions or other programs. */
function layOut(files: Record<string, unknown>, directory = tempDir()): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  return directory;
}

const id = "0b0c8a5e-6f0e-4a56-9d43-0a4c0f1d2e3f";
const at = (minute: number) => `2025-12-07T08:${String(minute).padStart(2, "0")}:00.000Z`;
const thought = (thoughtNumber: number, more: object = {}) => ({
  thought: `thought ${thoughtNumber}`,
  thoughtNumber,
  totalThoughts: 5,
  nextThoughtNeeded: true,
  timestamp: at(thoughtNumber),
  ...more,
});
const nothingWrong = { refused: [], badFiles: [], warnings: [], plain: [] };

/** Opens a tree written by Thoughtbox with two sessions, one of them with a branch, and its store. */
async function openOriginal() {
  const opened = openTree();
  const { ledger, tree } = opened;
  const session = await startSession(ledger, {
    ...{ title: "Original", description: "", tags: ["b", "a"], project: "shop", partitionPath: "2026-W46" },
    state: { stage: 2, domain: "debugging", boundRoot: "file:///srv", navigation: { task: "t" } },
  });
  await think(ledger, session, {
    ...{ thought: "S1|O|one", timestamp: at(1), agentId: "ada" },
    ...{ cipher: [{ number: 1, type: "O", references: [] }] },
  });
  await think(ledger, session, { thought: "two", timestamp: at(2), needsMoreThoughts: true });
  await think(ledger, session, { branchId: "alt", branchFromThought: 1, timestamp: at(3) });
  await think(ledger, session, {
    branchId: "deep",
    branchFromThought: 2,
    branchFromBranch: "alt",
    timestamp: at(4),
  });
  await think(ledger, session, { branchId: "alt", revisesThought: 1, timestamp: at(5) });
  await think(ledger, session, { thoughtNumber: 40, nextThoughtNeeded: false, timestamp: at(6) });
  await startSession(ledger, { title: "Empty" });
  await tree.flush();
  return { ...opened, session };
}

describe("a tree that Thoughtbox wrote", () => {
  test("is imported as the same ledger, and a second import changes nothing", async () => {
    const original = await openOriginal();
    const store = openTree().store;
    expect(await importTree(store.imports, original.directory)).toEqual({
      ...{ sessions: 2, imported: 2, continued: 0, unchanged: 0, thoughts: 6, ...nothingWrong },
    });
    expect(await ledgerContents(store.ledger)).toEqual(await ledgerContents(original.store.ledger));
    expect(await importTree(store.imports, original.directory)).toMatchObject({
      imported: 0,
      unchanged: 2,
      thoughts: 0,
      ...nothingWrong,
    });
  });

  test("keeps its projects if it is renamed", async () => {
    const original = await openOriginal();
    const renamed = join(tempDir(), "tree");
    cpSync(join(original.directory, "projects"), renamed, { recursive: true });
    const store = openTree().store;
    await importTree(store.imports, renamed);
    expect(await ledgerContents(store.ledger)).toEqual(await ledgerContents(original.store.ledger));
  });

  test("is the only part of a data directory that is imported", async () => {
    const original = await openOriginal();
    for (const place of ["cells", "backups", "work"])
      layOut({ [`${place}/${randomUUID()}/tsconfig.json`]: {} }, original.directory);
    layOut({ [`backups/${id}/001.json`]: thought(1) }, original.directory);
    expect(await importTree(openTree().store.imports, original.directory)).toMatchObject({
      ...{ sessions: 2, imported: 2, ...nothingWrong },
    });
  });

  test("can contain a project with the name of a folder in the data directory", async () => {
    const directory = layOut({ [`projects/cells/sessions/${id}/001.json`]: thought(1) });
    const { store } = openTree();
    expect(await importTree(store.imports, directory)).toMatchObject({ imported: 1 });
    expect((await store.ledger.readSession(id))?.session.project).toBe("cells");
  });

  test("can be imported from any of its folders", async () => {
    const original = await openOriginal();
    const expected = (await ledgerContents(original.store.ledger))[original.session];
    for (const steps of [
      ["projects"],
      ["projects", "shop"],
      ["projects", "shop", "sessions", "2026-W46", original.session],
    ]) {
      const store = openTree().store;
      await importTree(store.imports, join(original.directory, ...steps));
      expect((await ledgerContents(store.ledger))[original.session]).toEqual(expected);
    }
  });

  test("is written again byte for byte after an import", async () => {
    const original = await openOriginal();
    const copy = openTree();
    await importTree(copy.store.imports, original.directory);
    copy.tree.start();
    await copy.tree.flush();
    const [from, to] = [join(original.directory, "projects"), join(copy.directory, "projects")];
    expect(filesBelow(to)).toEqual(filesBelow(from));
    for (const name of filesBelow(from))
      expect(readFileSync(join(to, name), "utf8"), name).toBe(readFileSync(join(from, name), "utf8"));
  });

  test("restores a lost store in place", async () => {
    const original = await openOriginal();
    const expected = await ledgerContents(original.store.ledger);
    await original.close();
    for (const name of filesBelow(original.directory))
      if (name.startsWith("thoughtbox.db")) rmSync(join(original.directory, name));
    const next = openTree({ directory: original.directory });
    expect(await importTree(next.store.imports, original.directory)).toMatchObject({
      imported: 2,
      ...nothingWrong,
    });
    expect(await ledgerContents(next.store.ledger)).toEqual(expected);
    await think(next.ledger, original.session, { thought: "and on" });
    expect(await verifyChain(next.store.ledger, original.session)).toBe(7);
  });

  test("continues a session whose beginning is in the store", async () => {
    const original = await openOriginal();
    const copy = openTree().store;
    await importTree(copy.imports, original.directory);
    await think(original.ledger, original.session, { thought: "later" });
    await original.tree.flush();
    expect(await importTree(copy.imports, original.directory)).toMatchObject({
      continued: 1,
      unchanged: 1,
      thoughts: 1,
      ...nothingWrong,
    });
    expect(await ledgerContents(copy.ledger)).toEqual(await ledgerContents(original.store.ledger));
    await think(copy.ledger, original.session, { thought: "the copy goes on" });
    expect(await importTree(copy.imports, original.directory)).toMatchObject({
      unchanged: 2,
      thoughts: 0,
      ...nothingWrong,
    });
  });

  test("is refused if it differs from the stored history, which is not changed", async () => {
    const original = await openOriginal();
    const copy = openTree().store;
    await importTree(copy.imports, original.directory);
    await think(copy.ledger, original.session, { thought: "here" });
    await think(original.ledger, original.session, { thought: "there" });
    await original.tree.flush();
    const before = await ledgerContents(copy.ledger);
    const { refused } = await importTree(copy.imports, original.directory);
    expect(refused).toEqual([
      {
        sessionId: original.session,
        path: join("projects", "shop", "sessions", "2026-W46", original.session),
        refusal: { why: "other_thought", position: 7 },
      },
    ]);
    expect(await ledgerContents(copy.ledger)).toEqual(before);
    await copy.ledger.deleteSession(original.session, noon);
    expect((await importTree(copy.imports, original.directory)).refused).toMatchObject([
      { refusal: { why: "in_trash" } },
    ]);
  });

  test("is imported without its damaged files", async () => {
    const original = await openOriginal();
    const folder = join(original.directory, "projects", "shop", "sessions", "2026-W46", original.session);
    const path = join(folder, "002.json");
    writeFileSync(path, readFileSync(path, "utf8").replace("two", "2"));
    writeFileSync(join(folder, "manifest.json"), "{");
    const store = openTree().store;
    const report = await importTree(store.imports, original.directory);
    const where = join("projects", "shop", "sessions", "2026-W46", original.session);
    expect(report.badFiles).toEqual([
      { path: join(where, "002.json"), problem: "was changed after it was recorded" },
    ]);
    expect(report.warnings.map(({ message }) => message)).toEqual([
      "the manifest cannot be read, so title, tags and times are guesses",
      "position 2 is missing",
    ]);
    expect((await allEntries(store.ledger, original.session)).map(({ position }) => position)).toEqual([
      1, 3, 4, 5, 6,
    ]);
    expect(readFileSync(path, "utf8")).toContain('"2"');
  });
});

describe("trees of earlier versions are imported", () => {
  const plainSession = {
    [`${id}/001.json`]: thought(1),
    [`${id}/002.json`]: thought(2, { isRevision: true, revisesThought: 1 }),
    [`${id}/010.json`]: thought(10),
    [`${id}/1000.json`]: thought(1000, { timestamp: at(59) }),
  };
  const shapes: [string, Record<string, unknown>][] = [
    [
      "branches in branches/",
      { [`${id}/branches/alt/003.json`]: thought(3, { branchId: "alt", branchFromThought: 2 }) },
    ],
    [
      "branches beside the thoughts",
      { [`${id}/alt/001.json`]: thought(3, { branchId: "alt", branchFromThought: 2 }) },
    ],
    [
      "branch thoughts among the main ones",
      { [`${id}/003.json`]: thought(3, { branchId: "alt", branchFromThought: 2 }) },
    ],
    [
      "a manifest with metadata",
      {
        [`${id}/manifest.json`]: {
          id,
          version: "1.0.0",
          thoughtFiles: ["999.json"],
          branchFiles: {},
          metadata: { title: "Old", tags: ["x"], createdAt: at(0), updatedAt: at(7) },
        },
      },
    ],
    [
      "a manifest with a session",
      {
        [`${id}/manifest.json`]: {
          version: "1.0",
          session: {
            id,
            title: "Old",
            tags: ["x"],
            createdAt: at(0),
            updatedAt: at(7),
            lastAccessedAt: at(8),
          },
          branches: {},
          integrity: {},
        },
      },
    ],
  ];

  test.each(shapes)("with %s", async (_shape, more) => {
    const directory = layOut({ ...plainSession, ...more });
    const store = openTree().store;
    const report = await importTree(store.imports, directory);
    expect(report).toMatchObject({ imported: 1, refused: [], badFiles: [] });
    expect(await verifyChain(store.ledger, id)).toBe(report.thoughts);
    expect((await store.ledger.loadIndex(id)).chain()).toEqual([1, 2, 10, 1000]);
    const index = await store.ledger.loadIndex(id);
    if ("manifest" in more) expect(index.branches()).toEqual([]);
    else if (Object.keys(more).some((path) => path.includes("3.json") || path.includes("alt")))
      expect(index.branches()).toEqual([{ branchId: "alt", fork: { thoughtNumber: 2 }, numbers: [3] }]);
    const { session } = (await store.ledger.readSession(id)) ?? {};
    if (report.warnings.every(({ message }) => !message.includes("no manifest")))
      expect(session).toMatchObject({ title: "Old", tags: ["x"], createdAt: at(0), updatedAt: at(59) });
    expect(await importTree(store.imports, directory)).toMatchObject({
      imported: 0,
      unchanged: 1,
      refused: [],
    });
  });

  test("with a branch that is called branches", async () => {
    const directory = layOut({
      ...plainSession,
      [`${id}/branches/002.json`]: thought(2, { branchFromThought: 1 }),
    });
    const store = openTree().store;
    await importTree(store.imports, directory);
    expect((await store.ledger.loadIndex(id)).branches()).toMatchObject([
      { branchId: "branches", numbers: [2] },
    ]);
  });

  test("with the project and the partition from their path", async () => {
    const directory = layOut({ [`projects/shop/sessions/2025-12/${id}/001.json`]: thought(1) });
    const store = openTree().store;
    await importTree(store.imports, join(directory, "projects", "shop"));
    expect((await store.ledger.readSession(id))?.session).toMatchObject({
      project: "shop",
      partitionPath: "2025-12",
    });
  });
});

describe("an import", () => {
  test("skips and reports sparse and deeply nested files", async () => {
    const directory = layOut({
      [`${id}/001.json`]: "",
      [`${id}/002.json`]: `{"thought":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
      [`${id}/003.json`]: thought(3),
    });
    truncateSync(join(directory, id, "001.json"), 2 ** 40);
    const { badFiles, thoughts } = await importTree(openTree().store.imports, directory);
    expect(thoughts).toBe(1);
    expect(badFiles.map(({ path, problem }) => [basename(path), problem])).toEqual([
      ["001.json", "is too long"],
      ["002.json", expect.stringContaining("nested deeper than 64 levels")],
    ]);
  });

  test("follows no links, and reports foreign files", async () => {
    const outside = layOut({ "001.json": thought(1), [`${randomUUID()}/001.json`]: thought(1) });
    const directory = layOut({
      [`${id}/001.json`]: thought(1),
      [`${id}/notes.txt`]: "mine",
      [`${id}/Not-A-Branch/001.json`]: thought(1),
      [`quarantine/x/${randomUUID()}/001.json`]: thought(1),
      [`trash/x/${randomUUID()}/001.json`]: thought(1),
      [`.hidden/${randomUUID()}/001.json`]: thought(1),
    });
    symlinkSync(join(outside, "001.json"), join(directory, id, "002.json"));
    symlinkSync(outside, join(directory, "elsewhere"));
    symlinkSync(outside, join(directory, id, "alt"));
    const store = openTree().store;
    const { sessions, thoughts, badFiles } = await importTree(store.imports, directory);
    expect({ sessions, thoughts }).toEqual({ sessions: 1, thoughts: 1 });
    expect(badFiles.map(({ path }) => path).sort()).toEqual([
      ...["002.json", "Not-A-Branch", "alt", "notes.txt"].map((name) => join(id, name)),
    ]);
  });

  test("refuses a missing directory, and finds no sessions in an empty one", async () => {
    const store = openTree().store;
    await expect(importTree(store.imports, "/nowhere/at/all")).rejects.toMatchObject({
      code: "INVALID_PAYLOAD",
    });
    expect(await importTree(store.imports, tempDir())).toMatchObject({
      sessions: 0,
      imported: 0,
      ...nothingWrong,
    });
  });

  test("stops if it is cancelled, and continues if it is run again", async () => {
    const original = openTree();
    for (let n = 0; n < 30; n += 1) await think(original.ledger, await startSession(original.ledger));
    await original.tree.flush();
    const store = openTree().store;
    const stop = new AbortController();
    const broken = importTree(store.imports, original.directory, {
      signal: stop.signal,
      onProgress: ({ sessions }) => sessions === 10 && stop.abort(),
    });
    await expect(broken).rejects.toThrow();
    await importTree(store.imports, original.directory);
    expect(await ledgerContents(store.ledger)).toEqual(await ledgerContents(original.store.ledger));
  });
});
