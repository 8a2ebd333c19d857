import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LedgerStore } from "../../src/ports/ledger-store.ts";
import { startSession, think } from "../support/ledger.ts";
import { noon } from "../support/stores/stores.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";
import { filesBelow, openTree, readJson } from "../support/views/tree.ts";

async function openStory() {
  const opened = openTree();
  const { ledger, tree, directory } = opened;
  const id = await startSession(ledger, { title: "Ürsprung \u{fffd}" });
  await think(ledger, id, { thought: "one \u{fffd}" });
  await think(ledger, id, { thought: "two" });
  await think(ledger, id, { thought: "else", branchId: "alt", branchFromThought: 1 });
  await think(ledger, id, { thought: "else more", branchId: "alt" });
  await think(ledger, id, { thought: "two again", revisesThought: 2 });
  for (const text of ["weak", "weaker"]) await criticise(ledger, id, text);
  await tree.flush();
  const folder = join(directory, "projects", "_default", "sessions", id);
  return { ...opened, id, folder, names: filesBelow(folder) };
}

const criticise = (ledger: LedgerStore, sessionId: string, text: string) =>
  ledger.attachCritique({
    ...{ sessionId, address: { thoughtNumber: 1 }, text, model: "critic", timestamp: noon, salt: "s" },
  });

function swap(one: string, other: string): void {
  renameSync(one, `${one}.aside`);
  renameSync(other, one);
  renameSync(`${one}.aside`, other);
}

function becomeFolder(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

function becomeLink(path: string): void {
  renameSync(path, `${path}.real`);
  symlinkSync(`${path}.real`, path);
}

describe("every damage to a file is found and repaired", () => {
  test("bit flips anywhere", async () => {
    const { tree, id, folder, names } = await openStory();
    const flipped: string[] = [];
    for (const name of names) {
      const path = join(folder, name);
      const intact = readFileSync(path);
      for (let at = 0; at < intact.length; at += 1 + Math.floor(intact.length / 40)) {
        const bytes = Buffer.from(intact);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
        writeFileSync(path, bytes);
        if ((await tree.verify(id)).valid) flipped.push(`${name} at ${at}`);
      }
      writeFileSync(path, intact);
    }
    expect(flipped).toEqual([]);
    expect(await tree.verify(id)).toMatchObject({ valid: true });
  });

  const damages: [string, (path: string, folder: string) => void][] = [
    ["cut short", (path) => truncateSync(path, 30)],
    ["emptied", (path) => truncateSync(path, 0)],
    ["grown", (path) => appendFileSync(path, " ")],
    ["deleted", (path) => rmSync(path)],
    ["replaced by a folder", becomeFolder],
    ["replaced by a link", becomeLink],
    ["not text", (path) => writeFileSync(path, Buffer.from([0xff, 0xfe]))],
    [
      "swapped with another",
      (path, folder) => swap(path, join(folder, path.endsWith("001.json") ? "002.json" : "001.json")),
    ],
  ];
  test.each(damages)("a file that is %s", async (_what, damage) => {
    const { tree, directory, id, folder, names } = await openStory();
    for (const name of names) {
      damage(join(folder, name), folder);
      const found = await tree.verify(id);
      expect(found, name).toMatchObject({
        valid: false,
        errors: expect.arrayContaining([expect.anything()]),
      });
      expect(found.errors.join(), name).toContain(name);
      const { repaired, failed } = await tree.repair(id);
      expect({ repaired, failed }).toEqual({ repaired: [id], failed: [] });
      expect(await tree.verify(id), name).toMatchObject({ valid: true, errors: [] });
      expect(filesBelow(folder)).toEqual(names);
    }
    expect(existsSync(join(directory, "quarantine"))).toBe(_what !== "deleted");
  });

  test("missing files, in the fields of the contract", async () => {
    const { tree, id, folder } = await openStory();
    rmSync(join(folder, "002.json"));
    rmSync(join(folder, "branches", "alt"), { recursive: true });
    rmSync(join(folder, "manifest.json"));
    expect(await tree.verify(id)).toMatchObject({
      valid: false,
      sessionExists: true,
      manifestExists: false,
      manifestValid: false,
      missingThoughtFiles: ["002.json"],
      missingBranchFiles: { alt: ["002.json", "003.json"] },
    });
    rmSync(folder, { recursive: true });
    expect(await tree.verify(id)).toMatchObject({
      sessionExists: false,
      errors: expect.arrayContaining(["The session has no folder."]),
    });
    await tree.repair();
    expect(await tree.verify(id)).toMatchObject({ valid: true, sessionExists: true });
  });

  test("foreign files, which are kept in the quarantine", async () => {
    const { tree, directory, id, folder, names } = await openStory();
    const strangers = [
      "004.json",
      "notes.txt",
      "branches/none/001.json",
      "branches/alt/900.json",
      "odd/001.json",
    ];
    for (const name of strangers) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), name);
    }
    writeFileSync(join(folder, ".DS_Store"), "of no account");
    const { valid, errors } = await tree.verify(id);
    expect(valid).toBe(false);
    expect(errors.sort()).toEqual([
      ...["004.json", "branches/alt/900.json", "branches/none", "notes.txt", "odd"].map(
        (path) => `${path} does not belong to any record.`,
      ),
    ]);
    const { quarantined } = await tree.repair(id);
    expect(quarantined).toHaveLength(5);
    expect(filesBelow(folder)).toEqual([".DS_Store", ...names]);
    const kept = filesBelow(join(directory, "quarantine"));
    expect(strangers.every((name) => kept.some((path) => path.endsWith(name)))).toBe(true);
    expect(await tree.verify(id)).toMatchObject({ valid: true });
  });

  test("an outdated manifest", async () => {
    const { tree, ledger, id, folder } = await openStory();
    const manifest = readFileSync(join(folder, "manifest.json"));
    await think(ledger, id, { thought: "news" });
    await tree.flush();
    writeFileSync(join(folder, "manifest.json"), manifest);
    expect(await tree.verify(id)).toMatchObject({ valid: false, manifestExists: true, manifestValid: false });
    await tree.repair(id);
    expect(readJson(join(folder, "manifest.json")).thoughtFiles).toHaveLength(4);
  });

  test("a file in place of a folder, which is moved aside", async () => {
    const { tree, ledger, directory } = await openStory();
    const blocked = await startSession(ledger, { project: "other" });
    await tree.flush();
    const project = join(directory, "projects", "other");
    rmSync(project, { recursive: true });
    writeFileSync(project, "in the way");
    expect(await tree.verify(blocked)).toMatchObject({ valid: false, sessionExists: false });
    expect(await tree.repair()).toMatchObject({ checked: 2, repaired: [blocked], failed: [] });
    expect(await tree.verify(blocked)).toMatchObject({ valid: true });
    const stamp = noon.replace(/[:.]/g, "-");
    expect(readFileSync(join(directory, "quarantine", stamp, "projects", "other"), "utf8")).toBe(
      "in the way",
    );
  });
});

