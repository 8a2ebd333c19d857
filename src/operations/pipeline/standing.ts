import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import type { SessionRecord, StandingState } from "../../domain/ledger/session.ts";
import { quote } from "../../kernel/text.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { Caller } from "./caller.ts";
import { isPrefix } from "./complete-session-id.ts";
import type { Fail, Standing, StandingChange } from "./context.ts";
import { fail } from "./fail.ts";
import { isReachable, onlyProject, type Settings } from "./settings.ts";

/**
 * Who is calling, and where they stand. A legacy connection's stage is its own; in the modern era the stage is
 * stored with the session that the call names. Nothing is ever taken from the process.
 */
export async function resolveStanding(
  ledger: LedgerStore,
  settings: Settings,
  caller: Caller,
  named: string | undefined,
): Promise<Standing> {
  const { binding } = caller;
  const id = named ?? binding?.sessionId ?? settings.reasoningSessionId;
  const record = id === undefined ? undefined : await readSession(ledger, settings, id);
  if (named !== undefined && !record) return unknownSession(fail, named);
  // The operator's session is every connection's until it has one of its own, and so is what was reached there.
  const isOperators = record?.session.id === settings.reasoningSessionId && binding?.sessionId === undefined;
  const isOwn = binding && !(record && isOperators);
  return {
    sessionId: record?.session.id,
    session: record?.session,
    project:
      onlyProject(settings) ??
      (named === undefined ? binding?.project : undefined) ??
      projectOf(record) ??
      settings.project,
    ...(isOwn ? stateOf(binding) : (record?.state ?? { stage: 0, navigation: {} })),
  };
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

export const unknownSession = (refuse: Fail<"SESSION_NOT_FOUND">, id: string): never =>
  refuse("SESSION_NOT_FOUND", `No session has the id ${quote(id, 60)}.`, {
    recovery: {
      hint: isPrefix(id)
        ? "List the sessions of your project and pick one. The beginning of an id is looked for in this project alone; to delete or restore a session, give the whole id."
        : "List the sessions of your project and pick one.",
      operation: "list_sessions",
      args: {},
    },
  });

export async function moveStanding(
  ledger: LedgerStore,
  caller: Caller,
  current: string | undefined,
  { sessionId, project, ...state }: StandingChange,
): Promise<void> {
  const target = sessionId ?? current;
  if (target !== undefined) await ledger.saveState(target, state);
  if (!caller.binding) return;
  Object.assign(
    caller.binding,
    state,
    sessionId !== undefined && { sessionId },
    project !== undefined && { project },
  );
}
