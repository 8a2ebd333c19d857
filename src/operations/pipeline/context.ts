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
import type { OpenPlans } from "../memory/transcripts/open-plans.ts";
import type { Operation } from "./operation.ts";

/** Ends the call with one of the codes that the operation declares; another one does not compile. */
export type Fail<Code extends ErrorCode> = (code: Code, message: string, options?: FailureOptions) => never;

export type Root = { uri: string; name?: string | undefined };

/** The client's answer to a question; `undefined` before it was asked. */
export type Answers = {
  roots?: readonly Root[] | { failed: string } | undefined;
  critique?: { text: string; model: string } | { failed: string; unsupported?: true } | undefined;
  /** What the first run of this call stored. Only this server can have written it. */
  state?: Record<string, unknown> | undefined;
};

/** What the operator decided; see `config.ts` for where it comes from. */
export type Settings = {
  version: string;
  project: string;
  projectLock: boolean;
  staged: boolean;
  secrets: SecretsPolicy;
  autoCreateSession: boolean;
  reasoningSessionId?: string | undefined;
  partitionGranularity: "monthly" | "weekly" | "daily" | "none";
  /** Whether a finished session is written to the exports directory by itself. */
  autoExport: boolean;
  /** Exports are part of the answer, because no caller could reach a file of this server. */
  exportsInline: boolean;
  /** Whether answers to thoughts may suggest fields to use. */
  suggestions: boolean;
  /** The workspace of calls that name none; by default named after the caller's project. */
  workspace?: string | undefined;
  workspaceLock: boolean;
  workspaceAllow: readonly string[];
  projectGuard?: string | undefined;
  agentId?: string | undefined;
  /** Whether the person agreed that transcripts of their agents are recorded. Asked again each time. */
  mayCapture(cwd?: string): boolean;
  /** What `before_action` may do: nothing, notify the agent after its call, or stop a call once. */
  beforeAction: "off" | "note" | "deny-once";
  /** The directory of the store, `:memory:` or `postgres`. */
  storageDir: string;
};

type ProjectLock = Pick<Settings, "project" | "projectLock">;

/** The one project that a locked server knows; `undefined` without a lock. */
export const onlyProject = ({ project, projectLock }: ProjectLock): string | undefined =>
  projectLock ? project : undefined;

/** With a project lock, whatever belongs to another project does not exist. */
export const isReachable = (lock: ProjectLock, project: string): boolean =>
  (onlyProject(lock) ?? project) === project;

/** What all calls share; built once, in `app.ts`. */
export type Services = {
  catalogue: readonly Operation[];
  settings: Settings;
  ledger: LedgerStore;
  conversations: Conversations;
  /** What agents did besides thinking. */
  actions: Actions;
  /** What people said of thoughts. */
  remarks: Remarks;
  /** Git, as far as it is needed to find out who wrote a line. */
  repositories: Repositories;
  /** Where the server was started: what relative paths begin at. */
  workingDirectory: string;
  imports: LedgerImport;
  memory: MemoryStore;
  /** Everything that happens, in order. */
  feed: Pick<Feed, "readFeed" | "lastSeq">;
  knowledge: KnowledgeStore;
  notebooks: NotebookStore;
  /** Runs the code of notebooks. */
  cells: CellRunner;
  discovery: ToolVisibility;
  content: Content;
  exports: ExportFiles;
  /** What other programs left of their sessions on this machine. */
  transcripts: TranscriptFiles;
  /** Transcripts that this process reads on. */
  plans: OpenPlans;
  /** The notices that this process sent to running agents before they acted. */
  spoken: Spoken;
  /** The ledger as JSON files; `undefined` where the storage keeps none. */
  tree: LedgerTree | undefined;
  clock: Clock;
  newId(): string;
  newSalt(): string;
};

/** Handlers get it typed with the codes that they declare. */
export const fail: Fail<ErrorCode> = (code, message, options) => {
  throw new ThoughtboxError(code, message, options);
};

/**
 * What a legacy connection remembers of each conversation over it: its active session, stage and project. The
 * modern protocol has no connections: there the conversation takes its place, and the stage is stored with
 * the session.
 */
export type Binding = SessionState & {
  sessionId?: string | undefined;
  project?: string | undefined;
  /** Of the connection, made up by us. */
  id?: string | undefined;
  /** Whether the whole notation was sent over this connection. The stage does not show that. */
  cipherRead?: true;
};

/** What the client says this call belongs to. */
export type Conversation = {
  id: string;
  /** Set for a sub-agent that can be distinguished from the agent that started it. */
  agent?: string | undefined;
};

/** What a stdio server remembers as long as one client alone speaks to it. */
type LoneMemory = { readonly id: string; sessionId?: string | undefined };

