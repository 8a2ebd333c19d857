import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import type { SessionRecord, StandingState } from "../../domain/ledger/session.ts";
import { quote } from "../../kernel/text.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { isPrefix, latestWord } from "./complete-session-id.ts";
import {
  type Caller,
  type Fail,
  fail,
  isReachable,
  onlyProject,
  originOf,
  type Services,
  type Settings,
  type Standing,
  type StandingChange,
} from "./context.ts";

type StandingServices = Pick<Services, "ledger" | "conversations" | "settings" | "clock">;

/** Where the caller stands: in the session it names, else in its own. */
export async function resolveStanding(
  services: StandingServices,
  caller: Caller,
  named: string | undefined,
): Promise<Standing> {
  const { settings } = services;
  const { binding } = caller;
  const own = named === undefined ? await findOwnSession(services, caller) : undefined;
  const id = named ?? own ?? settings.reasoningSessionId;
  const record = id === undefined ? undefined : await readSession(services.ledger, settings, id);
  if (named !== undefined && !record) return unknownSession(fail, named);
  if (record && record.session.id === own) adoptConversation(caller, record);
  // The operator's session is every connection's until it has one of its own, and so is what was reached there.
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
      settings.project,
    ...(isOwn ? stateOf(binding) : (record?.state ?? { stage: 0, navigation: {} })),
  };
}

/**
 * The session of the conversation; where the client names none, of its connection or process. A conversation that has
 * no session yet does not take another one's: several may share one connection.
 */
async function findOwnSession(
  { conversations, settings }: StandingServices,
  caller: Caller,
): Promise<string | undefined> {
  const origin = originOf(caller, settings.project);
  if (caller.conversation && origin) return (await conversations.find(origin))?.sessionId;
  return caller.binding?.sessionId ?? caller.lone?.sessionId;
}

/** A conversation that goes on over a new connection has seen what its session opened. */
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
): Promise<SessionRecord | undefined> {
  if (!sessionIdPattern.test(id)) return undefined;
  const record = await ledger.readSession(id);
  return record && isReachable(settings, record.session.project) ? record : undefined;
}

const loadLatest = {
  hint: "latest is for reads. Load that session, then pass its sessionId.",
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
              ? "List the sessions of your project and pick one. The beginning of an id is looked for in this project alone; to delete or restore a session, give the whole id."
              : "List the sessions of your project and pick one.",
            operation: "list_sessions",
            args: {},
          },
  });

export async function moveStanding(
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
