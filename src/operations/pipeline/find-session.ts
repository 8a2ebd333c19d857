import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import type { Session, SessionRecord } from "../../domain/ledger/session.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { quote } from "../../kernel/text.ts";
import type { ConversationKey } from "../../ports/conversations.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import {
  type Caller,
  type Fail,
  isReachable,
  onlyProject,
  originOf,
  ownProject,
  type Services,
  type Settings,
} from "./context.ts";
import type { Args, Operation } from "./operation.ts";

/** `undefined` also for a session that a project lock keeps away. */
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
  hint: "latest works only for reads. Load that session, then pass its sessionId.",
  operation: "load_context",
  args: { latest: true },
};

export const unknownSession = (refuse: Fail<"SESSION_NOT_FOUND">, id: string): never =>
  refuse("SESSION_NOT_FOUND", `No session has the id ${quote(id, 60)}.`, {
    recovery:
      id === latestWord
        ? loadLatest
        : {
            hint: isPrefix(id)
              ? "List the sessions of your project and pick one. The first characters of an ID work only in this project. To delete or restore a session, give the whole ID."
              : "List the sessions of your project and pick one.",
            operation: "list_sessions",
            args: {},
          },
  });

/** At least as much as listings show. A whole id has 36 characters. */
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
 * The whole id for the beginning of one, where the project has exactly one session that begins so; any other text comes
 * back as it is. Sessions of other projects are never looked at.
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
    `Several sessions begin with ${quote(named)}: ${candidates.join(", ")}${more}. Give the whole id.`,
    {
      details: { candidates },
      recovery: { hint: "See which of them is meant.", operation: "list_sessions", args: {} },
    },
  );
}

/** Fields of the memory that name a branch, or something that has one. */
const branchFields = ["branch", "ref", "from", "to", "into", "target"];

/**
 * Spells out every session that a call names by the beginning of its id, so that nothing behind this meets one. What
 * deletes wants the whole id. An operation of scope `own` decides itself which sessions it looks through.
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
      (await findLatestSession({ ledger }, onlyProject(settings) ?? project))?.id ?? sessionId;
  else if (typeof sessionId === "string") spelled["sessionId"] = await complete(sessionId);
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

/** Longer lists are refused by validation. */
const maxCompared = 10;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a caller writes where it means the session of its project that was written to last. Reads take it. */
export const latestWord = "latest";

export async function findLatestSession(
  { ledger }: Pick<Services, "ledger">,
  project: string,
): Promise<Session | undefined> {
  const { sessions } = await ledger.listSessions({
    project,
    tagMode: "all",
    limit: 1,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  });
  return sessions[0];
}

/** Who wrote to a session last, and whether that is another agent that may still be working in it. */
type LastWriter = { at: string; client: string | undefined; isRunning: boolean };

/** For so long after its last thought, another conversation counts as running. */
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

/** Without a conversation, two writers cannot be recognised as the same. */
const isSame = (one: ConversationKey | undefined, other: ConversationKey | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.conversation !== "" &&
  one.conversation === other.conversation &&
  one.client === other.client &&
  one.project === other.project &&
  one.principal === other.principal;

export const describeWriter = ({ at, client }: LastWriter): string =>
  `Last written ${at}${client === undefined ? "" : ` by ${client}`}`;
