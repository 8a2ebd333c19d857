import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import type { Session, SessionRecord, StandingState } from "../../domain/ledger/session.ts";
import type { Agent } from "../../domain/memory/agents.ts";
import { placeLastsMs, workspacePattern } from "../../domain/memory/limits.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import { quote } from "../../kernel/text.ts";
import type { ConversationKey } from "../../ports/conversations.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { anyone, type Reader, type Workspace } from "../../ports/memory/memory-store.ts";
import {
  type BaseContext,
  type Caller,
  type Fail,
  fail,
  isReachable,
  type OperationContext,
  onlyProject,
  originOf,
  ownProject,
  type Services,
  type Settings,
  type Standing,
  type StandingChange,
} from "./context.ts";
import type { Args, Operation } from "./operation.ts";
import { checkGuard, chooseWorkspace, ownWorkspace } from "./workspace.ts";

type StandingServices = Pick<Services, "ledger" | "conversations" | "settings" | "clock">;

/** The caller's state: in the session it names, or in its own. */
export async function resolveStanding(
  services: StandingServices,
  caller: Caller,
  named: string | undefined,
  mayRecall = false,
): Promise<Standing> {
  const { settings } = services;
  const { binding } = caller;
  const own = named === undefined ? await findOwnSession(services, caller) : undefined;
  const id = named ?? own ?? settings.reasoningSessionId;
  // A project lock decides by the session's project, which another server may have changed.
  const isRecalled = mayRecall && onlyProject(settings) === undefined;
  const record = id === undefined ? undefined : await readSession(services.ledger, settings, id, isRecalled);
  if (named !== undefined && !record) return unknownSession(fail, named);
  if (record && record.session.id === own) adoptConversation(caller, record);
  // Every connection uses the operator's session and its stage until it has its own.
  const isOperators = record?.session.id === settings.reasoningSessionId && binding?.sessionId === undefined;
  const isOwn = binding && !(record && isOperators);
  return {
    sessionId: record?.session.id,
    session: record?.session,
    isNamed: named !== undefined,
    project:
      onlyProject(settings) ??
      (named === undefined ? binding?.project : undefined) ??
      projectOf(record) ??
      caller.project ??
      settings.project,
    ...(isOwn ? stateOf(binding) : (record?.state ?? { stage: 0, navigation: {} })),
  };
}

/**
 * The session of the conversation; where the client names none, of its connection or process. A conversation that has
 * no session yet does not take another one's: several may share one connection.
 */
export async function findOwnSession(
  { conversations, settings }: StandingServices,
  caller: Caller,
): Promise<string | undefined> {
  const origin = originOf(caller, settings.project);
  if (caller.conversation && origin) return (await conversations.find(origin))?.sessionId;
  return caller.binding?.sessionId ?? caller.lone?.sessionId;
}

/** A conversation that continues over a new connection keeps the stage of its session. */
function adoptConversation({ conversation, binding }: Caller, { session, state }: SessionRecord): void {
  if (!conversation || !binding || binding.sessionId === session.id) return;
  Object.assign(binding, state, { sessionId: session.id, project: session.project });
}

/** Where a session's holder has navigated to; at first that is the session's own project. */
const projectOf = (record: SessionRecord | undefined): string | undefined =>
  record && (record.state.navigation.project ?? record.session.project);

const stateOf = ({ stage, domain, boundRoot, navigation }: StandingState): StandingState => ({
  stage,
  domain,
  boundRoot,
  navigation,
});

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

/** The caller's state, and what changes it. A new stage is announced. */
export const standIn = (
  services: StandingServices,
  caller: Caller,
  standing: Standing,
  emit: OperationContext["emit"],
): Omit<OperationContext, keyof BaseContext> => ({
  standing,
  async moveStanding(change) {
    const previousStage = standing.stage;
    await moveStanding(services, caller, standing.sessionId, change);
    Object.assign(standing, change);
    if (standing.stage === previousStage || standing.sessionId === undefined) return;
    const data = { previousStage, newStage: standing.stage };
    const timestamp = services.clock().toISOString();
    emit({ type: "stage_changed", timestamp, sessionId: standing.sessionId, data });
  },
});

