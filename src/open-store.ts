import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import type { Config } from "./config.ts";
import { databaseHost } from "./disk/capture-consent.ts";
import { claimProjectRoot } from "./disk/project-root.ts";
import { loadKey } from "./http/token-file.ts";
import type { Clock } from "./kernel/clock.ts";
import { closeInTurn } from "./kernel/close-in-turn.ts";
import { sha256Hex } from "./kernel/sha256.ts";
import { describeThrown } from "./operations/pipeline/recoveries.ts";
import type { ToolVisibility } from "./ports/content.ts";
import type { ConnectionBook } from "./ports/conversations.ts";
import type { EventSink } from "./ports/events.ts";
import type { NotebookFiles } from "./ports/notebook/notebook-archive.ts";
import { storageFailure } from "./ports/storage-failures.ts";
import type { MigrationOptions, MigrationReport, Store } from "./ports/store.ts";
import { settingTree } from "./settings.ts";
import { createConfigJson } from "./storage/files/config-json.ts";
import { withKnowledgeFiles } from "./storage/files/knowledge-files.ts";
import { createToolFile, createToolMemory } from "./storage/files/tool-visibility.ts";
import {
  createNotebookFiles,
  withErasedNotebooks,
  withNotebookFiles,
} from "./storage/notebooks/notebook-files.ts";
import { createPostgresStore } from "./storage/postgres/postgres-store.ts";
import { refuseFlawedDataDir } from "./storage/sqlite/connection/data-dir.ts";
import { newestFormat } from "./storage/sqlite/connection/migrate.ts";
import { readFormat } from "./storage/sqlite/connection/open-database.ts";
import { createSqliteStore } from "./storage/sqlite/sqlite-store.ts";
import { warnOfLostStore } from "./storage/tree/import/find-sessions.ts";
import { createLedgerTree, type RunningTree, withBackPressure } from "./storage/tree/ledger-tree.ts";
import { withErasedFolders } from "./storage/tree/write/trash.ts";

/** A store, and everything else in the same directory or database. */
export type OpenStore = Store & {
  /** How answers name the store: a directory, `:memory:` or `postgres`. */
  name: string;
  /** The same for all processes that use this store. Contains no secret. */
  identify(): string;
  /** True if the store outlives this process, so that other processes can use it. */
  lasts: boolean;
  /** The host of the database, if servers on several machines share the store. */
  sharedHost: string | undefined;
  /** The directory for files other than the store. `undefined` if nothing outlives the process. */
  directory: string | undefined;
  toolVisibility: ToolVisibility;
  /** The key for signing state that clients pass from call to call. */
  loadRequestKey(): Promise<string>;
  /**
   * If servers on several machines share the store, returns the digest of the token that all of them accept. `own` is
   * this server's digest.
   */
  shareTokenDigest?(own: string): Promise<string>;
  /** Client connections, if servers on several machines share the store. */
  connections?: ConnectionBook;
  /** Throws if no call could use the store. Changes nothing. A server calls this before it opens its port. */
  refuseUnusable(): void;
  /** Migrates the schema, or only checks it. */
  migrate(options: MigrationOptions): Promise<MigrationReport>;
  /** Rejects if no call could be served now. Changes nothing. */
  check(): Promise<void>;
  /** Called before an import, so that a missing store is not reported as lost. */
  expectImport(): void;
  /** JSON files and notebooks that people read. `undefined` if this kind of store has none. */
  files: { tree: RunningTree; notebooks: NotebookFiles } | undefined;
};

type Surroundings = {
  clock: Clock;
  publish: EventSink;
  log: (line: string) => void;
  report: (thrown: unknown) => void;
};

/** Opens, creates and locks nothing before the first call. */
export function openStore(config: Config, surroundings: Surroundings): OpenStore {
  switch (config.storage) {
    case "memory":
      return openInMemory(surroundings);
    case "fs":
      return openDirectory(config, surroundings);
    case "postgres":
      return openDatabase(config, surroundings);
  }
}

function openDatabase({ databaseUrl, tenant, poolSize }: Config, surroundings: Surroundings): OpenStore {
  const { clock, publish, log } = surroundings;
  if (databaseUrl === undefined) throw storageFailure("no_database_url", {});
  const store = createPostgresStore(
    { url: databaseUrl, tenant, poolSize, machine: hostname(), publish, log },
    clock,
  );
  return {
    ...store,
    name: "postgres",
    identify: () => identifyDatabase(databaseUrl, tenant),
    lasts: true,
    sharedHost: databaseHost(databaseUrl),
    directory: undefined,
    refuseUnusable() {},
    expectImport() {},
    files: undefined,
  };
}

