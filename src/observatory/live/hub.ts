import { endsSession } from "../../domain/ledger/thought.ts";
import type { FeedSubscriber } from "../../ports/events.ts";
import type { Feed, FeedEntry } from "../../ports/feed.ts";
import type { ReadRemarks } from "../api/beside-thoughts.ts";
import { toStory } from "../session/story.ts";
import { type ReadSigns, signOf, toWireSession, toWireThought } from "../session/to-wire.ts";
import type { ObservatorySession } from "../wire.ts";
import type { ClientMessage, ServerMessage, SessionsSnapshotPayload } from "../wire-live.ts";
import { openSessionWatch, type SessionWatch, toThoughtEvent, type WatchSource } from "./session-watch.ts";
import { type Packed, pack, type Viewer } from "./viewer.ts";

export type HubOptions = WatchSource & {
  feed: Pick<Feed, "lastSeq">;
  follow: FeedSubscriber;
  listSessions(): Promise<SessionsSnapshotPayload>;
  readRemarks: ReadRemarks;
  /** How often transcripts are checked for activity. */
  signsEveryMs: number;
  /** True if sessions in this project are shown. */
  isShown(project: string): boolean;
  report(thrown: unknown): void;
};

/**
 * A session's thoughts are sent at most once per screen frame. Thoughts that arrive faster are sent together.
 */
const newsEveryMs = 16;
/** The list shows changes to a session at most this often. */
const updateEveryMs = 250;
/** Sessions with more thoughts than this get their story only when they are opened. */
const longestUnreadStory = 5_000;

