import { slugProject } from "../../domain/ledger/project.ts";
import type { AppendReceipt, AppendRequest, Once } from "../../domain/ledger/requests.ts";
import type { Session, SessionState } from "../../domain/ledger/session.ts";
import type { Agent } from "../../domain/memory/agents.ts";
import type { GraphMerge, GraphMergeOutcome } from "../../domain/memory/steps/outcomes.ts";
import type { MemoryStep, Outcomes } from "../../domain/memory/steps/step.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type ErrorCode, type FailureOptions, ThoughtboxError } from "../../kernel/errors.ts";
import type { Suggestion, Warning } from "../../kernel/reply.ts";
import type { SecretsPolicy } from "../../kernel/secrets/secrets-policy.ts";
import type { Actions, Remarks } from "../../ports/actions.ts";
import type { Content, ExportFiles, ToolVisibility } from "../../ports/content.ts";
import type { Conversations, Origin } from "../../ports/conversations.ts";
import type { LedgerEvent } from "../../ports/events.ts";
import type { Feed } from "../../ports/feed.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import type { LedgerImport } from "../../ports/ledger-import.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { MergeOptions } from "../../ports/memory/graph.ts";
import type { MemoryStore, Workspace } from "../../ports/memory/memory-store.ts";
import type { CellRunner } from "../../ports/notebook/cell-runner.ts";
import type { NotebookStore } from "../../ports/notebook/notebook-store.ts";
import type { Repositories } from "../../ports/repository.ts";
import type { TranscriptFiles } from "../../ports/transcript-files.ts";
import type { LedgerTree } from "../../ports/tree.ts";
import type { Spoken } from "../memory/hooks/spoken.ts";
import type { OpenPlans } from "../memory/transcripts/read-transcript.ts";
import type { Operation } from "./operation.ts";

/** Accepts only the codes that the operation declares. */
export type Fail<Code extends ErrorCode> = (code: Code, message: string, options?: FailureOptions) => never;

export type Root = { uri: string; name?: string | undefined };

/** The client's answers to questions. An answer is `undefined` until the client has been asked. */
export type Answers = {
  roots?: readonly Root[] | { failed: string; isLate?: true } | undefined;
  critique?: { text: string; model: string } | { failed: string; unsupported?: true } | undefined;
  /** State from the first run of this call. The state is signed, so only this server can have written it. */
  state?: Record<string, unknown> | undefined;
};

export type Settings = {
  version: string;
  project: string;
  projectLock: boolean;
  staged: boolean;
  secrets: SecretsPolicy;
  autoCreateSession: boolean;
  reasoningSessionId?: string | undefined;
  partitionGranularity: "monthly" | "weekly" | "daily" | "none";
  autoExport: boolean;
  /** True if answers contain exports, because callers cannot read this server's files. */
  exportsInline: boolean;
  suggestions: boolean;
  /** Overrides the workspace that is named after the caller's project. */
  workspace?: string | undefined;
  workspaceLock: boolean;
  workspaceAllow: readonly string[];
  projectGuard?: string | undefined;
  agentId?: string | undefined;
  /** True if the user agreed to capture transcripts. Checked on every call. */
  mayCapture(cwd?: string): boolean;
  /** `note` notifies the agent after its call. `deny-once` stops each call at most once. */
  beforeAction: "off" | "note" | "deny-once";
  /** The data directory, `:memory:` or `postgres`. */
  storageDir: string;
};

type ProjectLock = Pick<Settings, "project" | "projectLock">;

/** `undefined` without a lock. */
export const onlyProject = ({ project, projectLock }: ProjectLock): string | undefined =>
  projectLock ? project : undefined;

/** False if the server is locked to another project. The caller then cannot see the project. */
export const isReachable = (lock: ProjectLock, project: string): boolean =>
  (onlyProject(lock) ?? project) === project;

