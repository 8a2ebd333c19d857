import * as z from "zod";
import type { ThoughtboxError } from "../../kernel/errors.ts";
import type { Domain, Stage } from "../stages/stages.ts";
import { advanceHead, later } from "./chain/append.ts";
import { genesisHash } from "./chain/hash-chain.ts";
import { ledgerFailure } from "./failures.ts";
import type { SessionDraft, SessionEdit } from "./requests.ts";
import type { ChainedThought } from "./thought.ts";

export const sessionStatuses = ["active", "completed", "abandoned"] as const;

export const sessionSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()),
  project: z.string(),
  status: z.enum(sessionStatuses),
  thoughtCount: z.int(),
  branchCount: z.int(),
  partitionPath: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastAccessedAt: z.string(),
  completedAt: z.string().optional(),
});
export type Session = z.infer<typeof sessionSchema>;

export type Navigation = {
  project?: string | undefined;
  task?: string | undefined;
  aspect?: string | undefined;
};

/** The caller's progress and choices so far. Stored with the session, so that any process can continue. */
export type SessionState = {
  stage: Stage;
  domain?: Domain | undefined;
  boundRoot?: string | undefined;
  navigation: Navigation;
};

export type SessionRecord = { session: Session; state: SessionState };
export type TrashedSession = SessionRecord & { deletedAt: string };

const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Returns the time 24 hours ago. An open session without a thought since then is reported as abandoned. */
export function abandonedBefore(now: Date): string {
  return new Date(now.getTime() - abandonedAfterMs).toISOString();
}

export function statusAt(stored: "active" | "completed", updatedAt: string, now: Date): Session["status"] {
  if (stored === "completed") return "completed";
  return Date.parse(updatedAt) < now.getTime() - abandonedAfterMs ? "abandoned" : "active";
}

const prefixOf = (tag: string): string => tag.slice(0, tag.indexOf(":") + 1);

/** Replaces a session's tags. Keeps its project tag, and keeps its task or aspect tag if none is given. */
export function keepNavigationTags(current: readonly string[], given: readonly string[]): string[] {
  const project = current.filter((tag) => prefixOf(tag) === "project:");
  const wanted = given.filter((tag) => project.length === 0 || prefixOf(tag) !== "project:");
  const replaced = new Set(wanted.map(prefixOf));
  const kept = current.filter((tag) => /^(?:task|aspect):/.test(tag) && !replaced.has(prefixOf(tag)));
  return [...new Set([...wanted, ...project, ...kept])];
}

/** Returns project, task and aspect as tags, so that callers can search for them. */
export function navigationTags(navigation: Navigation): string[] {
  return Object.entries(navigation).flatMap(([key, value]) => (value ? [`${key}:${value}`] : []));
}

