import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { claimProjectRoot } from "./disk/project-root.ts";
import { createEventBus } from "./events/event-bus.ts";
import { createFeedSubscriber } from "./events/feed-subscriber.ts";
import { createEventOutput, createThoughtLog } from "./events/output/event-output.ts";
import { createAdmissionPolicy } from "./http/admission/admission-policy.ts";
import { serveEndpoints } from "./http/serve-endpoints.ts";
import { loadToken } from "./http/token-file.ts";
import { type Clock, systemClock } from "./kernel/clock.ts";
import { describeBug } from "./kernel/errors.ts";
import { createSecretsPolicy } from "./kernel/secrets/secrets-policy.ts";
import { catalogue } from "./operations/catalogue.ts";
import { createPerform } from "./operations/pipeline/perform.ts";
import { describeThrown } from "./operations/pipeline/recoveries.ts";
import { onlyProject, type Settings } from "./operations/pipeline/settings.ts";
import { isLocked, listOpenWorkspaces } from "./operations/pipeline/workspace.ts";
import type { DumpChoice, DumpOptions } from "./ports/ledger-dump.ts";
import type { ImportOptions } from "./ports/ledger-import.ts";
import { createCellFolders } from "./runner/cell-folders.ts";
import { createCellRunner } from "./runner/cell-runner.ts";
import { settingTree } from "./settings.ts";
import { restoreDump } from "./storage/dump/restore-dump.ts";
import { writeDump } from "./storage/dump/write-dump.ts";
import { createConfigJson } from "./storage/files/config-json.ts";
import { createContentFiles } from "./storage/files/content-files.ts";
import { createExportFiles } from "./storage/files/export-files.ts";
import { inspectDirectory } from "./storage/files/inspect-directory.ts";
import { withKnowledgeFiles } from "./storage/files/knowledge-files.ts";
import { createToolFile, createToolMemory } from "./storage/files/tool-visibility.ts";
import { createTranscriptFiles } from "./storage/files/transcripts/transcript-files.ts";
import { importNotebooks } from "./storage/notebooks/import-notebooks.ts";
import { createNotebookFiles } from "./storage/notebooks/notebook-files.ts";
import { withErasedNotebooks, withNotebookFiles } from "./storage/notebooks/with-notebook-files.ts";
import { refuseFlawedDataDir } from "./storage/sqlite/connection/data-dir.ts";
import { createSqliteStore } from "./storage/sqlite/sqlite-store.ts";
import { warnOfLostStore } from "./storage/tree/import/find-sessions.ts";
import { importTree } from "./storage/tree/import/import-tree.ts";
import { createLedgerTree } from "./storage/tree/ledger-tree.ts";
import { withBackPressure } from "./storage/tree/write/back-pressure.ts";
import { withErasedFolders } from "./storage/tree/write/trash.ts";

export type AppOptions = {
  config: Config;
  version: string;
  contentDir: string;
  /** Where the build put the Observatory's page. */
  observatoryDir?: string;
  /** Where the thought log and failures go; never stdout. */
  log: (line: string) => void;
  /** Failures are logged with their stack. */
  debug?: boolean;
  clock?: Clock;
  /** Where the program was started; the repository around it is the project of transcripts. */
  workingDirectory?: string;
};

/** As many as a page can offer to choose from. */
const mostWorkspaces = 200;