/** Created once, in `app.ts`, and shared by all calls. */
export type Services = {
  catalogue: readonly Operation[];
  settings: Settings;
  ledger: LedgerStore;
  conversations: Conversations;
  actions: Actions;
  remarks: Remarks;
  repositories: Repositories;
  /** The directory in which the server was started. Relative paths start here. */
  workingDirectory: string;
  /**
   * The project of the repository around a folder on this machine. `undefined` if the folder is outside any repository.
   * `claim` reserves the name for this repository.
   */
  findRepositoryProject(folder: string): { name: string; claim(): void } | undefined;
  imports: LedgerImport;
  memory: MemoryStore;
  feed: Pick<Feed, "readFeed" | "lastSeq">;
  knowledge: KnowledgeStore;
  notebooks: NotebookStore;
  cells: CellRunner;
  discovery: ToolVisibility;
  content: Content;
  exports: ExportFiles;
  transcripts: TranscriptFiles;
  plans: OpenPlans;
  /** Notices sent to running agents before they acted. */
  spoken: Spoken;
  /** The ledger as JSON files. `undefined` if the storage has none. */
  tree: LedgerTree | undefined;
  clock: Clock;
  newId(): string;
  newSalt(): string;
  /** Receives the causes of INTERNAL_ERROR and STORAGE_ERROR, for the log. Callers never see them. */
  report(thrown: unknown): void;
};

/** In handlers, the type of `fail` allows only the codes that the operation declares. */
export const fail: Fail<ErrorCode> = (code, message, options) => {
  throw new ThoughtboxError(code, message, options);
};

/**
 * State that a legacy connection keeps per conversation: the active session, stage and project. The modern
 * protocol has no connections. In that protocol, the conversation identifies the session, and the stage is stored with
 * the session.
 */
export type Binding = SessionState & {
  sessionId?: string | undefined;
  project?: string | undefined;
  /** The connection's ID, which this server generated. */
  id?: string | undefined;
  /**
   * Set after the full notation has been sent over this connection. The stage does not show whether it has
   * been sent.
   */
  cipherRead?: true;
  /**
   * Set after the client has been asked for its roots. `project` is the project that the roots chose.
   * `wasLate` is set while a client that did not answer in time may be asked once more.
   */
  roots?: { project: string | undefined; isOutdated?: true; wasLate?: true } | undefined;
};

/** The conversation to which this call belongs, as the client reports it. */
export type Conversation = {
  id: string;
  /** Set for a sub-agent that can be distinguished from the agent that started it. */
  agent?: string | undefined;
};

/** State that a stdio server keeps while only one client uses it. */
type LoneMemory = { readonly id: string; sessionId?: string | undefined };

export type Caller = {
  era: "legacy" | "modern";
  transport: "stdio" | "http" | "cli" | "library";
  principal?: string | undefined;
  /** The name that the client gives itself. Absent on the command line and in a program that embeds Thoughtbox. */
  client?: string | undefined;
  conversation?: Conversation | undefined;
  /** The client's ID for this call, as in its transcript. */
  toolUse?: string | undefined;
  /** The project in the URL that the client was given. */
  project?: string | undefined;
  /** Set only for legacy connections. */
  binding?: Binding | undefined;
  /** Present for modern clients over stdio. */
  lone?: LoneMemory | undefined;
  /** False for third-party web pages. Such a page may read and record, but never run code. */
  mayRunCells?: boolean | undefined;
  hasToken?: boolean | undefined;
  /**
   * True for a program that the user of this server runs on the same machine. Such a program could read the
   * same files directly.
   */
  isOwnProcess?: boolean | undefined;
  /** The questions that the client declared it can answer. */
  can: { roots: boolean; sampling: boolean };
};

export const toProjectName = (text: string): string => slugProject(text.slice(0, 200));

/**
 * Returns the project of a call that does not name one. The client's bound project takes precedence over the
 * project in its URL, which takes precedence over the server's.
 */
export const ownProject = (
  { binding, project }: Pick<Caller, "binding" | "project">,
  settings: ProjectLock,
): string => onlyProject(settings) ?? binding?.project ?? project ?? settings.project;

