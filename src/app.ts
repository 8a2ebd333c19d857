import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { createCapture, createCatchUp } from "./capture/capture.ts";
import { isIgnored } from "./capture/exclusions.ts";
import { createForgetting } from "./capture/forget-project.ts";
import { type Config, environmentOf, programEnvironment } from "./config.ts";
import { type Attendance, createAttendance } from "./disk/attendance.ts";
import { isAgreed, mayCapture, readConsent, saveConsent } from "./disk/capture-consent.ts";
import { readObservatories } from "./disk/observatory-addresses.ts";
import { claimProjectRoot } from "./disk/project-root.ts";
import { defaultProject } from "./domain/ledger/project.ts";
import { createEventBus, createThoughtLog } from "./events/event-bus.ts";
import { createFeedSubscriber } from "./events/feed-subscriber.ts";
import { createEventOutput } from "./events/output/event-output.ts";
import { createRepositories } from "./git/repository.ts";
import { findGitProject, type GitProject } from "./git-project.ts";
import { type Clock, systemClock } from "./kernel/clock.ts";
import { closeInTurn } from "./kernel/close-in-turn.ts";
import { describeBug } from "./kernel/errors.ts";
import { createSecretsPolicy } from "./kernel/secrets/secrets-policy.ts";
import { newSalt } from "./kernel/sha256.ts";
import { type OpenStore, openStore } from "./open-store.ts";
import { catalogue } from "./operations/catalogue.ts";
import { createSpoken } from "./operations/memory/hooks/spoken.ts";
import { createOpenPlans } from "./operations/memory/transcripts/read-transcript.ts";
import { onlyProject, type Settings } from "./operations/pipeline/context.ts";
import { createPerform, type Perform } from "./operations/pipeline/perform.ts";
import type { EventSink } from "./ports/events.ts";
import type { ArchiveChoice, DumpChoice, DumpOptions } from "./ports/ledger-dump.ts";
import type { ImportOptions } from "./ports/ledger-import.ts";
import { storageFailure } from "./ports/storage-failures.ts";
import { createCellRunner } from "./runner/cell-runner.ts";
import { createCellFolders } from "./runner/process/cell-directory.ts";
import { createDoors } from "./serve.ts";
import { archiveSessions } from "./storage/dump/archive-sessions.ts";
import { restoreDump } from "./storage/dump/restore-dump.ts";
import { surveyStore } from "./storage/dump/survey-store.ts";
import { writeDump } from "./storage/dump/write-dump.ts";
import { createContentFiles } from "./storage/files/content-files.ts";
import { createExportFiles } from "./storage/files/export-files.ts";
import { inspectDirectory } from "./storage/files/inspect-directory.ts";
import { createTranscriptFiles } from "./storage/files/transcripts/transcript-files.ts";
import { importNotebooks } from "./storage/notebooks/import-notebooks.ts";
import { createOpencodeSessions } from "./storage/sqlite/foreign/opencode-sessions.ts";
import { countUnknownSessions } from "./storage/tree/import/find-sessions.ts";
import { importTree, setPlainFilesAside } from "./storage/tree/import/import-tree.ts";

export type AppOptions = {
  config: Config;
  version: string;
  contentDir: string;
  observatoryDir?: string;
  /** The command that starts this installation, as separate words. Shown in the Observatory. */
  program?: readonly string[];
  /** Receives the thought log and failures. Never writes to stdout. */
  log: (line: string) => void;
  /** Log failures with their stack. */
  debug?: boolean;
  clock?: Clock;
  /** Finds the project for a client's directory. Default: always the configured project. */
  projectOf?: (directory: string | undefined) => string;
  /**
   * The directory in which the program was started. Transcripts belong to the project of the repository that contains
   * it.
   */
  workingDirectory?: string;
};

/**
 * The composition root. `open-store.ts` and `recall-alone.ts` are the only other files that name adapters of storage,
 * events and runner.
 */
