import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createWhenQuiet } from "../../../kernel/clock.ts";
import type { FeedEntry } from "../../../ports/feed.ts";
import type { LedgerSource, ProjectionMarks } from "../../../ports/projection-book.ts";
import type { WriterLease } from "../lease/writer-lease.ts";
import { statOf } from "../read-file.ts";
import type { TroubleLog } from "../tree-files.ts";
import type { DeferredSessions } from "./deferred-sessions.ts";
import type { DueManifests } from "./due-manifests.ts";
import { createTimeSlices, moveToProject, type SessionWriter, type TimeSlices } from "./session-writer.ts";
import { moveToTrash, takeFromTrash } from "./trash.ts";

/**
 * How long to wait for more thoughts before writing files. Thoughts often arrive in groups, and no thought
 * should wait for the files of the previous one.
 */
const gather = { quietMs: 15, patienceMs: 1_000 };
/** How long the lease is kept after the last file, so that not every thought in a slow stream claims it again. */
const lingerMs = 300;
/** How long to wait after the last write before files are synced. */
const quietMs = 5_000;

export type ProjectionParts = {
  source: LedgerSource;
  catchUp: CatchUp;
  lease: WriterLease;
  manifests: DueManifests;
  deferred: DeferredSessions;
  troubles: TroubleLog;
  /** How long closing may take. */
  closeMs: number;
  /**
   * Syncs written files. Returns the `seq` up to which all are durable. Stops once `isInterrupted` returns true.
   */
  makeDurable(marks: ProjectionMarks, isInterrupted: () => boolean): Promise<number>;
};

/** Updates the tree from the store while the process is idle, one pass at a time. */
export function createProjection(parts: ProjectionParts) {
  const { source, catchUp, lease, manifests, deferred, troubles, closeMs } = parts;
  const wakeUp = createWakeUp(() => {
    if (running === undefined) void pass(false);
  });
  const gathering = createWhenQuiet(() => wake(0), gather);
  const quiet = createWakeUp(() => void settleDown());
  let running: Promise<void> | undefined;
  let stopListening: (() => void) | undefined;
  let changes = 0;
  let closed = false;
  let stopBy = Number.POSITIVE_INFINITY;

  const wake = (ms: number): void => {
    if (!closed) wakeUp.in(Math.max(ms, troubles.retryInMs()));
  };

  /** Runs one task at a time, because no task may read a mark while another task is writing it. */
  async function alone(work: () => Promise<void>): Promise<void> {
    while (running !== undefined) await running;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  }

  const pass = (hurry: boolean): Promise<void> => alone(() => attempt(hurry));

  /** Runs one pass. An error ends the pass and never reaches a caller. The next pass retries. */
  async function attempt(hurry: boolean): Promise<void> {
    const before = changes;
    try {
      const other = await catchUp.run(hurry, () => performance.now() > stopBy);
      troubles.clear();
      planNext();
      if (other) await watch(other.heldUntil);
    } catch (thrown) {
      noteTrouble(thrown);
    }
    if (changes !== before) gathering.later();
  }

  function noteTrouble(thrown: unknown): void {
    if (closed) return;
    troubles.note(thrown);
    if (stopListening) wake(0);
  }

  function planNext(): void {
    const manifestIn = manifests.nextInMs();
    const deferredIn = deferred.nextInMs();
    if (manifestIn !== undefined) wake(manifestIn);
    else if (!closed) quiet.in(lingerMs);
    if (deferredIn !== undefined) wake(deferredIn);
  }

  /** Waits while another process is the writer. Wakes up in time to notice if that process dies. */
  async function watch(heldUntil: number): Promise<void> {
    const { last, projected } = await source.projection.readMarks();
    if (projected < last) wake(Math.max(gather.quietMs, heldUntil - Date.now() + 10));
  }

  /** Releases the lease after the last file. After a further pause, syncs the written files. */
  async function settleDown(): Promise<void> {
    if (running !== undefined || closed) return;
    const before = changes;
    try {
      if (lease.isHeld()) {
        await alone(handBack);
        quiet.in(quietMs);
      } else if (!troubles.current) {
        const marks = await source.projection.readMarks();
        if (marks.durable >= marks.projected) return;
        const durable = await parts.makeDurable(marks, () => closed || changes !== before);
        if (!closed && durable > marks.durable) await lease.release({ durable });
        if (durable < marks.projected) quiet.in(quietMs);
      }
    } catch (thrown) {
      noteTrouble(thrown);
    }
  }

  return {
    /** Starts to follow the store. Further calls do nothing. */
    start(): void {
      if (closed || stopListening) return;
      stopListening = source.feed.onChange(() => {
        changes += 1;
        quiet.cancel();
        gathering.later();
      });
      gathering.later();
    },
    pass,
    wake,
    noteTrouble,
    /** Writes as much as it can within the time limit and releases the lease. The rest is written at the next start. */
    async close(): Promise<void> {
      closed = true;
      stopBy = performance.now() + closeMs;
      wakeUp.cancel();
      gathering.cancel();
      quiet.cancel();
      stopListening?.();
      if (stopListening || lease.isHeld()) await within(closeMs + 100, finish());
    },
  };

  async function handBack(): Promise<void> {
    await lease.release({ projected: catchUp.settled() });
  }

  async function finish(): Promise<void> {
    if (!troubles.current) await pass(true);
    if (lease.isHeld()) await alone(handBack).catch(() => {});
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const limit = new AbortController();
  const { signal } = limit;
  await Promise.race([work, sleep(ms, undefined, { signal }).catch(() => {})]);
  limit.abort();
}

/** Creates a timer that can be moved earlier but not later. It does not keep the process alive. */
function createWakeUp(ring: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let at = Number.POSITIVE_INFINITY;

  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
    at = Number.POSITIVE_INFINITY;
  }

  return {
    in(ms: number): void {
      const wanted = performance.now() + ms;
      if (wanted >= at) return;
      clearTimeout(timer);
      at = wanted;
      timer = setTimeout(() => {
        cancel();
        ring();
      }, ms).unref();
    },
    cancel,
  };
}

