import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MemoryLine } from "../../src/ports/memory/memory-dump.ts";
import { anyone } from "../../src/ports/memory/memory-store.ts";
import { countMemory, dumpMemory } from "../../src/storage/dump/dump-memory.ts";
import { restoreMemory } from "../../src/storage/dump/restore-memory.ts";
import { runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { at, dump, newDir, openStore, prepareMemory, viewOf, workspace } from "./prepared-memory.ts";
import { prepareStore } from "./prepared-store.ts";

describe("moving the memory", () => {
  test("restores everything into an empty store, and a second restore changes nothing", async () => {
    const dataDir = await prepareMemory();
    const file = await dump(dataDir);
    const other = newDir();
    const restored = await runCommand(["restore", file], { dataDir: other });
    expect(restored.code, restored.err).toBe(0);
    expect(restored.out).toContain("2 workspaces: 2 new. 4 entries and 3 graph versions added.");
    for (const name of [workspace, "other"])
      expect(await viewOf(other, name)).toEqual(await viewOf(dataDir, name));
    const again = await runCommand(["restore", file], { dataDir: other });
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining("2 workspaces: 2 already there.") });
    expect(await viewOf(other)).toEqual(await viewOf(dataDir));
    const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(1);
    expect(lines(await dump(other))).toEqual(lines(file));
    const store = openStore(other);
    const merge = { from: "try/x", into: "main", after: 0, limit: 10 } as const;
    expect(
      await store.memory.commit(
        workspace,
        [
          { do: "merge_notes", doc: "notes", ...merge },
          { do: "merge_graph", doc: "graph", ...merge },
        ],
        { at },
      ),
    ).toMatchObject([
      { merged: 0, skipped: 1 },
      { merged: 0, skipped: 1, conflicts: [] },
    ]);
  });

  test("recognises copies of thoughts even if the thoughts have other numbers in the store", async () => {
    const call = async (dataDir: string, name: string, args: object) => {
      const { code, out, err } = await runCommand(["call", name, JSON.stringify(args)], { dataDir });
      expect(code, err).toBe(0);
      return JSON.parse(out);
    };
    const dataDir = newDir();
    const { sessionId } = await call(dataDir, "start_new", { project: "acme" });
    await runCommand(["call", "cipher", `sessionId=${sessionId}`], { dataDir });
    const think = (at: string, thought: string, more: object = {}) =>
      call(at, "thought", { sessionId, thought, ...more });
    for (const thought of ["the gyroscope drifts", "by night"]) await think(dataDir, thought);
    await think(dataDir, "or by day", { branchFromThought: 1, branchId: "alt" });
    const from = `session/${sessionId}`;
    await call(dataDir, "branch_create", { workspace, name: "try" });
    await call(dataDir, "merge", { workspace, from, into: "try" });
    await call(dataDir, "merge", { workspace, from: "try", into: "main" });

    const other = await prepareStore();
    await call(other, "notes_commit", { workspace: "mine", content: "there before" });
    for (const again of [false, true]) {
      const restored = await runCommand(["restore", await dump(dataDir)], { dataDir: other });
      expect(restored.code, restored.err).toBe(0);
      expect(restored.out).toContain(again ? "1 already there" : "1 new");
    }
    for (const into of ["main", "try"])
      expect(await call(other, "merge", { workspace, from, into })).toMatchObject({ merged: 0, skipped: 3 });
    await think(other, "at noon");
    expect(await call(other, "merge", { workspace, from, into: "try" })).toMatchObject({
      ...{ merged: 1, skipped: 3 },
    });
    for (const [one, two] of [
      ["try", "main"],
      ["main", "try"],
    ] as const)
      expect(await call(other, "merge", { workspace, from: one, into: two })).toMatchObject({
        merged: one === "try" ? 1 : 0,
      });
    for (const branch of ["main", "try"]) {
      const { entries } = await call(other, "show", { workspace, branch, doc: "notes" });
      expect(entries.map(({ content }: { content: string }) => content)).toEqual([
        ...["the gyroscope drifts", "by night", "or by day", "at noon"],
      ]);
      for (const { content, meta } of entries)
        expect(await call(other, "open", { id: meta.source })).toMatchObject({ entry: { content } });
    }
    const env = { THOUGHTBOX_WORKSPACE: workspace, THOUGHTBOX_PROJECT: "acme" };
    const found = await runCommand(["call", "session.search", "query=gyroscope"], { dataDir: other, env });
    expect(JSON.parse(found.out).hits).toMatchObject([{ id: `${sessionId}:1` }]);
  });

  test("moves a single workspace without anything else", async () => {
    const dataDir = await prepareMemory();
    const file = await dump(dataDir, "--workspace", "other");
    expect(readFileSync(file, "utf8")).not.toMatch(/acme|"session"|"note":/);
    const other = newDir();
    const { code, out } = await runCommand(["restore", file], { dataDir: other });
    expect(code).toBe(0);
    expect(out).toBe("✓ 1 workspace: 1 new. 1 entry and 0 graph versions added.\n");
    expect(await viewOf(other, "other")).toEqual(await viewOf(dataDir, "other"));
  });

  test("keeps anchors with their cards, older names and places in the map", async () => {
    const dataDir = newDir();
    const call = async (at: string, name: string, args: object) => {
      const words = ["call", name, JSON.stringify({ workspace, ...args })];
      const { code, out, err } = await runCommand(words, { dataDir: at });
      expect(code, err).toBe(0);
      return JSON.parse(out);
    };
    const note = (anchor: string, more: object) =>
      call(dataDir, "macro_anchor_note", { anchor, content: `About ${anchor}.`, kind: "component", ...more });
    await note("a:core", { title: "Core" });
    await note("a:db", { title: "Storage", parent_id: "a:core", depends_on: ["a:core"], refs: ["src/db"] });
    await call(dataDir, "anchors_rename", { from: "a:db", to: "a:storage" });
    const other = newDir();
    const restored = await runCommand(["restore", await dump(dataDir)], { dataDir: other });
    expect(restored.code, restored.err).toBe(0);
    for (const [name, args] of [
      ["anchors_list", {}],
      ["anchors_export", { format: "text" }],
      ["anchors_lint", {}],
      ["anchor_snapshot", { anchor: "a:storage" }],
      ["open", { id: "a:db" }],
    ] as const) {
      const before = await call(dataDir, name, args);
      expect(await call(other, name, args), name).toEqual(before);
      if (name !== "anchors_lint") expect(JSON.stringify(before), name).toContain("a:storage");
    }
  });

  test("refuses an unknown workspace and leaves no file", async () => {
    const dataDir = await prepareMemory();
    const file = join(tempDir(), "none.jsonl");
    const { code, err } = await runCommand(["dump", file, "--workspace", "nobody/here"], { dataDir });
    expect(code).toBe(1);
    expect(err).toMatch(
      /There is no workspace "nobody\/here"\.\n {2}Existing workspaces: acme\/repo, other\./,
    );
    expect((await runCommand(["dump", file], { dataDir })).code).toBe(0);
  });

  test("refuses a workspace with different contents and restores the others", async () => {
    const dataDir = await prepareMemory();
    const file = await dump(dataDir);
    const other = newDir();
    await runCommand(["call", "notes_commit", "content=mine", `workspace=${workspace}`], { dataDir: other });
    const before = await viewOf(other);
    const { code, out } = await runCommand(["restore", file], { dataDir: other });
    expect(code).toBe(1);
    expect(out).toContain("2 workspaces: 1 new, 1 refused.");
    expect(out).toContain(`${workspace}: the store has a workspace with this name and different contents`);
    expect(await viewOf(other)).toEqual(before);
    expect((await runCommand("call show doc=notes workspace=other", { dataDir: other })).out).toContain(
      "Elsewhere",
    );
  });

  test("restores a dump from before the memory existed", async () => {
    const dataDir = await prepareStore();
    const file = await dump(dataDir);
    const old = join(tempDir(), "old.jsonl");
    const text = readFileSync(file, "utf8")
      .replace("thoughtbox-dump-2", "thoughtbox-dump-1")
      .replace(/,"memory":\{[^}]*\}/, "");
    expect(text).not.toMatch(/memory|dump-2/);
    writeFileSync(old, text);
    const { code, out } = await runCommand(["restore", old], { dataDir: newDir() });
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("2 new") });
  });

  test("skips and reports invalid lines", async () => {
    const dataDir = await prepareMemory();
    const file = await dump(dataDir, "--workspace", workspace);
    const lines = readFileSync(file, "utf8").split("\n");
    const indexOf = (part: string) => lines.findIndex((line) => line.includes(part));
    const spoil = (part: string, from: string | RegExp, to: string) => {
      const index = indexOf(part);
      expect(lines[index]).toMatch(from);
      lines[index] = lines[index]?.replace(from, to) ?? "";
      return index + 1;
    };
    const bad = [
      [spoil('"Settled"', /"branch":"[^"]*"/, '"branch":"nobody@9"'), "belongs to no branch"],
      [indexOf('"commit":{') + 1, "does not follow an entry"],
      [indexOf('"tag":{') + 1, "does not refer to a commit"],
      [
        spoil("is smaller", '"deleted":false', '"meta":{"__proto__":1},"deleted":false'),
        "is not a line of a dump",
      ],
      [spoil("Twice", "Twice", "\\u0000"), "is not a line of a dump"],
    ];
    const spoiled = join(tempDir(), "spoiled.jsonl");
    writeFileSync(spoiled, lines.join("\n"));
    const other = newDir();
    const { code, out } = await runCommand(["restore", spoiled, "--json"], { dataDir: other });
    expect(code).toBe(1);
    const told = JSON.parse(out).badLines.map(({ line, problem }: any) => [line, problem]);
    for (const one of bad) expect(told).toContainEqual(one);
    expect(JSON.parse(out).workspaces).toMatchObject([{ workspace, outcome: "restored", versions: 2 }]);
    expect((await runCommand("doctor --json", { dataDir: other, env: { PORT: "0" } })).code).toBe(0);
  });

  test("a backup contains it", async () => {
    const dataDir = await prepareMemory();
    const file = join(tempDir(), "copy.db");
    expect((await runCommand(["backup", file], { dataDir })).code).toBe(0);
    const copy = newDir();
    mkdirSync(copy, { mode: 0o700 });
    writeFileSync(join(copy, "thoughtbox.db"), readFileSync(file), { mode: 0o600 });
    for (const name of [workspace, "other"])
      expect(await viewOf(copy, name)).toEqual(await viewOf(dataDir, name));
  });
});

