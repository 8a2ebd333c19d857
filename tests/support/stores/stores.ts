import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../../src/kernel/clock.ts";
import type { Store } from "../../../src/ports/store.ts";
import { tempDir } from "../temp-dir.ts";
import { databaseUrl, tenantOf } from "./postgres-server.ts";
import { postgresStores } from "./postgres-stores.ts";
import { sqliteStores } from "./sqlite-stores.ts";

/** A kind of store, for tests that run with every kind. */
export type StoreKind = {
  /** The store's value for THOUGHTBOX_STORAGE. */
  name: "memory" | "fs" | "postgres";
  /** Stores with the same adapter run the same statements. */
  adapter: "sqlite" | "postgres";
  /** Whether the store can be opened again, and by several processes at once. */
  lasts: boolean;
  /** Whether files are written in the background, with statements that belong to no call. */
  hasFiles: boolean;
  /** Opens a store. If the store lasts, the same directory opens the same store again. */
  open(directory: string, clock: Clock): Store;
  /** Passes on every statement of stores opened from now on, until the test ends. Omits hints to other servers. */
  watchStatements(see: (statement: string) => void): void;
  /** The statements that begin and end transactions, and how many of them a call needs at most. */
  framing: { includes(statement: string): boolean; perCall: number };
  /** Returns how many graph versions reads can find in a closed store, and how many of them are nodes. */
  versionsInReach(directory: string): Promise<{ versions: number; nodes: number }>;
};

/** Every kind of store. To run the contract tests with a new adapter, add it here only. */
const kinds: readonly StoreKind[] = [...sqliteStores, ...postgresStores];
export type StoreName = StoreKind["name"];

const namesOf = (which: (kind: StoreKind) => boolean): StoreName[] =>
  kinds.filter(which).map(({ name }) => name);

export const storeNames = namesOf(() => true);
export const lastingStores = namesOf(({ lasts }) => lasts);
/** For slow tests, and for errors that only statements can cause. */
export const oneOfEachAdapter = namesOf(
  (kind) => kinds.find(({ adapter }) => adapter === kind.adapter) === kind,
);
/** Stores that run only the statements their callers ask for. */
export const quietStores = namesOf(({ hasFiles }) => !hasFiles);

/** The store that others are compared with. Tests use this store if any store will do. */
export const [referenceStore] = oneOfEachAdapter as [StoreName];

/** The current time in tests, unless a test has its own clock. */
export const noon = "2026-11-15T12:00:00.000Z";

export type StoreOptions = { directory?: string; clock?: Clock };

export function storeKind(name: StoreName): StoreKind {
  const found = kinds.find((kind) => kind.name === name);
  if (!found) throw new Error(`there is no store ${name}`);
  return found;
}

/** Opens a separate store, which is closed when the test ends. */
export function openStore(
  name: StoreName,
  { directory = join(tempDir(), "data"), clock = () => new Date(noon) }: StoreOptions = {},
): Store {
  const store = storeKind(name).open(directory, clock);
  onTestFinished(() => store.close());
  return store;
}

/** Returns the environment with which the whole program opens the same store. */
export const storageSettings = (storage: StoreName, directory: string): Record<string, string> => ({
  THOUGHTBOX_STORAGE: storage,
  THOUGHTBOX_DATA_DIR: directory,
  ...(storage === "postgres" && {
    DATABASE_URL: databaseUrl(),
    THOUGHTBOX_TENANT: tenantOf(directory),
    // A server with a shared database writes files only if its operator sets a directory.
    THOUGHTBOX_EXPORT_DIRS: join(directory, "exports"),
  }),
});
