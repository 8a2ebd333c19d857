import type { SessionRecord, SessionState } from "../../domain/ledger/session.ts";
import type { Agent } from "../../domain/memory/agents.ts";
import { placeLastsMs, workspacePattern } from "../../domain/memory/limits.ts";
import { type Stage, stageName, stages } from "../../domain/stages/stages.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Recovery, ThoughtboxError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import { anyone, type Reader, type Workspace } from "../../ports/memory/memory-store.ts";
import {
  type BaseContext,
  type Caller,
  type CallerState,
  type CallerStateChange,
  fail,
  type OperationContext,
  onlyProject,
  originOf,
  type Services,
  type Settings,
} from "./context.ts";
import { readSession, recentSessions, unknownSession } from "./find-session.ts";
import type { Args, Operation } from "./operation.ts";
import { checkGuard, chooseWorkspace, ownWorkspace } from "./workspace.ts";

type CallerStateServices = Pick<Services, "ledger" | "conversations" | "settings" | "clock">;

/** Returns the caller's state in the requested session, or in the caller's own session. */
export async function resolveCallerState(
  services: CallerStateServices,
  caller: Caller,
  named: string | undefined,
  mayRecall = false,
): Promise<CallerState> {
  const { settings } = services;
  const { binding } = caller;
  const own = named === undefined ? await findOwnSession(services, caller) : undefined;
  const id = named ?? own ?? settings.reasoningSessionId;
  // A project lock depends on the session's project, which another server may have changed.
  const isRecalled = mayRecall && onlyProject(settings) === undefined;
  const record = id === undefined ? undefined : await readSession(services.ledger, settings, id, isRecalled);
  if (named !== undefined && !record) return unknownSession(fail, named);
  if (record && record.session.id === own) adoptConversation(caller, record);
  // Every connection uses the operator's session and that session's stage until the connection has its own
  // session.
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
 * Finds the session of the caller's conversation. If the client reports no conversation, finds the session of
 * the connection or process. A conversation without a session does not take over another conversation's
 * session, because several conversations can share a connection.
 */
export async function findOwnSession(
  { conversations, settings }: CallerStateServices,
  caller: Caller,
): Promise<string | undefined> {
  const origin = originOf(caller, settings.project);
  if (caller.conversation && origin) return (await conversations.find(origin))?.sessionId;
  return caller.binding?.sessionId ?? caller.lone?.sessionId;
}

/** Restores the state of a session whose conversation continues over a new connection. */
function adoptConversation({ conversation, binding }: Caller, { session, state }: SessionRecord): void {
  if (!conversation || !binding || binding.sessionId === session.id) return;
  Object.assign(binding, state, { sessionId: session.id, project: session.project });
}

/** Returns the project that the caller navigated to, initially the session's own. */
const projectOf = (record: SessionRecord | undefined): string | undefined =>
  record && (record.state.navigation.project ?? record.session.project);

const stateOf = ({ stage, domain, boundRoot, navigation }: SessionState): SessionState => ({
  stage,
  domain,
  boundRoot,
  navigation,
});

/** Creates the part of the context that contains the caller's state. Announces each change of stage. */
export const callerStateIn = (
  services: CallerStateServices,
  caller: Caller,
  callerState: CallerState,
  emit: OperationContext["emit"],
): Omit<OperationContext, keyof BaseContext> => ({
  callerState,
  async changeCallerState(change, isStored = false) {
    const previousStage = callerState.stage;
    if (!isStored) await saveCallerState(services, caller, callerState.sessionId, change);
    bindCaller(caller, change);
    Object.assign(callerState, change);
    if (callerState.stage === previousStage || callerState.sessionId === undefined) return;
    const data = { previousStage, newStage: callerState.stage };
    const timestamp = services.clock().toISOString();
    emit({ type: "stage_changed", timestamp, sessionId: callerState.sessionId, data });
  },
});

async function saveCallerState(
  { ledger, conversations, settings, clock }: CallerStateServices,
  caller: Caller,
  current: string | undefined,
  { sessionId, project: _own, ...state }: CallerStateChange,
): Promise<void> {
  const target = sessionId ?? current;
  if (target !== undefined) await ledger.saveState(target, state);
  const origin = originOf(caller, settings.project);
  if (sessionId !== undefined && caller.conversation && origin)
    await conversations.bind(origin, sessionId, clock().toISOString());
}

function bindCaller({ lone, binding }: Caller, { sessionId, project, ...state }: CallerStateChange): void {
  if (lone && sessionId !== undefined) lone.sessionId = sessionId;
  if (!binding) return;
  Object.assign(
    binding,
    state,
    sessionId !== undefined && { sessionId },
    project !== undefined && { project },
  );
}

export type ResolvedScope =
  | { of: "nothing" }
  | { of: "caller"; callerState: CallerState }
  | {
      of: "workspace";
      workspace: string;
      ownWorkspace: string;
      agent: Agent;
      state: Workspace | undefined;
    };

/** Resolves what a call works on. Treats a session or workspace behind a lock as not found. */
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
      // The stage is checked before anything is written, so it must not come from a cache.
      const mayRecall = recallsSession === true && !isStaged;
      const callerState = await resolveCallerState(services, caller, textOf(args, "sessionId"), mayRecall);
      return { of: "caller", callerState };
    }
    case "own":
      return { of: "caller", callerState: await resolveCallerState(services, caller, undefined) };
    case "workspace": {
      const asked = textOf(args, "workspace");
      // Validation refuses an invalid name and explains why.
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
 * Identifies the agent by its conversation, connection or name. The key is a digest, so that no answer can
 * reveal its source.
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

/** Returns who reads. A person at a terminal and an embedding program see the whole workspace's state. */
function readerFor({ transport }: Caller, agent: Agent, clock: Clock): Reader {
  const isPerson = (transport === "cli" || transport === "library") && agent.keys.length === 0;
  return isPerson ? anyone : { agent, afterMs: clock().getTime() - placeLastsMs };
}

export const textOf = (args: Args, field: string): string | undefined => {
  const value = args[field];
  return typeof value === "string" ? value : undefined;
};

export const stageNumber = ({ stage }: Operation): Stage => stages[stage];

/** Refuses a call that comes too early. The refusal includes the call to make first. */
export async function requireStage(
  { ledger }: Services,
  operation: Operation,
  scope: ResolvedScope,
  args: Args,
): Promise<void> {
  const requiredStage = stages[operation.stage];
  if (scope.of !== "caller" || scope.callerState.stage >= requiredStage) return;
  const { callerState } = scope;
  const recent =
    callerState.stage === stages.entry ? await recentSessions(ledger, callerState.project) : undefined;
  throw new ThoughtboxError(
    "STAGE_REQUIREMENT_NOT_MET",
    `${operation.name} needs stage ${requiredStage} (${operation.stage}). You are at stage ${callerState.stage} (${stageName(callerState.stage)}).`,
    {
      details: { currentStage: callerState.stage, requiredStage, ...(recent && { recentSessions: recent }) },
      recovery: nextOnPath(callerState, textOf(args, "sessionId") ?? callerState.sessionId),
    },
  );
}

function nextOnPath(callerState: CallerState, named: string | undefined): Recovery {
  if (callerState.stage >= stages.init_complete) {
    const args = callerState.sessionId === undefined ? {} : { sessionId: callerState.sessionId };
    return {
      hint: "First read the cipher, which unlocks thought and the other operations.",
      operation: "cipher",
      args,
    };
  }
  if (named !== undefined) {
    return {
      hint: "Load the session first, then call cipher.",
      operation: "load_context",
      args: { sessionId: named },
    };
  }
  return {
    hint: "Load one of details.recentSessions with load_context, or start a session and pass its sessionId.",
    operation: "start_new",
    args: {},
  };
}