test("a dump is a snapshot, even if the store changes during the dump", async () => {
  const dataDir = newDir();
  const store = openStore(dataDir);
  const write = (branch: string, from: number) =>
    store.memory.commit(
      workspace,
      Array.from({ length: 200 }, (_, n) => ({
        ...({ do: "append", branch, doc: "notes" } as const),
        entry: { kind: "note", content: `${from + n}` } as const,
      })),
      { at },
    );
  await store.memory.commit(workspace, [{ do: "create_branch", name: "b" }], { at });
  await write("main", 0);
  await write("b", 200);
  const collect = async (between: () => Promise<unknown>) => {
    const lines: MemoryLine[] = [];
    for await (const page of dumpMemory(store.upkeep, undefined)) {
      expect(page.lines.length).toBeLessThan(400);
      if (lines.length === 0) await between();
      lines.push(...page.lines);
    }
    return lines;
  };
  const before = await collect(async () => {});
  expect(before).toHaveLength(1 + 2 + 400);
  const during = await collect(async () => {
    await store.memory.commit(workspace, [{ do: "delete_branch", name: "b" }], { at });
    await write("main", 400);
  });
  expect(during).toEqual(before);
});

test("a branch that is created again after a restore is a different branch", async () => {
  const source = openStore(newDir());
  const target = openStore(newDir());
  await source.memory.commit(workspace, [{ do: "create_branch", name: "b" }], { at });
  const read = async (store: typeof source) => {
    const pages = [];
    for await (const page of dumpMemory(store.upkeep, workspace)) pages.push(page);
    return { lines: pages.flatMap(({ lines }) => lines), lastSeq: pages.at(-1)?.lastSeq ?? 0 };
  };
  const { lines, lastSeq } = await read(source);
  const restore = restoreMemory(target.upkeep, lastSeq);
  await restore.take(lines);
  await restore.finish();
  for (const store of [source, target]) {
    await store.memory.commit(
      workspace,
      [
        { do: "delete_branch", name: "b" },
        { do: "create_branch", name: "b" },
      ],
      { at },
    );
    const uids = (await read(store)).lines.flatMap((line) => ("branch" in line ? [line.branch.uid] : []));
    expect(new Set(uids).size).toBe(3);
  }
});

