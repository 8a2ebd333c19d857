import { setTimeout as sleep } from "node:timers/promises";
import { createWhenQuiet } from "../../../kernel/clock.ts";
import type { ProjectionMarks } from "../../../ports/projection-book.ts";
import type { WriterLease } from "../lease/writer-lease.ts";
import type { LedgerSource } from "../ledger-source.ts";
import type { TroubleLog } from "../tree-trouble.ts";
import type { CatchUp } from "./catch-up.ts";
import type { DeferredSessions } from "./deferred-sessions.ts";
import type { DueManifests } from "./due-manifests.ts";

/** Thoughts often come in handfuls; their files are then written together, and no thought waits for those of the last. */
const gather = { quietMs: 15, patienceMs: 1_000 };
/** The lease is kept this long after the last file, so that a steady trickle does not claim it again and again. */
const lingerMs = 300;
/** Files are made durable when nobody has thought for a while. */
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
  /** Syncs what was written; answers up to which `seq` all is durable. Stops early when `isInterrupted`. */
  makeDurable(marks: ProjectionMarks, isInterrupted: () => boolean): Promise<number>;
};

/** Keeps the tree behind the store, in the pauses of the process, one pass at a time. */
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

  /** One thing at a time: a mark must not be read while another one is being written down. */
  async function alone(work: () => Promise<void>): Promise<void> {
    while (running !== undefined) await running;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  }

  const pass = (hurry: boolean): Promise<void> => alone(() => attempt(hurry));

  /** Trouble of any kind ends a pass and is met again at the next; it never reaches a caller. */
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

  /** Another process writes. Should it die, somebody must notice. */
  async function watch(heldUntil: number): Promise<void> {
    const { last, projected } = await source.projection.readMarks();
    if (projected < last) wake(Math.max(gather.quietMs, heldUntil - Date.now() + 10));
  }

  /** After the last file the lease goes back; much later, what was written is made durable. */
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
    /** Begins to follow the store; the second call and later ones do nothing. */
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
    /** Writes as much as can be written in a moment and hands the lease back; the rest follows at the next start. */
    async close(): Promise<void> {
      closed = true;
      stopBy = performance.now() + closeMs;
      wakeUp.cancel();
      gathering.cancel();
      quiet.cancel();
      stopListening?.();
      // A lock that another process keeps must not keep us.
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

/** One timer that can be drawn nearer but not pushed away. It does not keep the process alive. */
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
