import type { IncomingMessage } from "node:http";
import type { Session } from "../domain/ledger/session.ts";
import { isServedFromHere, readHost } from "../http/admission/authority.ts";
import type { Endpoint } from "../http/serve-endpoints.ts";
import type { Clock } from "../kernel/clock.ts";
import type { SecretsPolicy } from "../kernel/secrets/secrets-policy.ts";
import { shellWord } from "../kernel/text.ts";
import { readRemarks as readStanding } from "../operations/ledger/thought/remark.ts";
import { isReachable, onlyProject } from "../operations/pipeline/context.ts";
import type { Perform } from "../operations/pipeline/perform.ts";
import type { Actions, Remarks } from "../ports/actions.ts";
import type { Capture } from "../ports/capture.ts";
import type { FeedSubscriber } from "../ports/events.ts";
import type { Feed } from "../ports/feed.ts";
import type { LedgerStore } from "../ports/ledger-store.ts";
import type { MemoryStore } from "../ports/memory/memory-store.ts";
import type { NotebookStore } from "../ports/notebook/notebook-store.ts";
import type { Repository } from "../ports/repository.ts";
import { createAsk, readQuery } from "./api/answer.ts";
import { createApiRoute } from "./api/api-route.ts";
import { createRemarkRoute, type ReadRemarks } from "./api/beside-thoughts.ts";
import { answerMemory } from "./api/memory/memory-answers.ts";
import { answerSessions } from "./api/session-answers.ts";
import { createHub } from "./live/hub.ts";
import { createLiveEndpoint } from "./live/live-endpoint.ts";
import { defaultViewerLimits, type ViewerLimits } from "./live/viewer.ts";
import { createPageRoute } from "./page/page-route.ts";
import { createSessionShelf } from "./session/session-shelf.ts";
import type { ReadSigns, Signs } from "./session/to-wire.ts";
import { wire } from "./wire.ts";

export type ObservatoryOptions = {
  perform: Perform;
  ledger: Pick<
    LedgerStore,
    | "readSession"
    | "listSessions"
    | "readStride"
    | "readLatest"
    | "readHead"
    | "readThoughts"
    | "readCritiqueChain"
    | "countByProject"
    | "countMatches"
    | "readFirstAgents"
    | "findMatches"
  >;
  memory: Pick<
    MemoryStore,
    "readSteps" | "readOverview" | "listHeard" | "queryNodes" | "listNotes" | "listDocs" | "linkedCards"
  >;
  /** Workspaces in use that a call could name, most recently written first. */
  listWorkspaces(own: string): Promise<string[]>;
  remarks: Pick<Remarks, "readOfSession">;
  actions: Pick<Actions, "findChanges">;
  /** The repository that the server was started in. */
  openRepository(): Promise<Repository | undefined>;
  /**
   * The project that the command line would use in that repository. A server without a project uses it to find reasons.
   */
  projectHere: string;
  capture: Pick<Capture, "list" | "state">;
  /** When the last process that served a session or a conversation ended. */
  readDepartures(): ReadonlyMap<string, number>;
  notebooks: Pick<NotebookStore, "readNotebook" | "readRun" | "listRuns" | "listNotebooks" | "readHistory">;
  feed: Pick<Feed, "lastSeq">;
  follow: FeedSubscriber;
  /** The directory of the built page. */
  directory: string;
  version: string;
  /** The same for all servers that show this store. */
  identifyStore(): string;
  mcpUrl?: string | undefined;
  /** The command that starts this installation, as separate words. */
  program?: readonly string[] | undefined;
  settings: {
    project: string;
    projectLock: boolean;
    /** Additional workspaces that may be viewed. */
    workspaces: readonly string[];
    secrets: SecretsPolicy;
    maxConnections: number;
    /** True if pages from other origins may read the API. */
    httpApi: boolean;
  };
  clock: Clock;
  report(thrown: unknown): void;
  limits?: ViewerLimits;
  pingMs?: number;
  signsEveryMs?: number;
};

const pingMs = 30_000;
/** How often the most recently read transcripts are checked for activity. */
const signsEveryMs = 5_000;
const mostSigns = 200;
const sharedForMs = 500;
/** How many thoughts are read for the stories in the first rows of the session list, before the list is shown. */
const firstStories = 2_000;

function describeProgram([command = "", ...args]: readonly string[]) {
  return { command, args, shell: [command, ...args].map(shellWord).join(" ") };
}

