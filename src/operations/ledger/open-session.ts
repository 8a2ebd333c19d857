import { partitionPath } from "../../domain/ledger/chain/partition.ts";
import { slugProject } from "../../domain/ledger/project.ts";
import {
  type Navigation,
  navigationTags,
  type Session,
  type SessionRecord,
  type SessionState,
} from "../../domain/ledger/session.ts";
import { stages } from "../../domain/stages/stages.ts";
import type { SessionDraft } from "../../ports/ledger-store.ts";
import { isReachable, type OperationContext, onlyProject } from "../pipeline/context.ts";

type NewSession = {
  title?: string | undefined;
  description?: string | undefined;
  tags?: readonly string[] | undefined;
  navigation: Navigation;
  domain?: SessionState["domain"];
};

export async function openSession(
  context: OperationContext<"INVALID_PAYLOAD">,
  wanted: NewSession,
): Promise<Session> {
  const draft = draftSession(context, wanted);
  const record = await context.ledger.createSession(draft);
  await adoptSession(context, draft, record);
  return record.session;
}

export function draftSession(
  context: OperationContext<"INVALID_PAYLOAD">,
  { title, description, tags = [], navigation, domain }: NewSession,
): SessionDraft {
  const now = context.clock();
  const project = chooseProject(context, navigation.project);
  return {
    id: context.newId(),
    project,
    title: title ?? `Reasoning session ${now.toISOString()}`,
    description,
    tags: [...new Set([...tags, ...navigationTags(asStored(navigation, project))])],
    partitionPath: partitionPath(now, context.settings.partitionGranularity),
    createdAt: now.toISOString(),
    state: {
      stage: stages.init_complete,
      domain,
      boundRoot: context.callerState.boundRoot,
      navigation: { ...navigation, project },
    },
    once: context.once,
  };
}

/**
 * Returns the navigation with the session's project if the caller navigated to a project. A session in the
 * caller's own project gets no tag for it.
 */
const asStored = (navigation: Navigation, project: string): Navigation =>
  navigation.project === undefined ? navigation : { ...navigation, project };

export async function adoptSession(
  context: OperationContext,
  draft: SessionDraft,
  { session, state }: SessionRecord,
  isStored = false,
): Promise<void> {
  // A repeated call returns the first session, which has already been announced and may have continued.
  if (session.id === draft.id) {
    context.emit({
      type: "session_started",
      timestamp: draft.createdAt,
      sessionId: session.id,
      data: { title: session.title, tags: session.tags, project: session.project },
    });
  }
  await context.changeCallerState({ ...state, sessionId: session.id, project: session.project }, isStored);
  context.callerState.session = session;
}

/**
 * Returns the requested project, or the caller's project if none was requested. Fails if the server is locked
 * to another project.
 */
export function chooseProject(
  { callerState, settings, fail }: OperationContext<"INVALID_PAYLOAD">,
  asked: string | undefined,
): string {
  const project = asked === undefined ? callerState.project : slugProject(asked);
  if (!isReachable(settings, project)) {
    return fail("INVALID_PAYLOAD", `project must be ${settings.project}: this server is locked to it.`, {
      recovery: { hint: "Omit project to start a session.", operation: "start_new", args: {} },
    });
  }
  return project;
}

/** Returns the project to read, or `undefined` for all projects. A locked server reads only one. */
export function projectScope(
  { callerState, settings }: OperationContext,
  asked: string | undefined,
): string | undefined {
  const only = onlyProject(settings);
  if (only !== undefined) return only;
  if (asked === "*") return undefined;
  return asked === undefined ? callerState.project : slugProject(asked);
}

const named = 3;

type Elsewhere = { hint: string; fullest: string };

/**
 * If the project of the caller has no sessions, names other projects that have sessions. Returns `undefined`
 * if there are none, or if the server is locked to a project.
 */
export async function lookElsewhere(
  { ledger, settings }: Pick<OperationContext, "ledger" | "settings">,
  project: string | undefined,
): Promise<Elsewhere | undefined> {
  if (settings.projectLock || project === undefined) return undefined;
  const others = (await ledger.countByProject(named + 1)).filter((other) => other.project !== project);
  const [first] = others;
  if (!first) return undefined;
  const held = others.slice(0, named).map((other) => `${other.project} ${other.sessions}`);
  return {
    hint: `Project ${project} has no sessions. Other projects do: ${held.join(", ")}. Pass project: "${first.project}" to see them, or "*" for all.`,
    fullest: first.project,
  };
}
