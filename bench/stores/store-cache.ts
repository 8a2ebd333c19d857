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
import { fillStore, type Shelf } from "./fill-store.ts";

/** What decides how a store looks: its schema, and who fills it. */
const ingredients = [
  "src/storage/sqlite/migrations.ts",
  "bench/stores/fill-store.ts",
  "bench/stores/prose.ts",
];

const runPrefix = "run-";
/** No run lasts as long: what is older was left by one that was killed. */
const staleMs = 3 * 60 * 60_000;

/** Generated stores are kept from run to run, outside the repository; everything else goes at the end of a run. */
export function openStoreCache() {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "thoughtbox-bench");
  const stores = join(cache, "stores", recipe());
  mkdirSync(stores, { recursive: true });
  dropOthers(join(cache, "stores"), recipe());
  sweepRuns(cache);
  const work = mkdtempSync(join(cache, runPrefix));
  process.on("exit", () => rmSync(work, { recursive: true, force: true }));
  const freshDirectory = () => mkdtempSync(join(work, "store-"));

  return {
    /** On the same disk as the stores; gone when the benchmark ends. */
    freshDirectory,
    /** Filled the first time that anybody asks. To be read only: the next run gets the same files. */
    async filled(name: string, shelves: readonly Shelf[]): Promise<string> {
      const size = shelves.map(({ sessions, thoughts }) => `${sessions}x${thoughts}`).join("-");
      const finished = join(stores, `${name}-${size}`);
      if (existsSync(finished)) return finished;
      process.stderr.write(`bench: filling the store ${name}-${size}, once …\n`);
      const unfinished = freshDirectory();
      await fillStore(unfinished, shelves);
      renameSync(unfinished, finished);
      return finished;
    },
    /** A copy to write into. */
    copyOf(store: string): string {
      const copy = freshDirectory();
      cpSync(store, copy, { recursive: true });
      return copy;
    },
  };
}

function recipe(): string {
  const hash = createHash("sha256");
  for (const path of ingredients) hash.update(readFileSync(join(root, path)));
  return hash.digest("hex").slice(0, 12);
}

function dropOthers(folder: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    if (name !== kept) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function sweepRuns(cache: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const isStale = name.startsWith(runPrefix) && Date.now() - statSync(path).mtimeMs > staleMs;
    if (isStale) rmSync(path, { recursive: true, force: true });
  }
}