/** Serves the Observatory's page, API and WebSocket. The Observatory writes nothing but remarks. */
export function createObservatoryEndpoint(options: ObservatoryOptions): Endpoint {
  const { ledger, notebooks, settings, clock, report } = options;
  const startedAt = clock().toISOString();
  const mask = settings.secrets.forPage;
  const shelf = createSessionShelf(ledger, mask);
  const ask = createAsk(options.perform);
  const isShown = (project: string) => isReachable(settings, project);
  async function readSession(sessionId: string): Promise<Session | undefined> {
    const session = (await ledger.readSession(sessionId))?.session;
    return session && isShown(session.project) ? session : undefined;
  }
  const readRemarks: ReadRemarks = async (sessionId) =>
    (await readStanding(options.remarks, sessionId)).map(({ branchId, comments, ...remarks }) => ({
      ...remarks,
      ...(branchId !== undefined && { branchId }),
      comments: comments.map(({ text, ...comment }) => ({ ...comment, text: mask(text) })),
    }));
  const readSigns = createSigns(options);
  const source = {
    ask,
    capture: options.capture,
    actions: options.actions,
    openRepository: options.openRepository,
    ownProject: options.projectHere,
    askHere: createAsk(options.perform, options.projectHere),
    onlyProject: onlyProject(settings),
    ledger,
    notebooks,
    shelf,
    mask,
    readSession,
    readRemarks,
    readSigns,
    isShown,
  };
  const newest = () =>
    answerSessions(source, readQuery(new URLSearchParams({ limit: `${wire.sessionsPage}` })), firstStories);
  const isWelcome = (req: IncomingMessage) => settings.httpApi || isFromHere(req);

  /** Reads the default workspace, which the memory determines. */
  const readWorkspace = async () => String((await ask("status", {}))["workspace"]);

  const hub = createHub({
    ...source,
    feed: options.feed,
    follow: options.follow,
    signsEveryMs: options.signsEveryMs ?? signsEveryMs,
    listSessions: async () => {
      const { sessions, total } = await newest();
      return { sessions, total };
    },
    report,
  });
  const live = createLiveEndpoint({
    hub,
    maxConnections: settings.maxConnections,
    limits: options.limits ?? defaultViewerLimits,
    pingMs: options.pingMs ?? pingMs,
    isWelcome,
    report,
  });
  const api = createApiRoute({
    ...source,
    health: async () => ({
      status: "ok",
      version: options.version,
      project: onlyProject(settings) ?? "*",
      workspace: await readWorkspace(),
      store: options.identifyStore(),
      ...(options.mcpUrl !== undefined && { mcpUrl: options.mcpUrl }),
      ...(options.program && { program: describeProgram(options.program) }),
      viewers: live.viewers,
      startedAt,
    }),
    listWorkspaces: async () => options.listWorkspaces(await readWorkspace()),
    memory: async (name, query) =>
      answerMemory(
        {
          ask,
          mask,
          ...options.memory,
          workspaces: settings.workspaces,
          listWorkspaces: options.listWorkspaces,
          workspace: await readWorkspace(),
        },
        name,
        query,
      ),
    isWelcome,
    clock,
    report,
  });
  return {
    routes: [createRemarkRoute({ ask, isOwnPage, report }), api, createPageRoute(options.directory)],
    upgrades: live.upgrades,
    endStreams: live.close,
    close: () => {},
  };
}

/** Reads signs of activity. List and update requests within a short time share one read. */
function createSigns({
  capture,
  readDepartures,
}: Pick<ObservatoryOptions, "capture" | "readDepartures">): ReadSigns {
  let known: ReturnType<ReadSigns> | undefined;
  async function read() {
    const { files } = await capture.list(mostSigns);
    const departures = readDepartures();
    const signs = new Map<string, Signs>();
    for (const [id, leftAt] of departures) signs.set(id, { leftAt });
    // Files are in order of their last read, latest first.
    for (const { sessionId, modifiedMs, path, running } of files) {
      if (sessionId === undefined) continue;
      const before = signs.get(sessionId);
      const leftAt =
        before?.leftAt ?? [...departures].find(([conversation]) => path.includes(conversation))?.[1];
      const isLatest = before?.at === undefined;
      signs.set(sessionId, {
        at: Math.max(modifiedMs, before?.at ?? 0),
        leftAt,
        running: isLatest ? running : before.running,
      });
    }
    return signs;
  }
  return () => {
    known ??= read().finally(() => setTimeout(() => (known = undefined), sharedForMs).unref());
    return known;
  };
}

/**
 * True if a request comes from our own page or from no page. Programs send no Origin, and neither do same-origin reads.
 */
const isFromHere = (req: IncomingMessage): boolean => req.headers.origin === undefined || isOwnPage(req);

function isOwnPage(req: IncomingMessage): boolean {
  const { origin } = req.headers;
  const host = readHost(req.rawHeaders);
  return origin !== undefined && host !== undefined && isServedFromHere(origin, host, req.socket.localPort);
}
