import { join } from "node:path";
import type { FeedEntry } from "../../../ports/feed.ts";
import type { WriterLease } from "../lease/writer-lease.ts";
import type { LedgerSource } from "../ledger-source.ts";
import { statOf } from "../read-file.ts";
import type { DeferredSessions } from "./deferred-sessions.ts";
import type { DueManifests } from "./due-manifests.ts";
import { moveToProject, type SessionWriter } from "./session-writer.ts";
import { createTimeSlices, type TimeSlices } from "./time-slices.ts";
import { moveToTrash, takeFromTrash } from "./trash.ts";

/** Read in one go without a turn, so not many. */
const pageSize = 50;
/** With no more than this pending, whoever thinks in this process goes first. */
const unhurriedBelow = 2_000;

const anySession = { tagMode: "all", limit: 1, offset: 0, sortBy: "createdAt", sortOrder: "asc" } as const;

export type CatchUpParts = {
  source: LedgerSource;
  root: string;
  writer: SessionWriter;
  lease: WriterLease;
  manifests: DueManifests;
  deferred: DeferredSessions;
  /** Writes every file of a session that is missing or differs. */
  writeWhole(sessionId: string): Promise<void>;
  /** The writer before this one died: it may have left temporary files behind. */
  onAbandoned(): void;
  /** There is no tree at all, though there are sessions. */
  onAnew(): Promise<void>;
};

/** What a pass came to: nothing was left to do here, or another process does it. */
export type Outcome = { heldUntil: number } | undefined;

/** Follows the feed while this process is the writer. */
export function createCatchUp(parts: CatchUpParts) {
  const { source, writer, lease, manifests, deferred } = parts;
  let cursor = 0;
  let knowsTree = false;

  /** A database that was put into a directory without its files: what it says of them is true of another place. */
  async function lacksTree(): Promise<boolean> {
    if (knowsTree || statOf(join(parts.root, "projects"))) return false;
    const { total } = await source.ledger.listSessions(anySession);
    return total > 0;
  }

  /** What is in files and in manifests: a crash after this mark is written down loses nothing. */
  const settled = (): number => Math.min(cursor, manifests.settledBefore() - 1);

  async function becomeWriter(): Promise<"writer" | "idle" | { heldUntil: number }> {
    if (lease.isHeld() && !lease.isEnding()) return "writer";
    if (lease.isHeld() && (await lease.prolong(settled()))) return "writer";
    const marks = await source.projection.readMarks();
    const anew = await lacksTree();
    const isCurrent = marks.projected >= marks.last && !anew && !lease.mayHaveLostFiles(marks);
    knowsTree ||= isCurrent;
    if (isCurrent && deferred.nextInMs() !== 0) return "idle";
    const heldUntil = lease.heldByOtherUntil(marks);
    if (heldUntil !== undefined) return { heldUntil };
    const grant = await lease.claim(anew);
    if (!grant.granted) return { heldUntil: grant.heldUntil };
    knowsTree = true;
    cursor = grant.projected;
    // Another process wrote meanwhile, and heard of sessions that moved.
    writer.folders.forgetAll();
    manifests.clear();
    await deferred.reload();
    if (grant.abandoned) parts.onAbandoned();
    if (anew) await parts.onAnew();
    return "writer";
  }

  async function project(feedEntry: FeedEntry): Promise<void> {
    if (feedEntry.kind === "memory") return;
    const { sessionId, seq, project } = feedEntry;
    if (feedEntry.kind === "thought") {
      await deferred.guard(sessionId, () => writer.writeThought(feedEntry.entry));
      manifests.note(sessionId, seq);
    } else if (feedEntry.change === "deleted" || feedEntry.change === "restored") {
      await deferred.dismiss(sessionId);
      await deferred.guard(sessionId, () => followDeletion(sessionId, project));
    } else {
      if (feedEntry.change === "moved") await deferred.guard(sessionId, () => followMove(sessionId));
      manifests.note(sessionId, seq);
    }
  }

  async function followMove(sessionId: string): Promise<void> {
    writer.folders.forget(sessionId);
    const record = await source.ledger.readSession(sessionId);
    if (record) moveToProject(parts.root, record.session);
  }

  /** What counts is whether the session is there now, not what happened to it on the way. */
  async function followDeletion(sessionId: string, project: string): Promise<void> {
    writer.folders.forget(sessionId);
    const record = await source.ledger.readSession(sessionId);
    if (record) {
      takeFromTrash(parts.root, record.session);
      await parts.writeWhole(sessionId);
    } else {
      moveToTrash(parts.root, project, sessionId);
      manifests.forget(sessionId);
    }
  }

  async function writeManifests(
    regardless: boolean,
    slices: TimeSlices,
    isTimeUp: () => boolean,
  ): Promise<void> {
    for (const sessionId of manifests.due(regardless)) {
      if (slices.isOver()) await slices.next();
      if (isTimeUp()) return;
      await manifests.bringUpToDate(sessionId, () =>
        deferred.guard(sessionId, () => writer.writeManifest(sessionId)),
      );
    }
  }

  return {
    lacksTree,
    followMove,
    followDeletion,
    get cursor(): number {
      return cursor;
    },
    settled,
    /** With `hurry`, manifests are written however young the last ones are. */
    async run(hurry: boolean, isTimeUp: () => boolean): Promise<Outcome> {
      const slices = createTimeSlices();
      for (;;) {
        const role = await becomeWriter();
        if (role === "idle") return undefined;
        if (role !== "writer") return role;
        const { last } = await source.projection.readMarks();
        const page = await source.feed.readFeed(cursor, pageSize);
        for (const entry of page) {
          await project(entry);
          cursor = entry.seq;
          if (slices.isOver()) await slices.next(!hurry && last - cursor < unhurriedBelow);
          if (isTimeUp()) return undefined;
        }
        const drained = page.length < pageSize;
        // Other things of the store take numbers of the same counter, so the feed alone does not reach its end.
        if (drained) cursor = Math.max(cursor, last);
        await writeManifests(hurry && drained, slices, isTimeUp);
        if (drained) break;
      }
      await deferred.settleAll(parts.writeWhole);
      return undefined;
    },
  };
}

