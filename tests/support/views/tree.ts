import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../../src/kernel/clock.ts";
import type { LedgerStore } from "../../../src/ports/ledger-store.ts";
import { createSqliteStore } from "../../../src/storage/sqlite/sqlite-store.ts";
import { createLedgerTree, withBackPressure } from "../../../src/storage/tree/ledger-tree.ts";
import { allEntries } from "../ledger.ts";
import { noon } from "../stores/stores.ts";
import { tempDir } from "../temp-dir.ts";

type TreeOptions = {
  directory?: string;
  clock?: Clock;
  log?: (line: string) => void;
  /** False for a tree that is only written on request. */
  follows?: boolean;
};

/**
 * Opens a store in a directory with its JSON files, connected as in the program. The store is closed when the
 * test ends.
 */
export function openTree({
  directory = join(tempDir(), "data"),
  clock = () => new Date(noon),
  log = () => {},
  follows = true,
}: TreeOptions = {}) {
  const store = createSqliteStore({ kind: "directory", path: directory }, clock);
  const tree = createLedgerTree({ source: store, dataDir: directory, clock, log, closeMs: 10_000 });
  if (follows) store.feed.onOwnChange(tree.start);
  let open = true;
  async function close(): Promise<void> {
    if (!open) return;
    open = false;
    await tree.close();
    await store.close();
  }
  onTestFinished(close);
  return { directory, store, tree, ...withBackPressure(store, tree), close };
}

/** Returns every file below a directory, as a sorted list of relative paths. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort();
}

export const readJson = (path: string): any => JSON.parse(readFileSync(path, "utf8"));

/** Returns permissions in octal: 600, 700. */
export const rightsOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Returns everything that an import must restore: sessions, their state, and every entry except its seq. */
export async function ledgerContents(store: LedgerStore): Promise<Record<string, unknown>> {
  const contents: Record<string, unknown> = {};
  for (let offset = 0; ; offset += 100) {
    const { sessions } = await store.listSessions({
      ...{ tagMode: "all", limit: 100, offset, sortBy: "createdAt", sortOrder: "asc" },
    });
    for (const { id } of sessions) {
      const index = await store.loadIndex(id);
      contents[id] = {
        ...(await store.readSession(id)),
        head: await store.readHead(id),
        entries: (await allEntries(store, id)).map(({ seq: _seq, ...entry }) => entry),
        branches: index.branches(),
        revisions: index.revisions(),
        critiques: await store.readCritiqueChain(id),
      };
    }
    if (sessions.length < 100) return contents;
  }
}

/** Waits for a condition that another process or the file writer will fulfil. */
export async function eventually(isSo: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