const sqliteOptions = ({ publish, log }: Surroundings) => ({
  publish,
  log,
  onIndexTrouble: (thrown: unknown) =>
    log(`thoughtbox: new text cannot be searched yet: ${describeThrown(thrown)}\n`),
});

function openInMemory(surroundings: Surroundings): OpenStore {
  const key = randomBytes(32).toString("base64url");
  const own = shorten(randomUUID());
  return {
    ...createSqliteStore({ kind: "memory" }, surroundings.clock, sqliteOptions(surroundings)),
    name: ":memory:",
    identify: () => own,
    lasts: false,
    sharedHost: undefined,
    directory: undefined,
    toolVisibility: createToolMemory(),
    loadRequestKey: async () => key,
    refuseUnusable() {},
    async check() {},
    migrate: async () => ({ from: newestFormat, to: newestFormat }),
    expectImport() {},
    files: undefined,
  };
}

function openDirectory(config: Config, surroundings: Surroundings): OpenStore {
  const { dataDir } = config;
  const { clock, log, report } = surroundings;
  let isImportExpected = false;
  const store = createSqliteStore({ kind: "directory", path: dataDir }, clock, {
    ...sqliteOptions(surroundings),
    onNewStore() {
      if (!isImportExpected) warnOfLostStore(dataDir, log);
    },
  });
  const { notebooks, archive } = withNotebookFiles(store, dataDir, report);
  const notebookFiles = createNotebookFiles(archive, dataDir, clock);
  const onAnew = async (): Promise<void> => notebookFiles.writeMissing().catch(report);
  const tree = createLedgerTree({ source: store, dataDir, clock, log, onAnew });
  const stopWaiting = store.feed.onOwnChange(() => {
    stopWaiting();
    leaveConfig(config, clock);
    if (config.gitRoot !== undefined) claimProjectRoot(dataDir, config.project, config.gitRoot);
    tree.start();
  });
  return {
    ...store,
    ...withBackPressure(store, tree),
    knowledge: withKnowledgeFiles(store.knowledge, dataDir, report),
    notebooks,
    archive,
    trash: withErasedNotebooks(withErasedFolders(store.trash, dataDir, tree), dataDir),
    name: dataDir,
    identify: () => shorten(`directory ${existsSync(dataDir) ? realpathSync(dataDir) : dataDir}`),
    lasts: true,
    sharedHost: undefined,
    directory: dataDir,
    toolVisibility: createToolFile(dataDir),
    loadRequestKey: () => loadKey(dataDir, "request-state.key"),
    refuseUnusable: () => refuseFlawedDataDir(dataDir),
    async migrate({ check }) {
      const from = readFormat(dataDir);
      // The first read migrates the schema. If there is no store yet, the first write creates it.
      if (from !== undefined && !check) await store.ledger.countByProject(1);
      return from === undefined ? { from: 0, to: newestFormat, isMissing: true } : { from, to: newestFormat };
    },
    async check() {
      refuseFlawedDataDir(dataDir);
      await store.ledger.countByProject(1);
    },
    expectImport() {
      isImportExpected = true;
    },
    files: { tree, notebooks: notebookFiles },
    close: () => closeInTurn([tree.close, store.close]),
  };
}

const shorten = (identity: string): string => sha256Hex(identity).slice(0, 16);

/** Leaves out the password. The user is left out too, because several users can share a store. */
function identifyDatabase(databaseUrl: string, tenant: string): string {
  const { host, pathname, searchParams } = URL.canParse(databaseUrl)
    ? new URL(databaseUrl)
    : { host: "", pathname: "", searchParams: new URLSearchParams() };
  const place = [host || searchParams.get("host"), searchParams.get("port"), pathname, tenant];
  return shorten(`database ${JSON.stringify(place)}`);
}

/**
 * Writes the defaults, not the values from the current environment, because the next start may have a different one.
 */
function leaveConfig({ dataDir, sessionPartitionGranularity }: Config, clock: Clock): void {
  const disableThoughtLogging = settingTree.disableThoughtLogging.default;
  createConfigJson(dataDir, { disableThoughtLogging, sessionPartitionGranularity }, clock());
}