/** The number of entries in a page. Small, because a page is read without yielding. */
const pageSize = 50;
/** While fewer entries than this are pending, calls in this process have priority. */
const unhurriedBelow = 2_000;

const anySession = { tagMode: "all", limit: 1, offset: 0, sortBy: "createdAt", sortOrder: "asc" } as const;

export type CatchUpParts = {
  source: LedgerSource;
  root: string;
  writer: SessionWriter;
  lease: WriterLease;
  manifests: DueManifests;
  deferred: DeferredSessions;
  /** Writes all of a session's files that are missing or wrong. */
  writeWhole(sessionId: string): Promise<void>;
  /** Called if the previous writer died, because it may have left temporary files. */
  onAbandoned(): void;
  /** Called if there are sessions but no tree at all. */
  onAnew(): Promise<void>;
};

/** `undefined` if this process has nothing left to do. `heldUntil` is when another writer's lease ends. */
export type Outcome = { heldUntil: number } | undefined;

/** Follows the feed while this process is the writer. */
export function createCatchUp(parts: CatchUpParts) {
  const { source, writer, lease, manifests, deferred } = parts;
  let cursor = 0;
  let knowsTree = false;

  /**
   * Returns true for a database that was copied without its files. Its marks then describe files in another
   * directory.
   */
  async function lacksTree(): Promise<boolean> {
    if (knowsTree || statOf(join(parts.root, "projects"))) return false;
    const { total } = await source.ledger.listSessions(anySession);
    return total > 0;
  }

  /** Returns the seq up to which all files and manifests are written. It can be stored as a mark without risk. */
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
    // Another process wrote in the meantime and may have moved sessions.
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

  /** Moves a session's files into or out of the trash, whichever its current state in the store requires. */
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
    /** Writes all pending files. If `hurry` is true, also writes manifests that were written only recently. */
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
        // Other writes use numbers from the same counter, so the feed alone does not reach the last number.
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
 * Writes one session's pending files ahead of the others. Needs no lease, because every process writes the
 * same bytes for the same thoughts, and moves no mark, because other sessions may still be pending.
 */
export function createSessionFlush(parts: FlushParts) {
  const { source, writer, catchUp, lease, manifests, deferred, writeWhole } = parts;
  return async (sessionId: string): Promise<void> => {
    // The session may have been moved, and another process may have moved its files.
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