test("a node that only a deleted branch showed can still be found after a restore", async () => {
  const dataDir = newDir();
  const store = openStore(dataDir);
  const node = { op: "node_upsert", id: "n", type: "fact", title: "alpha" } as const;
  await store.memory.commit(
    workspace,
    [
      { do: "apply_graph", doc: "graph", ops: [node] },
      { do: "create_branch", name: "b" },
      { do: "apply_graph", branch: "main", doc: "graph", ops: [{ op: "node_delete", id: "n" }] },
      { do: "delete_branch", name: "b" },
    ],
    { at },
  );
  const other = newDir();
  await runCommand(["restore", await dump(dataDir)], { dataDir: other });
  const find = (from: typeof store) => from.memory.findNode(workspace, "main", "n", 1);
  expect(await find(openStore(other))).toEqual(await find(store));
});

test("a workspace is invisible until its restore is complete, and an interrupted restore starts over", async () => {
  const dataDir = await prepareMemory();
  const source = openStore(dataDir);
  const lines: MemoryLine[] = [];
  let last = 0;
  for await (const page of dumpMemory(source.upkeep, workspace)) {
    lines.push(...page.lines);
    last = page.lastSeq;
  }
  const other = newDir();
  const target = openStore(other);
  await restoreMemory(target.upkeep, last).take(lines);
  expect(await target.memory.readWorkspace(workspace, anyone)).toBeUndefined();
  expect(await countMemory(target.upkeep, undefined)).toBe(0);
  const { out } = await runCommand("doctor --json", { dataDir: other, env: { PORT: "0" } });
  expect(JSON.parse(out).checks).toContainEqual(
    expect.objectContaining({
      name: "memory",
      state: "look",
      says: "a restore of acme/repo was interrupted",
    }),
  );
  const restored = await runCommand(["restore", await dump(dataDir)], { dataDir: other });
  expect(restored.code, restored.out).toBe(0);
  expect(await target.upkeep.inspectMemory()).toMatchObject({ workspaces: 2, unfinished: [], problems: [] });
});

test("an aborted restore leaves nothing behind", async () => {
  const file = await dump(await prepareMemory());
  const other = newDir();
  const { code, err } = await runCommand(["restore", file], { dataDir: other, stop: AbortSignal.abort() });
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("Stopped") });
  expect(await openStore(other).upkeep.inspectMemory()).toMatchObject({ workspaces: 0, unfinished: [] });
});