export function createApp(options: AppOptions) {
  const { config, version, contentDir, log, debug = false, clock = systemClock } = options;
  const { workingDirectory = process.cwd(), projectOf = () => config.project } = options;
  const report = (thrown: unknown) => log(`thoughtbox: ${describeBug(thrown, debug)}\n`);
  const secrets = createSecretsPolicy(config.secrets);
  const events = createEventBus(report);
  const eventOutput = createEventOutput(config.event, { log, clock });
  if (config.event.output !== "none") events.subscribe(eventOutput.write, config.event.types);
  if (!config.disableThoughtLogging) events.subscribe(createThoughtLog(log));

  let attendance: Attendance | undefined;
  const publish: EventSink = (event) => {
    if ("sessionId" in event && event.type !== "session_loaded" && event.type !== "session_exported")
      attendance?.note(event.sessionId);
    events.publish(event);
  };

  const store = openStore(config, { clock, publish, log, report });
  const tree = store.files?.tree;
  const cellFolders = createCellFolders(store.directory);
  const cells = createCellRunner({
    root: cellFolders.open,
    programFolder: join(contentDir, "..", "sandbox"),
    choice: config.notebookSandbox,
    net: config.notebookNet === "on",
  });
  const content = createContentFiles(contentDir);
  const transcripts = openTranscripts(config, workingDirectory);
  const settings: Settings = {
    ...readSettings(config, store),
    version,
    secrets,
    autoExport: store.files !== undefined,
    mayCapture: (cwd) => capture.allows(cwd),
    storageDir: store.name,
  };
  const repositories = createRepositories(programEnvironment());
  const claimFound = ({ name, root }: GitProject) => {
    if (config.storage === "memory") return;
    try {
      claimProjectRoot(config.dataDir, name, root);
    } catch (thrown) {
      report(thrown);
    }
  };
  const perform = createPerform({
    catalogue,
    ledger: store.ledger,
    conversations: store.conversations,
    actions: store.actions,
    remarks: store.remarks,
    repositories,
    workingDirectory,
    findRepositoryProject(folder) {
      try {
        const { dataDir } = config;
        const found = findGitProject({ cwd: folder, home: homedir(), dataDir });
        return found && { name: found.name, claim: () => claimFound(found) };
      } catch (thrown) {
        report(thrown);
        return undefined;
      }
    },
    imports: store.imports,
    knowledge: store.knowledge,
    notebooks: store.notebooks,
    cells,
    memory: store.memory,
    feed: store.feed,
    discovery: store.toolVisibility,
    content,
    exports: createExportFiles(findExportsRoot(config, store), config.exportDirs, onlyProject(config)),
    transcripts,
    plans: createOpenPlans(),
    spoken: createSpoken(),
    tree,
    settings,
    clock,
    newId: randomUUID,
    // Uses UUIDs, because Node caches random bytes for them. `randomBytes` makes a system call each time.
    newSalt,
    publish,
    report,
  });

  const capture = openCapture(options, store, transcripts, perform, { clock, report });

  const doors = createDoors({
    config,
    version,
    store,
    perform,
    settings,
    secrets,
    content,
    clock,
    log,
    report,
    observatoryDir: options.observatoryDir,
    program: options.program,
    projectOf,
    projectHere: () => (config.project === defaultProject ? projectOf(workingDirectory) : config.project),
    capture,
    openRepository: () => repositories.open(workingDirectory),
    follow: () => createFeedSubscriber(store.feed, { report }),
    followConversation: (id) => {
      attendance?.note(id);
      if (capture.state() === "on") capture.follow(id);
    },
    holdPackage: () => Promise.all([content.hold(), cells.hold()]),
  });

  let closing: Promise<void> | undefined;
  const parts = [
    () => attendance?.leave(),
    capture.close,
    cells.close,
    cellFolders.close,
    store.close,
    () => events.flush(),
    eventOutput.close,
  ];

  return {
    perform,
    project: { name: config.project, isChosen: config.isProjectChosen === true },
    catalogue,
    observatoryEnabled: config.observatory.enabled,
    subscribe: events.subscribe,
    ...doors,
    /** Called in a process that an agent started. After the process ends, its sessions are shown as quiet. */
    attend() {
      if (store.lasts) attendance ??= createAttendance(config.dataDir, () => clock().getTime());
    },
    inspectSandbox: cells.sandbox,
    tree,
    transcripts,
    capture,
    ledger: store.ledger,
    forReader: secrets.forAnswer,
    ...upkeepOf(store, clock),
    inspectDirectory: () => inspectDirectory(config.dataDir),
    async probePort() {
      const { probePort } = await import("./mcp/http/probe-port.ts");
      return probePort(config.port, config.host);
    },
    async isObservatory(address: string) {
      const shown = await readShownStore(address);
      if (shown === undefined || shown === "closed") return false;
      return shown === store.identify() ? ("same store" as const) : ("another store" as const);
    },
    findObservatory: () => findObservatory(config.dataDir, store.identify()),
    async countUnknownSessions(signal?: AbortSignal) {
      const isKnown = async (id: string) =>
        (await store.ledger.readSession(id)) !== undefined ||
        (await store.trash.readTrashedSession(id)) !== undefined;
      const directory = config.dataDir;
      const sessions = store.files ? await countUnknownSessions(directory, isKnown, signal) : 0;
      return { directory, sessions };
    },
    close() {
      closing ??= closeInTurn(parts);
      return closing;
    },
  };
}