/** Follows the store while there are viewers, and sends each viewer what it subscribed to. */
export function createHub(options: HubOptions) {
  const { feed, follow, shelf, mask, readSession, report } = options;
  const watches = new Map<string, Promise<SessionWatch>>();
  const listViewers = new Set<Viewer>();
  const allThoughtsViewers = new Set<Viewer>();
  const news = createCoolDown(newsEveryMs, tellNews);
  const changed = createCoolDown(updateEveryMs, (ids) => void tellUpdates(ids).catch(report));
  let following: Promise<() => void> | undefined;
  let looking: NodeJS.Timeout | undefined;
  let signs: Awaited<ReturnType<ReadSigns>> | undefined;

  /** Reads the store's position first, so that nothing is missed between a snapshot and the events after it. */
  function startFollowing(): Promise<unknown> {
    if (!looking) {
      // Starts now, because later checks report only changes since this one.
      void lookForSigns().catch(report);
      looking = setInterval(() => void lookForSigns().catch(report), options.signsEveryMs).unref();
    }
    following ??= feed.lastSeq().then((from) => follow.subscribe({ from }, onEntries));
    following.catch(() => (following = undefined));
    return following;
  }

  /** Looks in transcripts for what agents do between two thoughts, which the feed does not report. */
  async function lookForSigns(): Promise<void> {
    const [before, now] = [signs, await options.readSigns()];
    signs = now;
    for (const [sessionId, { at, leftAt, running }] of now) {
      const known = before?.get(sessionId);
      const isSame = known?.at === at && known?.leftAt === leftAt && known?.running?.at === running?.at;
      if (before && !isSame) changed.note(sessionId);
    }
  }

  function stopWhenAlone(): void {
    if (watches.size + listViewers.size + allThoughtsViewers.size > 0) return;
    void following?.then((stop) => stop()).catch(() => {});
    following = undefined;
    clearInterval(looking);
    looking = undefined;
    news.clear();
    changed.clear();
  }

  async function onEntries(entries: readonly FeedEntry[]): Promise<void> {
    for (const entry of entries) {
      if (entry.kind === "memory" || !options.isShown(entry.project)) continue;
      const { sessionId } = entry;
      if (entry.kind === "thought") {
        news.note(sessionId);
        changed.note(sessionId);
        await tellThought(entry);
      } else await tellChange(sessionId, entry.change);
    }
  }

  function tellNews(ids: readonly string[]): void {
    for (const id of ids)
      void watches
        .get(id)
        ?.then((watch) => watch.pump())
        .catch(report);
  }

  async function tellThought({ sessionId, entry }: Extract<FeedEntry, { kind: "thought" }>): Promise<void> {
    if (endsSession(entry.data)) {
      const data = { sessionId, finalThoughtCount: entry.position };
      tell(listViewers, { channel: "sessions", sessionId, event: "session:ended", data });
    }
    if (allThoughtsViewers.size === 0) return;
    const columns = await shelf.take(sessionId);
    const watch = await watches.get(sessionId);
    // The watch sends the thought to its own viewers, after their snapshot.
    const others = new Set([...allThoughtsViewers].filter((viewer) => !watch?.isWatchedBy(viewer)));
    tell(others, toThoughtEvent(sessionId, toWireThought(entry, columns, { mask })));
  }

  async function tellChange(sessionId: string, change: string): Promise<void> {
    const about = { channel: "sessions" as const, sessionId };
    if (change === "deleted") {
      tell(listViewers, { ...about, event: "session:gone", data: { sessionId, reason: "deleted" } });
      void watches
        .get(sessionId)
        ?.then((watch) => watch.tellGone())
        .catch(report);
      shelf.forget(sessionId);
    } else if (change === "remarked") {
      const watch = await watches.get(sessionId);
      const data = { remarks: await options.readRemarks(sessionId) };
      watch?.broadcast({ channel: "reasoning", sessionId, event: "session:remarked", data });
    } else if (change === "updated" || change === "moved") {
      changed.note(sessionId);
      void watches
        .get(sessionId)
        ?.then((watch) => watch.tellCritiques())
        .catch(report);
    } else {
      const session = await readSession(sessionId);
      if (!session) return;
      const data = { session: toWireSession(session, mask) };
      tell(listViewers, { ...about, event: "session:started", data });
    }
  }

  async function tellUpdates(ids: readonly string[]): Promise<void> {
    for (const sessionId of ids) {
      const watch = await watches.get(sessionId);
      if (listViewers.size === 0 && !watch) continue;
      const session = await describe(sessionId);
      if (!session) continue;
      const update = { event: "session:updated" as const, data: { session } };
      tell(listViewers, { channel: "sessions", sessionId, ...update });
      watch?.broadcast({ channel: "reasoning", sessionId, ...update });
    }
  }

  async function describe(sessionId: string): Promise<ObservatorySession | undefined> {
    const session = await readSession(sessionId);
    if (!session) return undefined;
    const isCheap = shelf.has(sessionId) || session.thoughtCount <= longestUnreadStory;
    const story = isCheap ? toStory(await shelf.take(sessionId)) : undefined;
    return {
      ...toWireSession(session, mask),
      ...signOf(session, await options.readSigns(), mask),
      ...(story && { story }),
    };
  }

  async function watchSession(viewer: Viewer, sessionId: string, after: number | undefined): Promise<void> {
    if (!(await readSession(sessionId))) {
      const data = { sessionId, reason: "unknown" as const };
      return viewer.send(pack({ channel: "reasoning", sessionId, event: "session:gone", data }));
    }
    for (let isSeated = false; !isSeated; ) {
      const opening = watches.get(sessionId) ?? openWatch(sessionId);
      const watch = await opening;
      // While the watch was opening, its last viewer may have left, which removed the watch. If so, try again.
      isSeated = watches.get(sessionId) === opening;
      if (isSeated) await watch.join(viewer, after);
    }
    if (!viewer.isOpen) await unwatch(viewer, sessionId);
  }

  function openWatch(sessionId: string): Promise<SessionWatch> {
    const opening = openSessionWatch(options, sessionId);
    watches.set(sessionId, opening);
    opening.catch(() => watches.delete(sessionId));
    return opening;
  }

  async function unwatch(viewer: Viewer, sessionId: string): Promise<void> {
    const watch = await watches.get(sessionId);
    if (allThoughtsViewers.has(viewer)) await watch?.pump();
    watch?.leave(viewer);
    if (watch?.isEmpty) watches.delete(sessionId);
    stopWhenAlone();
  }

  /** Ends all of a viewer's subscriptions to the channel, because the viewer named no session. */
  async function leaveReasoning(viewer: Viewer): Promise<void> {
    allThoughtsViewers.delete(viewer);
    for (const id of [...watches.keys()]) await unwatch(viewer, id).catch(report);
  }

  /** Sends the list, and then the events that occurred while it was being read. */
  async function showList(viewer: Viewer): Promise<void> {
    const meanwhile: Packed[] = [];
    const waiting: Viewer = { ...viewer, send: (message) => void meanwhile.push(message) };
    listViewers.add(waiting);
    try {
      const data = await options.listSessions();
      viewer.send(pack({ channel: "sessions", event: "sessions:snapshot", data }));
      for (const message of meanwhile) viewer.send(message);
      if (viewer.isOpen) listViewers.add(viewer);
    } finally {
      listViewers.delete(waiting);
    }
  }

  async function subscribe(viewer: Viewer, message: ClientMessage & { action: "subscribe" }): Promise<void> {
    await startFollowing();
    if (!viewer.isOpen) return stopWhenAlone();
    if (message.channel === "sessions") {
      await showList(viewer);
    } else if (message.sessionId === undefined) allThoughtsViewers.add(viewer);
    else await watchSession(viewer, message.sessionId, message.after);
  }

  return {
    async obey(viewer: Viewer, message: ClientMessage): Promise<void> {
      if (message.action === "subscribe") return subscribe(viewer, message);
      if (message.channel === "sessions") listViewers.delete(viewer);
      else if (message.sessionId !== undefined) await unwatch(viewer, message.sessionId);
      else await leaveReasoning(viewer);
      stopWhenAlone();
    },
    async forget(viewer: Viewer): Promise<void> {
      listViewers.delete(viewer);
      await leaveReasoning(viewer);
      stopWhenAlone();
    },
  };
}

export type Hub = ReturnType<typeof createHub>;

function tell(viewers: ReadonlySet<Viewer>, message: ServerMessage): void {
  if (viewers.size === 0) return;
  const packed = pack(message);
  for (const viewer of viewers) viewer.send(packed);
}

/**
 * Collects keys without duplicates. Passes the first key on immediately, and later keys at most every
 * `everyMs`.
 */
function createCoolDown(everyMs: number, pass: (keys: readonly string[]) => void) {
  const gathered = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    if (gathered.size === 0) return;
    const keys = [...gathered];
    gathered.clear();
    timer = setTimeout(flush, everyMs).unref();
    pass(keys);
  }

  return {
    note(key: string): void {
      gathered.add(key);
      timer ??= setTimeout(flush, 0).unref();
    },
    clear(): void {
      clearTimeout(timer);
      timer = undefined;
      gathered.clear();
    },
  };
}