export type CatchUp = ReturnType<typeof createCatchUp>;

const flushPage = 500;

type FlushParts = {
  source: LedgerSource;
  writer: SessionWriter;
  catchUp: CatchUp;
  lease: WriterLease;
  manifests: DueManifests;
  deferred: DeferredSessions;
  writeWhole(sessionId: string): Promise<void>;
};

/**
 * Writes what waits of one session, out of turn. It needs no lease, because files of the same thoughts are the
 * same whoever writes them, and moves no mark, because other sessions may still wait.
 */
export function createSessionFlush(parts: FlushParts) {
  const { source, writer, catchUp, lease, manifests, deferred, writeWhole } = parts;
  return async (sessionId: string): Promise<void> => {
    // It may have been moved, and another process brought its files there.
    writer.folders.forget(sessionId);
    const marks = await source.projection.readMarks();
    const { last } = marks;
    const reached = lease.mayHaveLostFiles(marks) ? marks.durable : marks.projected;
    if (deferred.has(sessionId)) return deferred.settle(sessionId, writeWhole);
    const slices = createTimeSlices();
    let isBehind = manifests.isBehind(sessionId);
    let after = Math.max(reached, catchUp.cursor);
    while (after < last) {
      const page = await source.feed.readFeed(after, flushPage);
      for (const waiting of page) {
        if (waiting.kind === "memory" || waiting.sessionId !== sessionId) continue;
        isBehind = true;
        if (waiting.kind === "session" && waiting.change === "moved")
          await deferred.guard(sessionId, () => catchUp.followMove(sessionId));
        if (waiting.kind === "session" && (waiting.change === "deleted" || waiting.change === "restored"))
          await deferred.guard(sessionId, () => catchUp.followDeletion(sessionId, waiting.project));
        if (waiting.kind === "thought")
          await deferred.guard(sessionId, () => writer.writeThought(waiting.entry));
      }
      after = page.length < flushPage ? last : (page.at(-1)?.seq ?? last);
      if (slices.isOver()) await slices.next();
    }
    const writeManifest = () => deferred.guard(sessionId, () => writer.writeManifest(sessionId));
    if (isBehind) await manifests.bringUpToDate(sessionId, writeManifest);
  };
}
