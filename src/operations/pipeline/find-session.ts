import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import type { Session, SessionRecord } from "../../domain/ledger/session.ts";
import { capturedSessionOf } from "../../domain/transcripts/session/describe-session.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import type { Warning } from "../../kernel/reply.ts";
import { quote } from "../../kernel/text.ts";
import type { ConversationKey } from "../../ports/conversations.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import {
  type Caller,
  type CallerState,
  type Fail,
  isReachable,
  onlyProject,
  originOf,
  ownProject,
  type Services,
  type Settings,
} from "./context.ts";
import type { Args, Operation } from "./operation.ts";

/** Reads a session. Returns `undefined` if it does not exist or a project lock hides it. */
export async function readSession(
  ledger: LedgerStore,
  settings: Settings,
  id: string,
  isRecalled = false,
): Promise<SessionRecord | undefined> {
  if (!sessionIdPattern.test(id)) return undefined;
  const record = await (isRecalled ? ledger.recallSession(id) : ledger.readSession(id));
  return record && isReachable(settings, record.session.project) ? record : undefined;
}

const loadLatest = {
  hint: "The ID latest works only for reads. Load the latest session, then pass its sessionId.",
  operation: "load_context",
  args: { latest: true },
};

export const unknownSession = (refuse: Fail<"SESSION_NOT_FOUND">, id: string): never =>
  refuse("SESSION_NOT_FOUND", `No session has the ID ${quote(id, 60)}.`, {
    recovery:
      id === latestWord
        ? loadLatest
        : {
            hint: isPrefix(id)
              ? "The first characters of an ID work only in this project. To delete or restore a session, pass the whole ID. List your project's sessions and pick one."
              : "List your project's sessions and pick one.",
            operation: "list_sessions",
            args: {},
          },
  });

/** The form of an ID's beginning. Listings show 8 characters, and a full ID has 36. */
const prefixForm = "[0-9a-f]{8}[0-9a-f-]{0,27}";
const prefixPattern = new RegExp(`^${prefixForm}$`);
const branchPattern = new RegExp(`^session/${prefixForm}$`);

const isPrefix = (text: string): boolean => prefixPattern.test(text);

const maxCandidates = 5;

type Lookup = {
  ledger: LedgerStore;
  settings: Pick<Settings, "project" | "projectLock">;
  project: string;
};

/**
 * Completes the beginning of an ID if exactly one session in the project matches it. Returns any other text unchanged.
 * Sessions in other projects are never searched.
 */
export async function completeSessionId(lookup: Lookup, named: string): Promise<string> {
  if (!isPrefix(named)) return named;
  const { ledger, settings } = lookup;
  const project = onlyProject(settings) ?? lookup.project;
  const query = { project, prefix: named, limit: maxCandidates + 1 };
  const [only, ...others] = await ledger.findSessionIds(query);
  if (only === undefined) return named;
  if (others.length === 0) return only;
  throw severalSessions(named, [only, ...others]);
}

function severalSessions(named: string, ids: readonly string[]): ThoughtboxError {
  const candidates = ids.slice(0, maxCandidates);
  const more = ids.length > candidates.length ? " and others" : "";
  return new ThoughtboxError(
    "SESSION_NOT_FOUND",
    `Several session IDs begin with ${quote(named)}: ${candidates.join(", ")}${more}. Pass the whole ID.`,
    {
      details: { candidates },
      recovery: { hint: "List the sessions to find the one you mean.", operation: "list_sessions", args: {} },
    },
  );
}

/** Memory fields that contain a branch, or an item on one. */
const branchFields = ["branch", "ref", "from", "to", "into", "target"];

/**
 * Completes every shortened session ID in a call, so that later stages see only full IDs. Destructive
 * operations require the full ID. Operations with the `own` scope look up sessions themselves.
 */
