import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../../src/kernel/clock.ts";
import type { Store } from "../../../src/ports/store.ts";
import { tempDir } from "../temp-dir.ts";
import { databaseUrl, tenantOf } from "./postgres-server.ts";
import { postgresStores } from "./postgres-stores.ts";
import { sqliteStores } from "./sqlite-stores.ts";

/** A kind of store, as the tests that run over every kind know it. */
export type StoreKind = {
  /** What THOUGHTBOX_STORAGE calls it. */
  name: "memory" | "fs" | "postgres";
  /** Kinds of one adapter run the same statements. */
  adapter: "sqlite" | "postgres";
  /** What is written can be opened again, and by several at once. */
  lasts: boolean;
  /** Files follow it in the background, with statements that belong to no call. */
  hasFiles: boolean;
  /** Stores that are opened with the same directory are the same store, if it lasts. */
  open(directory: string, clock: Clock): Store;
  /** Hears of every statement that stores opened from now on run, until the test is done. */
  watchStatements(see: (statement: string) => void): void;
  /** How many versions of graphs, and how many nodes among them, reads can meet in a store that is closed. */
  versionsInReach(directory: string): Promise<{ versions: number; nodes: number }>;
};

/** Every kind of store. A new adapter is added here, and nowhere else in the tests of the contract. */
const kinds: readonly StoreKind[] = [...sqliteStores, ...postgresStores];
export type StoreName = StoreKind["name"];

const namesOf = (which: (kind: StoreKind) => boolean): StoreName[] =>
  kinds.filter(which).map(({ name }) => name);

export const storeNames = namesOf(() => true);
export const lastingStores = namesOf(({ lasts }) => lasts);
/** For what takes long, and for what only statements can get wrong. */
export const oneOfEachAdapter = namesOf(
  (kind) => kinds.find(({ adapter }) => adapter === kind.adapter) === kind,
);
/** Those that run no statements but the ones their callers ask for. */
export const quietStores = namesOf(({ hasFiles }) => !hasFiles);

/** The one that others are compared with, and that tests take to which any store will do. */
export const [referenceStore] = oneOfEachAdapter as [StoreName];

/** The hour at which the tests take place, unless one brings its own clock. */
export const noon = "2026-11-15T12:00:00.000Z";

export type StoreOptions = { directory?: string; clock?: Clock };

export function storeKind(name: StoreName): StoreKind {
  const found = kinds.find((kind) => kind.name === name);
  if (!found) throw new Error(`there is no store ${name}`);
  return found;
}

/** A store of the test's own, closed when the test is done. */
export function openStore(
  name: StoreName,
  { directory = join(tempDir(), "data"), clock = () => new Date(noon) }: StoreOptions = {},
): Store {
  const store = storeKind(name).open(directory, clock);
  onTestFinished(() => store.close());
  return store;
}

/** The environment by which the whole program opens the same store. */
export const storageSettings = (storage: StoreName, directory: string): Record<string, string> => ({
  THOUGHTBOX_STORAGE: storage,
  THOUGHTBOX_DATA_DIR: directory,
  ...(storage === "postgres" && {
    DATABASE_URL: databaseUrl(),
    THOUGHTBOX_TENANT: tenantOf(directory),
    // A server with a shared database writes files only if its operator names a directory.
    THOUGHTBOX_EXPORT_DIRS: join(directory, "exports"),
  }),
});
