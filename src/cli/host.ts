import type { PortState } from "../http/connection/try-port.ts";
import type { SecretsPolicy } from "../kernel/secrets/secrets-policy.ts";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { Perform } from "../operations/pipeline/perform.ts";
import type { Capture } from "../ports/capture.ts";
import type { Clients } from "../ports/clients.ts";
import type { LedgerDump } from "../ports/ledger-dump.ts";
import type { ImportOptions, ImportReport } from "../ports/ledger-import.ts";
import type { LedgerStore } from "../ports/ledger-store.ts";
import type { MemoryUpkeep } from "../ports/memory/memory-store.ts";
import type { SandboxReport } from "../ports/notebook/cell-runner.ts";
import type { NotebookArchive, NotebookFiles, NotebookReport } from "../ports/notebook/notebook-archive.ts";
import type { CommitHook } from "../ports/repository.ts";
import type { MigrationOptions, MigrationReport } from "../ports/store.ts";
import type { TranscriptFiles } from "../ports/transcript-files.ts";
import type { LedgerTree } from "../ports/tree.ts";
import type { DirectoryInspection, LedgerUpkeep, Trash } from "../ports/upkeep.ts";

/** What the commands need from the running program. `main.ts` provides it. */
export type Host = LedgerDump & {
  perform: Perform;
  /** The current project. `isChosen` is true if an option, a variable or config.json names the project. */
  project: { name: string; isChosen: boolean };
  ledger: Pick<LedgerStore, "readEntries">;
  /** Prepares stored text for a reader, if a command does not read it through `perform`. */
  forReader: SecretsPolicy["forAnswer"];
  upkeep: Required<Omit<LedgerUpkeep, "scrub">> & Pick<MemoryUpkeep, "inspectMemory">;
  /** `undefined` if the storage has no JSON files. */
  tree: LedgerTree | undefined;
  inspectNotebooks: NotebookArchive["inspectNotebooks"];
  /** `undefined` if the storage has no files. */
  notebookFiles: NotebookFiles | undefined;
  transcripts: TranscriptFiles;
  capture: Capture;
  importTree(
    directory: string,
    options?: ImportOptions,
  ): Promise<ImportReport & { notebooks: NotebookReport }>;
  /** Counts the sessions in the data directory's files that the store does not contain. */
  countUnknownSessions(signal?: AbortSignal): Promise<{ directory: string; sessions: number }>;
  trash: Trash;
  migrate(options: MigrationOptions): Promise<MigrationReport>;
  inspectDirectory(): DirectoryInspection;
  /** `mcp`: an MCP server already uses the port. */
  probePort(): Promise<PortState | "mcp">;
  inspectSandbox(): Promise<SandboxReport>;
  /** `project` is the default for clients that do not name one. */
  serveHttp(): Promise<Service & { project: string }>;
  observatoryEnabled: boolean;
  /** `mcpPort`: the port on which this process serves MCP, if it does. */
  serveObservatory(options?: { mcpPort?: number }): Promise<Service & { token: string }>;
  /** Listens for hooks from this user's clients. */
  serveHooks(): Promise<{ stop(): Promise<void> }>;
  /** Whether an Observatory in any process answers at this URL, and which store it shows. */
  isObservatory(address: string): Promise<false | "same store" | "another store">;
  /** The URL of a running Observatory that shows this store. */
  findObservatory(): Promise<string | undefined>;
  close(): Promise<void>;
};

export type Service = {
  port: number;
  host: string;
  auth: "auto" | "token" | "off";
  /** `undefined` if the operator set the token. */
  tokenFile: string | undefined;
  stop(): Promise<void>;
};

export type Server = Pick<
  Host,
  | "serveHttp"
  | "serveObservatory"
  | "serveHooks"
  | "capture"
  | "observatoryEnabled"
  | "isObservatory"
  | "findObservatory"
  | "close"
>;

export type StdioServer = { serve(stop: AbortSignal): Promise<void>; close(): Promise<void> };

/** A setting's current value. The value of a secret is never shown. */
export type ShownSetting = { key: string; value: unknown; source: string; secret: boolean };

/** Settings that override the environment, keyed by the names of their variables. */
export type Settings = Record<string, string>;

/**
 * The commands' only connection to the outside world. All input and output of the commands passes through
 * this object.
 */
export type Terminal = {
  /**
   * Opens the store for a server. Events may go to stdout. `settings` override the environment, which overrides
   * `defaults`.
   */
  openServer(settings?: Settings, defaults?: Settings): Server | Promise<Server>;
  openStdio(settings: Settings): Promise<StdioServer>;
  /** Serves an editor on stdin and stdout until it disconnects. Resolves with the exit code. */
  serveLanguage(settings?: Settings): Promise<number>;
  /**
   * Opens the store for one command. Stdout is for the command's answer, so events that would go to stdout go to
   * stderr.
   */
  openStore(settings?: Settings): Host | Promise<Host>;
  /** Throws the message about the first invalid setting. */
  settings(overrides?: Settings): readonly ShownSetting[];
  /** The programs that `connect` sets up. */
  clients(overrides?: Settings): Clients | Promise<Clients>;
  /** The git hook that adds the session to commit messages. */
  commitHook(overrides?: Settings): CommitHook | Promise<CommitHook>;
  /** Whether transcripts may be read. `undefined` if the person has not been asked yet. */
  consent: {
    /** Set if other people may read the store too. Each project then needs its own consent. */
    place(overrides?: Settings): { host: string; project: string } | undefined;
    read(overrides?: Settings): "on" | "off" | undefined;
    save(answer: "on" | "off", overrides?: Settings): void;
  };
  /** Settings that have no effect, one sentence each. */
  unknownSettings(): readonly string[];
  catalogue: readonly Operation[] | Promise<readonly Operation[]>;
  version: string;
  nodeVersion: string;
  out(text: string): void;
  error(text: string): void;
  /** Writes to stderr unchanged, for progress lines. Never used for stored text. */
  draw(text: string): void;
  readInput(): Promise<string>;
  /** Asks the person at the terminal. Returns `undefined` if the answer is neither yes nor no. */
  confirm(question: string): Promise<boolean | undefined>;
  inputIsTerminal: boolean;
  errorIsTerminal: boolean;
  columns: number;
  /** A random mark before each colour code that Thoughtbox prints. Stored text cannot guess this mark. */
  colourMark: string;
  /** True if the output should be coloured when `--color` is not given. */
  wantsColour: boolean;
  /** Shows a long text page by page. `undefined` if the output is not a terminal. Returns false if no pager starts. */
  page: ((lines: readonly string[]) => Promise<boolean>) | undefined;
  /** Opens a URL in the person's browser. Returns false if this machine has none. */
  browse(address: string): Promise<boolean>;
  /** Changes one setting in config.json. If there is no value, removes the setting. */
  saveSetting(
    named: string,
    value: string | undefined,
    overrides?: Settings,
  ): { key: string; file: string; overruledBy: string | undefined };
  now(): Date;
  /** Relative paths start here. */
  directory: string;
  /** Fires on SIGTERM or SIGINT. */
  stop: AbortSignal;
  /** `undefined` if THOUGHTBOX_TRANSPORT is not set. */
  transport: "stdio" | "http" | undefined;
  writeFile(path: string, content: string): Promise<void>;
  readFile(path: string): Promise<string>;
};