export type Caller = {
  era: "legacy" | "modern";
  transport: "stdio" | "http" | "cli" | "library";
  /** The admitted user, if a token was required. */
  principal?: string | undefined;
  /** What the client calls itself; absent on the command line and in a program that embeds us. */
  client?: string | undefined;
  /** Absent if the client does not name it. */
  conversation?: Conversation | undefined;
  /** The client's name for this one call, as its transcript has it. */
  toolUse?: string | undefined;
  /** What the address that the client was given names. */
  project?: string | undefined;
  /** Present exactly for legacy connections. */
  binding?: Binding | undefined;
  /** Present for modern clients over stdio. */
  lone?: LoneMemory | undefined;
  /** False for web pages that are not ours: they may read and record, but never run code. */
  mayRunCells?: boolean | undefined;
  /** Whether a token was shown. */
  hasToken?: boolean | undefined;
  /** What the client declared it can be asked for. */
  can: { roots: boolean; sampling: boolean };
};

/** Any text as the name of a project. */
export const toProjectName = (text: string): string => slugProject(text.slice(0, 200));

/** The project of calls that name none: what the client bound itself to, else its address, else the server's own. */
export const ownProject = (
  { binding, project }: Pick<Caller, "binding" | "project">,
  settings: ProjectLock,
): string => onlyProject(settings) ?? binding?.project ?? project ?? settings.project;

/** How the store identifies the caller; `undefined` if it is not an MCP client. */
export const originOf = (
  { principal = "", client, conversation, toolUse, project }: Caller,
  serverProject: string,
): Origin | undefined =>
  client === undefined
    ? undefined
    : { principal, project: project ?? serverProject, client, conversation: conversation?.id ?? "", toolUse };

/** Whether a later call of the same caller can be known as its own. */
export const isRemembered = ({ conversation, binding, lone }: Caller): boolean =>
  (conversation ?? binding ?? lone) !== undefined;

export function createBinding(): Binding {
  return { stage: 0, navigation: {} };
}

/** What a handler leaves behind beside its answer. */
export type Collected = { warnings: Warning[]; suggestions: Suggestion[]; events: LedgerEvent[] };

/** What every handler works with. A helper that may fail takes `BaseContext<"UNKNOWN_ID">`: who calls it must declare that. */
export type BaseContext<Code extends ErrorCode = never> = Services & {
  caller: Caller;
  /** The call came through the one tool for everything, so that the client cannot have asked its user about this one. */
  viaGateway: boolean;
  /** Set when the caller gave an idempotencyKey. */
  once: Once | undefined;
  answers: Answers;
  signal: AbortSignal;
  fail: Fail<Code>;
  progress(done: number, total: number, message: string): void;
  /** Rides along with a successful answer. */
  warn(warning: Warning): void;
  /** A next call, sent with the answer. It works unchanged. */
  suggest(suggestion: Suggestion): void;
  /** Published when the handler ends, even if it failed afterwards. */
  emit(event: LedgerEvent): void;
};

/** The session a call works on, and what its holder has reached. */
export type CallerState = SessionState & {
  sessionId: string | undefined;
  session: Session | undefined;
  /** The call itself names the session. */
  isNamed: boolean;
  project: string;
};

export type CallerStateChange = Partial<SessionState> & { sessionId?: string; project?: string };

/** Scope `caller` and `own`: the caller's state in the ledger. */
export type OperationContext<Code extends ErrorCode = never> = BaseContext<Code> & {
  callerState: CallerState;
  /** Changes the caller's state: its binding, and what is stored with the session. */
  changeCallerState(change: CallerStateChange): Promise<void>;
};

/** Scope `session`: there is one. */
export type SessionContext<Code extends ErrorCode = never> = OperationContext<Code> & {
  callerState: { sessionId: string; session: Session };
};

/** Scope `workspace`: the memory, within one workspace. */
export type MemoryContext<Code extends ErrorCode = never> = BaseContext<Code> & {
  workspace: string;
  /** The workspace of the caller's calls that name none. */
  ownWorkspace: string;
  /** As it was for this caller when the call came in; `undefined` until something was written there. */
  state: Workspace | undefined;
  /** Who calls, if the caller can be identified. */
  agent: Agent;
  /** The operation changes something. */
  writes: boolean;
  /** One transaction: all steps or none. */
  commit<const Steps extends readonly MemoryStep[]>(steps: Steps): Promise<Outcomes<Steps>>;
  /** A thought and the steps that follow from it, in one transaction. */
  commitWith(
    request: AppendRequest,
    steps: (receipt: AppendReceipt) => readonly MemoryStep[],
  ): Promise<{ receipt: AppendReceipt; outcomes: readonly unknown[] }>;
  /** Whole or not at all, whatever the number of keys; ends when the caller cancels. */
  mergeGraph(merge: GraphMerge, onProgress: MergeOptions["onProgress"]): Promise<GraphMergeOutcome>;
};

/** What a handler gets, by the scope that its operation declares. */
export type ContextOf<Code extends ErrorCode> = {
  caller: OperationContext<Code>;
  own: OperationContext<Code>;
  session: SessionContext<Code>;
  workspace: MemoryContext<Code>;
};

export type Scope = keyof ContextOf<never>;
