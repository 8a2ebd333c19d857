import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { memoryView } from "../support/views/memory-view.ts";
import { prepareStore } from "./prepared-store.ts";

export const workspace = "acme/repo";
export const at = new Date("2026-11-15T12:00:00.000Z");

export function openStore(dataDir: string) {
  const store = createSqliteStore({ kind: "directory", path: dataDir }, () => at);
  onTestFinished(() => store.close());
  return store;
}

/** Writes two branches, a copied note, a conflict, a tagged commit, and the remains of a deleted branch. */
export async function prepareMemory(dataDir?: string): Promise<string> {
  const directory = await prepareStore(dataDir);
  const store = openStore(directory);
  const node = (title: string) => ({ op: "node_upsert", id: "pool", type: "fact", title }) as const;
  const note = (content: string) => ({ kind: "note", content }) as const;
  await store.memory.commit(
    workspace,
    [
      { do: "apply_graph", doc: "graph", ops: [node("The pool is small")] },
      { do: "create_branch", name: "try/x" },
      { do: "create_branch", name: "gone" },
      { do: "append", branch: "try/x", doc: "notes", entry: note("Twice the pool") },
      { do: "merge_notes", from: "try/x", into: "main", doc: "notes", after: 0, limit: 10 },
      { do: "apply_graph", branch: "try/x", doc: "graph", ops: [node("The pool is smaller")] },
      { do: "apply_graph", branch: "main", doc: "graph", ops: [node("The pool is large")] },
      { do: "merge_graph", from: "try/x", into: "main", doc: "graph", after: 0, limit: 10 },
      { do: "commit", branch: "main", doc: "notes", entry: { ...note("Settled"), title: "first" } },
      { do: "delete_branch", name: "gone" },
    ],
    { at, projectGuard: "acme" },
  );
  const ref = await store.memory.readRef(workspace, "main", "notes");
  await store.memory.commit(workspace, [{ do: "create_tag", name: "v1", seq: ref?.seq ?? 0, force: false }], {
    at,
  });
  await store.memory.commit("other", [{ do: "append", doc: "notes", entry: note("Elsewhere") }], { at });
  await store.close();
  return directory;
}

export async function viewOf(dataDir: string, name = workspace): Promise<unknown> {
  const store = openStore(dataDir);
  const view = await memoryView(store.memory, name);
  await store.close();
  return view;
}

export const newDir = () => join(tempDir(), "data");

export async function dump(dataDir: string, ...more: string[]): Promise<string> {
  const file = join(tempDir(), "all.jsonl");
  const { code, err } = await runCommand(["dump", file, ...more], { dataDir });
  expect(code, err).toBe(0);
  return file;
}