export async function spellOutSessions(
  { ledger, settings }: Services,
  { scope, effect, family }: Operation,
  args: Args,
  caller: Caller,
): Promise<Args> {
  if (scope === "own" || effect === "destroy") return args;
  const project = ownProject(caller, settings);
  const complete = (id: string) => completeSessionId({ ledger, settings, project }, id);
  const spelled: Args = {};
  const { sessionId, recordAs, options } = args;
  if (sessionId === latestWord && effect === "read")
    spelled["sessionId"] =
      (await findLatestSession({ ledger }, caller, onlyProject(settings) ?? project))?.id ?? sessionId;
  else if (typeof sessionId === "string" && isPrefix(sessionId))
    spelled["sessionId"] = await complete(sessionId);
  if (isRecord(recordAs) && typeof recordAs["sessionId"] === "string")
    spelled["recordAs"] = { ...recordAs, sessionId: await complete(recordAs["sessionId"]) };
  const compared = isRecord(options) ? options["compareWith"] : undefined;
  if (Array.isArray(compared) && compared.length <= maxCompared) {
    const compareWith = await Promise.all(
      compared.map((id: unknown) => (typeof id === "string" ? complete(id) : id)),
    );
    spelled["options"] = { ...(options as object), compareWith };
  }
  for (const field of family === "memory" ? branchFields : []) {
    const named = args[field];
    if (typeof named !== "string") continue;
    if (branchPattern.test(named))
      spelled[field] = `session/${await complete(named.slice("session/".length))}`;
    else if (field === "target") spelled[field] = await complete(named);
  }
  return Object.keys(spelled).length === 0 ? args : { ...args, ...spelled };
}

/** The maximum number of session IDs in a list. Validation refuses longer lists. */
const maxCompared = 10;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads accept this word instead of an ID. The word means the most recently written session in the caller's
 * project, except the transcript of the caller's own conversation.
 */
export const latestWord = "latest";

export async function findLatestSession(
  { ledger }: Pick<Services, "ledger">,
  caller: Caller,
  project: string,
): Promise<Session | undefined> {
  const own = ownTranscript(caller);
  const { sessions } = await ledger.listSessions({
    project,
    tagMode: "all",
    limit: 2,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  });
  return sessions.find(({ id }) => id !== own);
}

/** Returns the ID of the session into which the caller's own conversation is captured. */
export const ownTranscript = ({ client, conversation }: Caller): string | undefined =>
  capturedSessionOf(client, conversation?.id);

/** `isRunning` means that another agent wrote recently and may still be working. */
type LastWriter = { at: string; client: string | undefined; isRunning: boolean };

/** Another conversation is treated as running for this long after its last thought. */
const runningForMs = 15 * 60_000;

export async function findLastWriter(
  { conversations, settings, clock }: Pick<Services, "conversations" | "settings" | "clock">,
  caller: Caller,
  session: Pick<Session, "id" | "updatedAt">,
): Promise<LastWriter> {
  const writers = await conversations.listWriters(session.id, "");
  const own = originOf(caller, settings.project);
  const edge = new Date(clock().getTime() - runningForMs).toISOString();
  const [last] = writers;
  return {
    at: last?.at ?? session.updatedAt,
    client: last?.key?.client,
    isRunning: writers.some(({ key, at }) => at >= edge && !isSame(key, own)),
  };
}

/** False if a client reports no conversation, because two writers then cannot be recognised as the same. */
const isSame = (one: ConversationKey | undefined, other: ConversationKey | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.conversation !== "" &&
  one.conversation === other.conversation &&
  one.client === other.client &&
  one.project === other.project &&
  one.principal === other.principal;

export const describeWriter = ({ at, client }: LastWriter): string =>
  `This is the project's latest session, last written ${at}${client === undefined ? "" : ` by ${client}`}`;

/**
 * Handles a call without a session. Refuses a write. For a read, uses the project's latest session and warns the
 * caller.
 */
export async function requireSession(
  services: Services,
  { name, effect }: Operation,
  callerState: CallerState,
  caller: Caller,
): Promise<Warning[]> {
  const { ledger } = services;
  const found =
    effect === "read" ? await findLatestSession(services, caller, callerState.project) : undefined;
  if (found) {
    Object.assign(callerState, { session: found, sessionId: found.id });
    const writer = await findLastWriter(services, caller, found);
    return [
      {
        code: "LATEST_SESSION",
        message: `${describeWriter(writer)}.`,
      },
    ];
  }
  const recent = await recentSessions(ledger, callerState.project);
  const latest = recent[0];
  throw new ThoughtboxError("SESSION_NOT_FOUND", `${name} needs a session: pass sessionId.`, {
    details: { recentSessions: recent },
    recovery: latest
      ? {
          hint: "Start a session with start_new, or load the latest one.",
          operation: "load_context",
          args: { sessionId: latest.sessionId },
        }
      : { hint: "Start a session.", operation: "start_new", args: {} },
  });
}

export async function recentSessions(ledger: LedgerStore, project: string) {
  const { sessions } = await ledger.listSessions({
    project,
    tagMode: "all",
    limit: 5,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  });
  return sessions.map(({ id, title, updatedAt, thoughtCount }) => ({
    sessionId: id,
    title,
    updatedAt,
    thoughtCount,
  }));
}