test("an unknown session has no valid files", async () => {
  const { tree } = await openStory();
  expect(await tree.verify("0b0c8a5e-6f0e-4a56-9d43-0a4c0f1d2e3f")).toMatchObject({
    valid: false,
    sessionExists: false,
    errors: ["The store has no such session."],
  });
});

describe("session.verify", () => {
  test("reports on the files with fs storage", async () => {
    const app = createTestApp({ backend: "fs" });
    const client = app.modern();
    const sessionId = await startThinking(client);
    for (const thought of ["one", "two", "three"]) await client.call("thought", { sessionId, thought });
    const told = await client.call("session.verify", { sessionId });
    expect(told).toMatchObject({
      valid: true,
      sessionExists: true,
      manifestExists: true,
      manifestValid: true,
      missingThoughtFiles: [],
      missingBranchFiles: {},
      errors: [],
      chain: { valid: true, length: 3 },
    });
    expect(told).not.toHaveProperty("warnings");
    await app.close();
    const [path] = filesBelow(join(app.dataDir, "projects")).filter((name) => name.endsWith("002.json"));
    rmSync(join(app.dataDir, "projects", path ?? ""));
    const later = createTestApp({ backend: "fs", dataDir: app.dataDir }).modern();
    expect(await later.call("session.verify", { sessionId })).toMatchObject({
      valid: false,
      missingThoughtFiles: ["002.json"],
      errors: ["002.json is missing."],
      chain: { valid: true },
    });
  });

  test("does not report on files with memory storage", async () => {
    const client = createTestApp({ backend: "memory" }).modern();
    const sessionId = await startThinking(client);
    const told = await client.call("session.verify", { sessionId });
    expect(told).toMatchObject({ valid: true, sessionExists: true });
    expect(told).not.toHaveProperty("manifestExists");
  });
});

test("an exported session has a complete tree, and config.json is complete", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "one" });
  await client.call("session.export", { sessionId });
  const names = filesBelow(app.dataDir);
  expect(names.filter((name) => name.includes(sessionId))).toHaveLength(2);
  expect(readJson(join(app.dataDir, "config.json"))).toEqual({
    installId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    dataDir: app.dataDir,
    disableThoughtLogging: false,
    sessionPartitionGranularity: "monthly",
    createdAt: expect.any(String),
  });
});
