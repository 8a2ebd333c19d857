import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { root } from "../servers/candidates.ts";
import { fillMemory, type MemoryShape } from "./fill-memory.ts";
import { fillStore, type Shelf } from "./fill-store.ts";

const migrations = "src/storage/sqlite/connection/migrations";
const schema = [...filesOf(migrations), "bench/stores/prose.ts"];
/** The files that determine a store's content: its schema and the code that fills it. */
const ingredients = {
  ledger: [...schema, "bench/stores/fill-store.ts"],
  memory: [...schema, "bench/stores/fill-memory.ts", "src/storage/memory/rows/write-graph.ts"],
};

const runPrefix = "run-";
/** Milliseconds, longer than any run takes. Older folders were left by a run that was killed. */
const staleMs = 3 * 60 * 60_000;

/** Caches generated stores between runs, outside the repository. Deletes everything else after a run. */
export function openStoreCache() {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "thoughtbox-bench");
  const stores = join(cache, "stores");
  const recipes = { ledger: recipe(ingredients.ledger), memory: recipe(ingredients.memory) };
  for (const name of Object.values(recipes)) mkdirSync(join(stores, name), { recursive: true });
  dropOthers(stores, Object.values(recipes));
  sweepRuns(cache);
  const work = mkdtempSync(join(cache, runPrefix));
  process.on("exit", () => rmSync(work, { recursive: true, force: true }));
  const freshDirectory = () => mkdtempSync(join(work, "store-"));

  async function keep(
    kind: keyof typeof recipes,
    name: string,
    fill: (folder: string) => Promise<void>,
  ): Promise<string> {
    const finished = join(stores, recipes[kind], name);
    if (!existsSync(finished)) {
      process.stderr.write(`bench: filling the store ${name}, once …\n`);
      const unfinished = freshDirectory();
      await fill(unfinished);
      renameSync(unfinished, finished);
    }
    // If this folder is missing, a server writes the JSON files of the whole store. These stores do not need
    // JSON files.
    mkdirSync(join(finished, "projects"), { recursive: true });
    return finished;
  }

  return {
    /** A directory on the same disk as the stores, which is deleted when the benchmark ends. */
    freshDirectory,
    /**
     * Fills the store on first use. Callers may only read from the store, because the next run uses the same
     * files.
     */
    filled(name: string, shelves: readonly Shelf[]): Promise<string> {
      const size = shelves.map(({ sessions, thoughts }) => `${sessions}x${thoughts}`).join("-");
      return keep("ledger", `${name}-${size}`, (folder) => fillStore(folder, shelves));
    },
    /** Like `filled`, but fills the reasoning memory with a graph. */
    remembered(shape: MemoryShape): Promise<string> {
      const { nodes, versions, depth } = shape;
      return keep("memory", `graph-${nodes}x${versions}-${depth}`, (folder) => fillMemory(folder, shape));
    },
    /** Returns a copy of the store to write to. */
    copyOf(store: string): string {
      const copy = freshDirectory();
      cpSync(store, copy, { recursive: true });
      return copy;
    },
  };
}

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder))
    .sort()
    .map((name) => join(folder, name));
}

function recipe(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(readFileSync(join(root, path)));
  return hash.digest("hex").slice(0, 12);
}

function dropOthers(folder: string, kept: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function sweepRuns(cache: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const isStale = name.startsWith(runPrefix) && Date.now() - statSync(path).mtimeMs > staleMs;
    if (isStale) rmSync(path, { recursive: true, force: true });
  }
}