function openTranscripts(config: Config, workingDirectory: string) {
  const isProjectChosen = config.gitRoot === undefined && config.project !== defaultProject;
  const opencode = join(config.opencodeData, "opencode");
  return createTranscriptFiles({
    roots: [
      { directory: join(config.codexHome, "sessions"), format: "codex" },
      { directory: join(config.claudeHome, "projects"), format: "claude-code" },
      { directory: join(config.geminiHome, ".gemini", "tmp"), format: "gemini-cli" },
      { directory: join(config.qwenHome, "projects"), format: "qwen-code" },
      { directory: join(config.copilotHome, "session-state"), format: "copilot-cli" },
      { directory: opencode, format: "opencode" },
      ...config.transcriptRoots.map((directory) => ({ directory, format: undefined })),
    ],
    databases: new Map([[opencode, createOpencodeSessions(opencode)]]),
    workingDirectory,
    findProject: (cwd) =>
      isProjectChosen ? undefined : (findProject(config.dataDir, cwd) ?? (config.gitRoot && defaultProject)),
    isIgnored,
  });
}

const readSettings = (config: Config, { sharedHost }: OpenStore) => ({
  project: config.project,
  projectLock: config.projectLock,
  staged: config.disclosure === "staged",
  autoCreateSession: config.autoCreateSession,
  reasoningSessionId: config.reasoningSessionId,
  partitionGranularity: config.sessionPartitionGranularity,
  exportsInline: sharedHost !== undefined && config.exportDirs.length === 0,
  suggestions: config.suggestions,
  workspace: config.workspace,
  workspaceLock: config.workspaceLock,
  workspaceAllow: config.workspaceAllow,
  projectGuard: config.projectGuard,
  agentId: config.agentId,
  beforeAction: config.beforeAction,
});

type Transcripts = ReturnType<typeof openTranscripts>;

function openCapture(
  { config, program }: AppOptions,
  store: OpenStore,
  transcripts: Transcripts,
  perform: Perform,
  { clock, report }: { clock: Clock; report: (thrown: unknown) => void },
) {
  return createCapture({
    setting: config.capture,
    isOn: () => mayCapture(config.dataDir, config.capture),
    readConsent: () => readConsent(config.dataDir),
    saveConsent: (consent) => saveConsent(config.dataDir, consent),
    excluded: config.captureExclude,
    isAgreed,
    shared:
      store.sharedHost !== undefined
        ? {
            host: store.sharedHost,
            projectOf: (cwd) => transcripts.findProject(cwd) ?? config.project,
          }
        : undefined,
    erase: createForgetting({
      ledger: store.ledger,
      trash: store.trash,
      upkeep: store.upkeep,
      book: store.captured,
      dataDir: config.dataDir,
      clock,
    }),
    transcripts,
    book: store.captured,
    ledger: store.ledger,
    imports: store.imports,
    perform,
    catchUpApart: program && createCatchUp(program, environmentOf(config)),
    clock,
    report,
  });
}