async function moveStanding(
  { ledger, conversations, settings, clock }: StandingServices,
  caller: Caller,
  current: string | undefined,
  { sessionId, project, ...state }: StandingChange,
): Promise<void> {
  const target = sessionId ?? current;
  if (target !== undefined) await ledger.saveState(target, state);
  if (sessionId !== undefined) {
    const origin = originOf(caller, settings.project);
    if (caller.conversation && origin) await conversations.bind(origin, sessionId, clock().toISOString());
    if (caller.lone) caller.lone.sessionId = sessionId;
  }
  if (!caller.binding) return;
  Object.assign(
    caller.binding,
    state,
    sessionId !== undefined && { sessionId },
    project !== undefined && { project },
  );
}

/** What a call works on. */
export type ResolvedScope =
  | { of: "nothing" }
  | { of: "session"; standing: Standing }
  | {
      of: "workspace";
      workspace: string;
      ownWorkspace: string;
      agent: Agent;
      state: Workspace | undefined;
    };

/** Finds what the call works on, by the operation's declaration; what a lock keeps away is not found. */
export async function resolveScope(
  services: Services,
  { scope, recallsSession }: Operation,
  args: Args,
  caller: Caller,
  isStaged: boolean,
): Promise<ResolvedScope> {
  const { memory, settings } = services;
  switch (scope) {
    case "caller":
    case "session": {
      // A stage is checked before anything is written, so it must be true.
      const mayRecall = recallsSession === true && !isStaged;
      const standing = await resolveStanding(services, caller, textOf(args, "sessionId"), mayRecall);
      return { of: "session", standing };
    }
    case "own":
      return { of: "session", standing: await resolveStanding(services, caller, undefined) };
    case "workspace": {
      const asked = textOf(args, "workspace");
      // A name that cannot be one is refused by validation, which says why.
      if (asked !== undefined && !workspacePattern.test(asked)) return { of: "nothing" };
      const own = ownWorkspace(settings, caller);
      const workspace = chooseWorkspace(settings, own, asked);
      const agent = agentOf(caller, settings, textOf(args, "agent_id"));
      const state = await memory.readWorkspace(workspace, readerFor(caller, agent, services.clock));
      checkGuard(settings, state);
      return {
        of: "workspace",
        workspace,
        ownWorkspace: own,
        agent,
        state,
      };
    }
  }
}

/**
 * Who calls, for what belongs to an agent. A conversation, a connection or a name identifies an agent. The
 * key is a digest, because it must not be visible.
 */
function agentOf(caller: Caller, { project, agentId }: Settings, named: string | undefined): Agent {
  const { principal = "", client = "", conversation, binding, lone } = caller;
  const name = named ?? agentId;
  const place = conversation ? [project, client, conversation.id, conversation.agent ?? ""] : undefined;
  const connection = binding?.id ?? lone?.id;
  const said = place ?? (connection === undefined ? undefined : [connection]);
  const key = said && sha256Hex(JSON.stringify([principal, ...said])).slice(0, 24);
  return { name, keys: [...(name === undefined ? [] : [`@${name}`]), ...(key === undefined ? [] : [key])] };
}

/** A person at a terminal, or a program that embeds us, works with what the workspace has. */
function readerFor({ transport }: Caller, agent: Agent, clock: Clock): Reader {
  const isPerson = (transport === "cli" || transport === "library") && agent.keys.length === 0;
  return isPerson ? anyone : { agent, afterMs: clock().getTime() - placeLastsMs };
}

export const textOf = (args: Args, field: string): string | undefined => {
  const value = args[field];
  return typeof value === "string" ? value : undefined;
};

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
