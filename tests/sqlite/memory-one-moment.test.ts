import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { GraphOp } from "../../src/domain/memory/graph.ts";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import type { MemoryStore } from "../../src/ports/memory/memory-store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { driverPath, openRaw } from "../support/disk/raw-database.ts";
import { noon, openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

const workspace = "acme/repo";
const at = new Date(noon);
const doc = "graph";
const ids = Array.from({ length: 6 }, (_, n) => `n${n}`);

const named = (id: string, title: string): GraphOp => ({ op: "node_upsert", id, type: "fact", title });
const write = (branch: string, title: string, ...more: GraphOp[]): MemoryStep => ({
  ...{ do: "apply_graph", branch, doc },
  ops: [...ids.map((id) => named(id, title)), ...more],
});
const linked: GraphOp = { op: "edge_upsert", from: "n0", rel: "supports", to: "n1" };
const agreed = named("agreed", "the same on both");
const note = (branch: string, content: string): MemoryStep => ({
  ...{ do: "append", branch, doc: "notes", entry: { kind: "note", content } },
});

const taken = { source: "merge:session/00000000-0000-4000-8000-000000000000:1", seq: 1 };
const takeIn = (into: string): MemoryStep => ({
  ...{ do: "merge_thoughts", from: "session/00000000-0000-4000-8000-000000000000", into, doc: "notes" },
  ...{ thoughts: [{ ...taken, entry: { kind: "note", content: "thought" } }] },
  ...{ skipped: 0, lastSeq: 1, hasMore: false },
});

/** Creates a branch that has changed inherited data, and a branch created from it. */
async function prepare(): Promise<string> {
  const directory = join(tempDir(), "data");
  const { memory, close } = createSqliteStore({ kind: "directory", path: directory }, () => at);
  const steps: MemoryStep[] = [
    ...[write("main", "first"), note("main", "first"), { do: "create_branch", name: "side" } as const],
    ...[
      write("side", "theirs", named("own", "theirs"), linked, agreed),
      note("side", "theirs"),
      takeIn("side"),
    ],
    ...[write("main", "ours", agreed)],
    ...[{ do: "create_branch", name: "deep", from: "side" } as const, note("deep", "deepest")],
  ];
  await memory.commit(workspace, steps, { at });
  await close();
  return directory;
}

/** Deletes everything on the branch in one transaction. */
const emptied = `BEGIN;
  CREATE TEMP TABLE gone AS SELECT bid FROM memory_branches WHERE name = 'side';
  DELETE FROM graph_facets WHERE bid IN gone;
  DELETE FROM graph_versions WHERE bid IN gone;
  DELETE FROM memory_entries WHERE bid IN gone;
  DELETE FROM memory_streams WHERE bid IN gone;
COMMIT`;

/** Calls `before` before every statement on connections opened until the test ends. */
function watchStatements(before: () => void): void {
  const require = createRequire(import.meta.url);
  const driver = require(driverPath);
  const loaded = require.cache[driverPath];
  if (!loaded) throw new Error("the driver is not loaded");
  class Watched extends driver.DatabaseSync {
    prepare(text: string) {
      const statement = super.prepare(text);
      const watched =
        (way: "run" | "get" | "all") =>
        (...values: unknown[]) => {
          before();
          return statement[way](...values);
        };
      return { run: watched("run"), get: watched("get"), all: watched("all") };
    }
  }
  loaded.exports = { ...driver, DatabaseSync: Watched };
  onTestFinished(() => {
    loaded.exports = driver;
  });
}

/**
 * Another connection empties the branch just before the statement with that number. Returns the number of
 * statements.
 */
async function interrupted(source: string, number: number, read: (memory: MemoryStore) => Promise<unknown>) {
  const directory = join(tempDir(), "data");
  cpSync(source, directory, { recursive: true });
  const raw = openRaw(directory);
  let statements = Number.NEGATIVE_INFINITY;
  watchStatements(() => {
    if (statements++ === number) raw.exec(emptied);
  });
  const { memory } = openStore("fs", { directory });
  // Read once first, so that queries made once per connection are not counted.
  await read(memory);
  statements = 0;
  const outcome = await read(memory);
  return { outcome, statements };
}

const merge = { from: "side", into: "main", doc, after: 0, limit: 10 };
const sides = { from: "main", to: "side", doc, limit: 10 };
const nodes = { branch: "deep", doc, includeDeleted: false, limit: 10 };

const reads: Record<string, (memory: MemoryStore) => Promise<unknown>> = {
  graph_diff: (memory) => memory.diffGraph(workspace, sides),
  "graph_diff in the other direction": (memory) =>
    memory.diffGraph(workspace, { ...sides, from: "side", to: "main" }),
  diff: (memory) =>
    memory.readDifference(workspace, { branch: "deep", without: "main", doc: "notes", limit: 9 }),
  graph_query: (memory) => memory.queryNodes(workspace, nodes),
  "graph_query by type": (memory) => memory.queryNodes(workspace, { ...nodes, types: ["fact"] }),
  "graph_query with edges": (memory) => memory.queryGraph(workspace, nodes, { limit: 10 }),
  "graph_query with all edges of a node": (memory) =>
    memory.queryGraph(workspace, { ...nodes, ids: ["n0"] }, { touching: ["n0"], limit: 10 }),
  "open a node": (memory) => memory.findNode(workspace, "deep", "n0", 10),
  graph_validate: (memory) => memory.checkGraph(workspace, nodes, 10),
  "graph_merge as a dry run": (memory) => memory.previewGraphMerge(workspace, merge, at),
  "merge as a dry run": (memory) => memory.previewNoteMerge(workspace, { ...merge, doc: "notes" }),
  "the copied thoughts of a branch": (memory) =>
    memory.heldThoughts(workspace, { branch: "deep", doc: "notes", sources: [taken.source] }),
  show: (memory) => memory.readEntries(workspace, { branch: "deep", doc: "notes", limit: 9 }),
  docs_list: (memory) => memory.listDocs(workspace, "deep"),
  "a combined read": (memory) =>
    memory.together(async () => [
      await memory.readEntries(workspace, { branch: "deep", doc: "notes", limit: 9 }),
      await memory.queryNodes(workspace, nodes),
      await memory.listDocs(workspace, "deep"),
    ]),
};

test.each(Object.entries(reads))(
  "%s shows one moment, even if another process writes between its statements",
  async (_name, read) => {
    const source = await prepare();
    const { outcome: whole, statements } = await interrupted(source, Number.POSITIVE_INFINITY, read);
    const { outcome: less } = await interrupted(source, 0, read);
    expect(statements).toBeGreaterThan(2);
    expect(less).not.toEqual(whole);
    for (let before = 1; before < statements; before += 1) {
      const { outcome } = await interrupted(source, before, read);
      expect([whole, less], `before statement ${before}`).toContainEqual(outcome);
    }
  },
);
