import { computed, signal } from "@preact/signals";
import type { SessionAnswer, SessionsAnswer } from "../../src/observatory/wire.ts";
import type { ServerMessage } from "../../src/observatory/wire-live.ts";
import { mainAgent } from "../text/agent-names.ts";
import type { Connection } from "./connection.ts";
import type { Get } from "./http.ts";
import type { Session } from "./thought.ts";

/** The server stores sessions without a project under this name. */
export const NO_PROJECT = "_default";
/** Returns a project's name for display. */
export const projectWords = (project: string): string => (project === NO_PROJECT ? "No project" : project);
export const projectOf = ({ project }: Pick<Session, "project">): string =>
  project === NO_PROJECT ? "" : project;

/**
 * Returns the agent that recorded the first thoughts. The agent's name is known for all sessions, even
 * without their stories.
 */
export const agentOf = ({ agent, story }: Pick<Session, "agent" | "story">): string | undefined =>
  agent ?? mainAgent(story?.agents ?? []);

/** Sorts the newest first. The server writes all times in the same format, so they compare as text. */
const newestFirst = (a: Session, b: Session): number =>
  a.updatedAt === b.updatedAt ? (a.id < b.id ? -1 : 1) : a.updatedAt < b.updatedAt ? 1 : -1;

/** The number of sessions whose stories are loaded in advance, so that agents can be counted. */
const MOST_STORIES = 1_000;
const HEADS_AT_ONCE = 1_000;
const MOST = 50_000;
const AT_ONCE = 20;

/** Creates the list of all sessions, newest activity first, kept up to date by the `sessions` channel. */
export function createSessions({ connection, get }: { connection: Connection; get: Get }) {
  const byId = signal<ReadonlyMap<string, Session>>(new Map());
  const total = signal(0);
  const loaded = signal(false);
  /** Whether every session is loaded, so that they can be counted. */
  const isWhole = computed(() => loaded.value && byId.value.size >= Math.min(total.value, MOST));
  /** Whether older sessions and their stories have been read, or could not be. */
  const isRead = signal(false);
  /** Why older sessions could not be read. */
  const failure = signal<string | undefined>(undefined);
  const list = computed(() => [...byId.value.values()].sort(newestFirst));

  const put = (sessions: readonly Session[]) => {
    const next = new Map(byId.peek());
    for (const session of sessions) {
      const { agent, story } = next.get(session.id) ?? {};
      // Updates of long sessions contain no story.
      next.set(session.id, { ...(agent !== undefined && { agent }), ...(story && { story }), ...session });
    }
    byId.value = next;
    total.value = Math.max(total.peek(), next.size);
  };
  const change = (id: string, how: (session: Session) => Session) => {
    const session = byId.peek().get(id);
    if (session) put([how(session)]);
  };

  function hear(message: ServerMessage) {
    if (message.channel !== "sessions") return;
    switch (message.event) {
      case "sessions:snapshot":
        byId.value = new Map(message.data.sessions.map((session) => [session.id, session]));
        total.value = message.data.total;
        loaded.value = true;
        void loadAll();
        return;
      case "session:started":
        total.value += 1;
        put([message.data.session]);
        return;
      case "session:updated":
        put([message.data.session]);
        return;
      case "session:ended":
        change(message.data.sessionId, (session) => ({
          ...session,
          status: "completed",
          thoughtCount: message.data.finalThoughtCount,
        }));
        return;
      case "session:gone": {
        const next = new Map(byId.peek());
        if (next.delete(message.data.sessionId)) total.value -= 1;
        byId.value = next;
        return;
      }
      default:
        return;
    }
  }

  async function loadAll() {
    await loadRest();
    isRead.value = true;
  }

  /** Loads older sessions page by page, so that facets and counts cover all of them. */
  async function loadRest() {
    failure.value = undefined;
    for (let offset = byId.peek().size; offset < Math.min(total.peek(), MOST); ) {
      const page = { offset, limit: HEADS_AT_ONCE, story: "false" };
      const fetched = await get<SessionsAnswer>("/api/sessions", page);
      if ("failed" in fetched) {
        failure.value = fetched.failed.message;
        return;
      }
      if (fetched.answer.sessions.length === 0) break;
      const known = byId.peek();
      put(fetched.answer.sessions.filter(({ id }) => !known.has(id)));
      if (!fetched.answer.hasMore) break;
      offset += fetched.answer.sessions.length;
    }
    for (let offset = 0; offset < Math.min(byId.peek().size, MOST_STORIES); ) {
      const fetched = await get<SessionsAnswer>("/api/sessions", { offset, limit: 100 });
      if (!("answer" in fetched) || fetched.answer.sessions.length === 0) return;
      put(fetched.answer.sessions.filter(({ story }) => story));
      offset += fetched.answer.sessions.length;
    }
  }

  const wanted = new Set<string>();
  let isTelling = false;
  /** Reads the stories of sessions that arrived without one, a few at a time. */
  async function tellStories() {
    isTelling = true;
    while (wanted.size > 0) {
      const ids = [...wanted].slice(0, AT_ONCE);
      await Promise.all(
        ids.map(async (id) => {
          const path = `/api/sessions/${encodeURIComponent(id)}`;
          const fetched = await get<SessionAnswer>(path, { from: 1, to: 1 });
          if ("answer" in fetched) put([fetched.answer.session]);
        }),
      );
      for (const id of ids) wanted.delete(id);
    }
    isTelling = false;
  }
  const asked = new Set<string>();
  const wantStories = (sessions: readonly Session[]) => {
    for (const { id, story, thoughtCount } of sessions) {
      if (story || thoughtCount === 0 || asked.has(id)) continue;
      asked.add(id);
      wanted.add(id);
    }
    if (!isTelling && wanted.size > 0) void tellStories();
  };

  const subscription = connection.subscribe(() => ({ action: "subscribe", channel: "sessions" }), hear, {
    action: "unsubscribe",
    channel: "sessions",
  });
  return {
    byId,
    list,
    total,
    loaded,
    isWhole,
    isRead,
    failure,
    again: () => void loadAll(),
    wantStories,
    stop: subscription.stop,
  };
}

export type Sessions = ReturnType<typeof createSessions>;