/** Reads the caller's project. If nothing matches there, reads all projects, unless the server is locked to one. */
export async function readOwnFirst<Found>(
  { own, only }: { own: string; only: string | undefined },
  read: (project: string | undefined) => Promise<Found>,
  isEmpty: (found: Found) => boolean,
): Promise<Found> {
  const found = await read(own);
  return only !== undefined || !isEmpty(found) ? found : read(undefined);
}

/** Returns how the store identifies the caller, or `undefined` if the caller is not an MCP client. */
export const originOf = (
  { principal = "", client, conversation, toolUse, project }: Caller,
  serverProject: string,
): Origin | undefined =>
  client === undefined
    ? undefined
    : { principal, project: project ?? serverProject, client, conversation: conversation?.id ?? "", toolUse };

export const isRemembered = ({ conversation, binding, lone }: Caller): boolean =>
  (conversation ?? binding ?? lone) !== undefined;

export function createBinding(): Binding {
  return { stage: 0, navigation: {} };
}

export type Collected = { warnings: Warning[]; suggestions: Suggestion[]; events: LedgerEvent[] };

/**
 * The context of every handler. A helper that may fail takes `BaseContext<"UNKNOWN_ID">`, so that operations that use
 * it must declare the code.
 */
export type BaseContext<Code extends ErrorCode = never> = Services & {
  caller: Caller;
  /** True if the call came through the gateway, so that the client cannot have asked its user about it. */
  viaGateway: boolean;
  /** Set if the call has an `idempotencyKey`. */
  once: Once | undefined;
  answers: Answers;
  signal: AbortSignal;
  fail: Fail<Code>;
  progress(done: number, total: number, message: string): void;
  /** Shown only if the call succeeds. */
  warn(warning: Warning): void;
  /** The caller must be able to send the suggested call unchanged. */
  suggest(suggestion: Suggestion): void;
  /** Published when the handler ends, even if a later stage fails. */
  emit(event: LedgerEvent): void;
};

/** The session that a call works on, and the stage its caller has reached. */
export type CallerState = SessionState & {
  sessionId: string | undefined;
  session: Session | undefined;
  isNamed: boolean;
  project: string;
};

export type CallerStateChange = Partial<SessionState> & { sessionId?: string; project?: string };

/** Scope `caller` and `own`: the caller's state in the ledger. */
export type OperationContext<Code extends ErrorCode = never> = BaseContext<Code> & {
  callerState: CallerState;
  /**
   * Changes the caller's binding and the state stored with the session. If `isStored` is true, the session's
   * state is already stored, and only the binding changes.
   */
  changeCallerState(change: CallerStateChange, isStored?: boolean): Promise<void>;
};

/** Scope `session`: the call has a session. */
export type SessionContext<Code extends ErrorCode = never> = OperationContext<Code> & {
  callerState: { sessionId: string; session: Session };
};

/** Scope `workspace`: the memory, within one workspace. */
export type MemoryContext<Code extends ErrorCode = never> = BaseContext<Code> & {
  workspace: string;
  /** The default workspace of this caller. */
  ownWorkspace: string;
  /** The workspace as this caller saw it when the call arrived. `undefined` before the first write to the workspace. */
  state: Workspace | undefined;
  /** Empty if the caller cannot be identified. */
  agent: Agent;
  writes: boolean;
  /** Commits all steps or none, in one transaction. */
  commit<const Steps extends readonly MemoryStep[]>(steps: Steps): Promise<Outcomes<Steps>>;
  /** Commits a thought and the steps that follow from it, in one transaction. */
  commitWith(
    request: AppendRequest,
    steps: (receipt: AppendReceipt) => readonly MemoryStep[],
  ): Promise<{ receipt: AppendReceipt; outcomes: readonly unknown[] }>;
  /** Merges all keys or none, regardless of how many there are. Stops if the caller cancels. */
  mergeGraph(merge: GraphMerge, onProgress: MergeOptions["onProgress"]): Promise<GraphMergeOutcome>;
};

export type ContextOf<Code extends ErrorCode> = {
  caller: OperationContext<Code>;
  own: OperationContext<Code>;
  session: SessionContext<Code>;
  workspace: MemoryContext<Code>;
};

export type Scope = keyof ContextOf<never>;