/** True if the session was created from a transcript. Only such a session has a version 8 UUID. */
export const isCaptured = (sessionId: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-8/.test(sessionId);

/** A session as stored: its metadata, its state, and the heads of its two chains. */
export type StoredSession = {
  id: string;
  project: string;
  title: string;
  description: string | undefined;
  tags: readonly string[];
  partitionPath: string | undefined;
  createdAt: string;
  updatedAt: string;
  lastAccessedAt: string;
  completedAt: string | undefined;
  status: "active" | "completed";
  /** Set while the session is in the trash. */
  deletedAt: string | undefined;
  state: SessionState;
  thoughtCount: number;
  branchCount: number;
  /** Highest number on the main line. */
  highest: number;
  length: number;
  hash: string;
  critiqueCount: number;
  critiqueHead: string;
};

export type SessionChange = "created" | "updated" | "moved" | "deleted" | "restored" | "remarked";

/** The result of a decision about one session: its new state, and what changed. */
export type SessionDecision = { session: StoredSession; change: SessionChange | "renamed" };

export function newSession({ once: _once, state, ...draft }: SessionDraft): StoredSession {
  return {
    id: draft.id,
    project: draft.project,
    title: draft.title,
    description: draft.description,
    tags: draft.tags,
    partitionPath: draft.partitionPath,
    createdAt: draft.createdAt,
    updatedAt: draft.createdAt,
    lastAccessedAt: draft.createdAt,
    completedAt: undefined,
    status: "active",
    deletedAt: undefined,
    state,
    thoughtCount: 0,
    branchCount: 0,
    highest: 0,
    length: 0,
    hash: genesisHash,
    critiqueCount: 0,
    critiqueHead: genesisHash,
  };
}

export function advanceSession(session: StoredSession, entry: ChainedThought): StoredSession {
  const ahead = advanceHead(session, entry);
  ahead.status = ahead.completedAt === undefined ? "active" : "completed";
  ahead.lastAccessedAt = later(session.lastAccessedAt, ahead.updatedAt);
  return ahead;
}

export function toRecord(stored: StoredSession, now: Date): SessionRecord {
  const { description, partitionPath, completedAt } = stored;
  return {
    session: {
      id: stored.id,
      title: stored.title,
      ...(description !== undefined && { description }),
      tags: [...stored.tags],
      project: stored.project,
      status: statusAt(stored.status, stored.updatedAt, now),
      thoughtCount: stored.thoughtCount,
      branchCount: stored.branchCount,
      ...(partitionPath !== undefined && { partitionPath }),
      createdAt: stored.createdAt,
      updatedAt: stored.updatedAt,
      lastAccessedAt: stored.lastAccessedAt,
      ...(completedAt !== undefined && { completedAt }),
    },
    state: stored.state,
  };
}

const missing = (sessionId: string): ThoughtboxError => ledgerFailure("session_missing", { sessionId });

/** Changes a session's name, description, tags or project. Thoughts are never edited. */
export function decideEdit(
  stored: StoredSession | undefined,
  sessionId: string,
  edit: SessionEdit,
  at: string,
): SessionDecision {
  if (!stored || stored.deletedAt !== undefined) throw missing(sessionId);
  const project = edit.project ?? stored.project;
  const moves = project !== stored.project;
  const tags = (edit.tags ?? stored.tags).map((tag) =>
    moves && tag === `project:${stored.project}` ? `project:${project}` : tag,
  );
  const { navigation } = stored.state;
  const session = {
    ...stored,
    project,
    tags,
    title: edit.title ?? stored.title,
    description: edit.description ?? stored.description,
    updatedAt: later(stored.updatedAt, at),
    state: {
      ...stored.state,
      ...(moves && navigation.project !== undefined && { navigation: { ...navigation, project } }),
    },
  };
  return { session, change: moves ? "moved" : "renamed" };
}

/**
 * Updates a session's state. The stage never decreases, because the caller has already seen the operations it
 * unlocked. Returns `undefined` if nothing changes.
 */
export function decideState(
  stored: StoredSession | undefined,
  sessionId: string,
  change: Partial<SessionState>,
): SessionDecision | undefined {
  if (!stored || stored.deletedAt !== undefined) throw missing(sessionId);
  const { state } = stored;
  const next: SessionState = {
    ...state,
    stage: change.stage !== undefined && change.stage > state.stage ? change.stage : state.stage,
    ...(change.domain !== undefined && { domain: change.domain }),
    ...(change.boundRoot !== undefined && { boundRoot: change.boundRoot }),
    navigation: change.navigation ?? state.navigation,
  };
  const isSame =
    next.stage === state.stage &&
    next.domain === state.domain &&
    next.boundRoot === state.boundRoot &&
    JSON.stringify(next.navigation) === JSON.stringify(state.navigation);
  return isSame ? undefined : { session: { ...stored, state: next }, change: "updated" };
}

/** Moves the session to the trash: listings and searches omit it, but it can be restored. */
export function decideDeletion(
  stored: StoredSession | undefined,
  sessionId: string,
  at: string,
): SessionDecision {
  if (!stored || stored.deletedAt !== undefined) throw missing(sessionId);
  return { session: { ...stored, deletedAt: at }, change: "deleted" };
}

export function decideReturn(
  stored: StoredSession | undefined,
  sessionId: string,
  onlyProject: string | undefined,
): SessionDecision {
  const isForeign = onlyProject !== undefined && stored?.project !== onlyProject;
  if (stored?.deletedAt === undefined || isForeign)
    throw ledgerFailure("session_not_in_trash", { sessionId });
  return { session: { ...stored, deletedAt: undefined }, change: "restored" };
}