/** The composition root: the only file that knows which adapter stands behind which port. */
export function createApp(options: AppOptions) {
  const { config, version, contentDir, log, debug = false, clock = systemClock } = options;
  const { workingDirectory = process.cwd() } = options;
  const report = (thrown: unknown) => log(`thoughtbox: ${describeBug(thrown, debug)}\n`);
  const secrets = createSecretsPolicy(config.secrets);
  const events = createEventBus(report);
  const eventOutput = createEventOutput(config.event, { log, clock });
  if (config.event.output !== "none") events.subscribe(eventOutput.write, config.event.types);
  if (!config.disableThoughtLogging) events.subscribe(createThoughtLog(log));

  let isImporting = false;
  const store = createSqliteStore(
    config.storage === "memory" ? { kind: "memory" } : { kind: "directory", path: config.dataDir },
    clock,
    {
      publish: events.publish,
      log,
      onIndexTrouble: (thrown) =>
        log(`thoughtbox: new texts cannot be searched yet: ${describeThrown(thrown)}\n`),
      onNewStore() {
        if (config.storage === "fs" && !isImporting) warnOfLostStore(config.dataDir, log);
      },
    },
  );
  const showNotebooks = async (): Promise<void> => notebookFiles?.writeMissing().catch(report);
  const tree =
    config.storage === "fs"
      ? createLedgerTree({ source: store, dataDir: config.dataDir, clock, log, onAnew: showNotebooks })
      : undefined;
  if (tree) {
    const stopWaiting = store.feed.onOwnChange(() => {
      stopWaiting();
      leaveConfig();
      if (config.gitRoot !== undefined) claimProjectRoot(config.dataDir, config.project, config.gitRoot);
      tree.start();
    });
  }
  const ledger = tree ? withBackPressure(store.ledger, tree) : store.ledger;
  const knowledge = tree ? withKnowledgeFiles(store.knowledge, config.dataDir, report) : store.knowledge;
  const { notebooks, archive } = tree ? withNotebookFiles(store, config.dataDir, report) : store;
  const notebookFiles = tree && createNotebookFiles(archive, config.dataDir, clock);
  const trash = tree
    ? withErasedNotebooks(withErasedFolders(store.trash, config.dataDir, tree), config.dataDir)
    : store.trash;
  const cellFolders = createCellFolders(config.storage === "memory" ? undefined : config.dataDir);
  const cells = createCellRunner({
    root: cellFolders.open,
    cellProgramFile: join(contentDir, "..", "sandbox", "cell.mjs"),
    choice: config.notebookSandbox,
  });
  const content = createContentFiles(contentDir);
  const discovery = config.storage === "memory" ? createToolMemory() : createToolFile(config.dataDir);
  const transcripts = createTranscriptFiles({
    roots: [
      { directory: join(config.codexHome, "sessions"), format: "codex" },
      { directory: join(config.claudeHome, "projects"), format: "claude-code" },
      ...config.transcriptRoots.map((directory) => ({ directory, format: undefined })),
    ],
    workingDirectory,
  });
  const settings: Settings = {
    version,
    project: config.project,
    projectLock: config.projectLock,
    staged: config.disclosure === "staged",
    secrets,
    autoCreateSession: config.autoCreateSession,
    reasoningSessionId: config.reasoningSessionId,
    partitionGranularity: config.sessionPartitionGranularity,
    autoExport: config.storage === "fs",
    suggestions: config.suggestions,
    workspace: config.workspace,
    workspaceLock: config.workspaceLock,
    workspaceAllow: config.workspaceAllow,
    projectGuard: config.projectGuard,
    agentId: config.agentId,
    storageDir: config.storage === "memory" ? ":memory:" : config.dataDir,
  };
  const perform = createPerform({
    catalogue,
    ledger,
    imports: store.imports,
    knowledge,
    notebooks,
    cells,
    memory: store.memory,
    discovery,
    content,
    exports: createExportFiles(join(config.dataDir, "exports"), config.exportDirs, onlyProject(config)),
    transcripts,
    tree,
    settings,
    clock,
    newId: randomUUID,
    // Node keeps random bytes for these in store; `randomBytes` asks the system for sixteen at a time.
    newSalt: () => randomUUID().replaceAll("-", ""),
    publish: events.publish,
    report,
  });

  /** Defaults, not what the environment of this start says: that need not hold for the next one. */
  function leaveConfig(): void {
    const disableThoughtLogging = settingTree.disableThoughtLogging.default;
    const { dataDir, sessionPartitionGranularity } = config;
    createConfigJson(dataDir, { disableThoughtLogging, sessionPartitionGranularity }, clock());
  }

  const ephemeralKey = randomBytes(32).toString("base64url");
  const loadKey = async () =>
    config.storage === "memory"
      ? ephemeralKey
      : loadToken({ dataDir: config.dataDir, fileName: "request-state.key" });
  /**
   * Loaded by whoever serves: a program or a command that makes calls itself speaks no protocol. Afterwards no call
   * needs a file of the package, which somebody may build anew or upgrade meanwhile.
   */
  async function openMcp() {
    const [{ createLists }, { createRequestStates }, { createResourceUpdates }] = await Promise.all([
      import("./mcp/lists.ts"),
      import("./mcp/request-state.ts"),
      import("./mcp/resource-updates.ts"),
      content.hold(),
      cells.hold(),
    ]);
    const feed = createFeedSubscriber(store.feed, { report });
    const toolChoice = await discovery.readChoice();
    return {
      lists: createLists({ catalogue, toolset: config.toolset, toolChoice, content }),
      dependencies: {
        perform,
        content,
        states: createRequestStates(loadKey),
        updates: createResourceUpdates({ feed, perform, onlyProject: onlyProject(config) }),
      },
    };
  }
  const onError = (thrown: unknown) => log(`thoughtbox: ${describeThrown(thrown)}\n`);
  const tokenFile = config.token === undefined ? join(config.dataDir, "token") : undefined;

  /** Whoever serves over HTTP stays for long: what no call could use is refused before the port is opened. */
  const checkDataDir = () => {
    if (config.storage !== "memory") refuseFlawedDataDir(config.dataDir);
  };

  let observatoryPort: number | undefined;

  async function serveHttp() {
    checkDataDir();
    const { auth, port, host, allowedHosts, allowedOrigins } = config;
    const token = await loadToken({ dataDir: config.dataDir, configured: config.token });
    const [{ createMcpEndpoint }, { createServerFactory }] = await Promise.all([
      import("./mcp/http/mcp-endpoint.ts"),
      import("./mcp/server.ts"),
    ]);
    const { lists, dependencies } = await openMcp();
    const factory = createServerFactory({
      version,
      transport: "http",
      lists,
      dependencies: async () => dependencies,
    });
    const service = await serveEndpoints({
      endpoints: [
        createMcpEndpoint({
          factory,
          clock,
          updates: dependencies.updates,
          observatoryPort: () => observatoryPort,
          onError,
        }),
      ],
      policy: createAdmissionPolicy({ auth, token, allowedHosts, allowedOrigins }),
      port,
      host,
      clock,
      onError,
    });
    return { ...service, auth, tokenFile };
  }

  /** `mcpPort`: where this process serves MCP, if it does. Rejects as listening does: one process owns the port. */
  async function serveObservatory({ mcpPort }: { mcpPort?: number } = {}) {
    checkDataDir();
    const { auth, host, allowedHosts, allowedOrigins, observatory } = config;
    const token = await loadToken({ dataDir: config.dataDir, configured: config.token });
    const { createObservatoryEndpoint } = await import("./observatory/observatory-endpoint.ts");
    const readers = observatory.httpApi ? observatory.cors.filter((origin) => origin !== "*") : [];
    const policy = createAdmissionPolicy({
      auth,
      token,
      allowedHosts,
      allowedOrigins: [...allowedOrigins, ...readers],
      hasPages: true,
    });
    const endpoint = createObservatoryEndpoint({
      perform,
      ledger: store.ledger,
      memory: store.memory,
      listWorkspaces: (own) => listOpenWorkspaces({ memory: store.memory, settings }, own, mostWorkspaces),
      notebooks,
      feed: store.feed,
      follow: createFeedSubscriber(store.feed, { report }),
      directory: options.observatoryDir ?? "",
      tokenDigest: policy.tokenDigest,
      version,
      mcpUrl: mcpPort === undefined ? undefined : `http://localhost:${mcpPort}/mcp`,
      settings: {
        project: config.project,
        projectLock: config.projectLock,
        workspaces: isLocked(config) ? [] : config.workspaceAllow,
        secrets,
        maxConnections: observatory.maxConnections,
        httpApi: observatory.httpApi,
      },
      clock,
      report,
    });
    const { port } = observatory;
    const service = await serveEndpoints({
      endpoints: [endpoint],
      policy,
      port,
      host,
      clock,
      onError,
    });
    observatoryPort = service.port;
    const stop = (graceMs?: number) => {
      observatoryPort = undefined;
      return service.stop(graceMs);
    };
    return { ...service, stop, auth, token, tokenFile };
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    try {
      await cells.close();
      await cellFolders.close();
      await tree?.close();
      await store.close();
    } finally {
      events.flush();
      await eventOutput.close();
    }
  }

  return {
    perform,
    catalogue,
    observatoryEnabled: config.observatory.enabled,
    subscribe: events.subscribe,
    openMcp,
    serveHttp,
    serveObservatory,
    inspectSandbox: cells.sandbox,
    tree,
    transcripts,
    ledger: store.ledger,
    upkeep: store.upkeep,
    inspectDirectory: () => inspectDirectory(config.dataDir),
    async probePort() {
      const { probePort } = await import("./mcp/http/probe-port.ts");
      return probePort(config.port, config.host);
    },
    async isObservatory(address: string) {
      const { isObservatory } = await import("./observatory/is-observatory.ts");
      return isObservatory(address);
    },
    dump: (path: string, choice?: DumpChoice) => writeDump(store, path, clock, choice),
    trash,
    inspectNotebooks: archive.inspectNotebooks,
    notebookFiles,
    async restore(path: string, options?: DumpOptions) {
      const report = await restoreDump({ ...store, knowledge, archive }, path, options);
      tree?.start();
      return report;
    },
    async importTree(directory: string, options?: ImportOptions) {
      isImporting = true;
      const report = await importTree(store.imports, directory, options);
      const signal = options?.signal;
      const notebookReport = await importNotebooks(archive, directory, { newId: randomUUID, signal });
      tree?.start();
      return { ...report, notebooks: notebookReport };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