const upkeepOf = (store: OpenStore, clock: Clock) => ({
  upkeep: {
    ...store.upkeep,
    backup: store.upkeep.backup ?? notOffered("backup"),
    reindex: store.upkeep.reindex ?? notOffered("reindex"),
  },
  archive: (path: string, choice: ArchiveChoice) => archiveSessions(store, path, clock, choice),
  survey: (choice?: DumpOptions) => surveyStore(store, choice),
  dump: (path: string, choice?: DumpChoice) => writeDump(store, path, clock, choice),
  migrate: store.migrate,
  trash: store.trash,
  inspectNotebooks: store.archive.inspectNotebooks,
  notebookFiles: store.files?.notebooks,
  async restore(path: string, options?: DumpOptions) {
    const report = await restoreDump(store, path, options);
    store.files?.tree.start();
    return report;
  },
  async importTree(directory: string, options?: ImportOptions) {
    store.expectImport();
    const { plain, ...report } = await importTree(store.imports, directory, options);
    const signal = options?.signal;
    const notebookReport = await importNotebooks(store.archive, directory, { newId: randomUUID, signal });
    store.files?.tree.start();
    const place = { tree: store.files?.tree, dataDir: store.directory };
    report.warnings.push(...(await setPlainFilesAside(place, plain, signal)));
    return { ...report, notebooks: notebookReport };
  },
});

/** Servers that share a database can also share an exports directory. The operator configures that directory. */
const findExportsRoot = ({ dataDir, exportDirs: [named] }: Config, { sharedHost }: OpenStore): string =>
  sharedHost !== undefined && named !== undefined ? named : join(dataDir, "exports");

/** Returns the project of a directory's repository, and reserves its name for that repository. */
function findProject(dataDir: string, cwd: string): string | undefined {
  const found = findGitProject({ cwd, home: homedir(), dataDir });
  if (found) claimProjectRoot(dataDir, found.name, found.root);
  return found?.name;
}

const notOffered = (what: "backup" | "reindex") => async () => {
  throw storageFailure("not_offered", { what });
};

/** Exported here, because a separate chunk would split the code shared with `createApp` into many files. */
export { serveLanguage } from "./lsp/language-server.ts";

const patienceMs = 1_500;

/**
 * Returns the store that an Observatory at this URL shows, or `closed` if no program listens there. Returns `undefined`
 * for any other program, and for an Observatory that requires the token, because the token is never sent to an unknown
 * server.
 */
async function readShownStore(address: string): Promise<string | "closed" | undefined> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const answer = await fetch(`${address}/api/health`, { signal, redirect: "error" });
    const health = (await answer.json()) as Record<string, unknown> | null;
    const isObservatory = health?.["status"] === "ok" && "viewers" in health && "workspace" in health;
    return isObservatory ? String(health["store"]) : undefined;
  } catch (thrown) {
    const { cause } = thrown as { cause?: { code?: string } };
    return cause?.code === "ECONNREFUSED" ? "closed" : undefined;
  }
}

/** Returns the URL of an Observatory that shows this store, whatever its port. */
async function findObservatory(dataDir: string, store: string): Promise<string | undefined> {
  const asked = readObservatories(dataDir).map((noted) => ({ ...noted, answer: readShownStore(noted.url) }));
  for (const { url, forget, answer } of asked) {
    const shown = await answer;
    if (shown === store) return url;
    // The process of that Observatory was killed, or another program is using the port now.
    if (shown !== undefined) forget();
  }
  return undefined;
}
