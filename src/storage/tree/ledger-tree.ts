import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../kernel/clock.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { MemoryStore } from "../../ports/memory/memory-store.ts";
import type { LedgerSource } from "../../ports/projection-book.ts";
import type { LedgerTree, TreeStatus } from "../../ports/tree.ts";
import { createWriterLease } from "./lease/writer-lease.ts";
import { createTreeFiles, createTroubleLog, sweepTemporaryFiles } from "./tree-files.ts";
import { createComparer } from "./verify/compare-session.ts";
import { createQuarantine, createSessionRepair, repairSessions } from "./verify/repair-tree.ts";
import { createIntegrityReport } from "./verify/verify-session.ts";
import { createDeferredSessions } from "./write/deferred-sessions.ts";
import { createDueManifests } from "./write/due-manifests.ts";
import { createDurability } from "./write/make-durable.ts";
import { createCatchUp, createProjection, createSessionFlush } from "./write/projection.ts";
import { createSessionWriter } from "./write/session-writer.ts";

/** The default time for closing. Short, because the program must exit within a second after its client does. */
const defaultCloseMs = 400;
/** How long a flush waits for files that another process is writing. */
const flushPatienceMs = 2_500;

export type LedgerTreeOptions = {
  source: LedgerSource;
  dataDir: string;
  clock: Clock;
  /** Logs one line whenever problems with the tree begin or end. */
  log: (line: string) => void;
  /** How long closing may take. Files that are not written by then are written at the next start. */
  closeMs?: number;
  /** Called before the tree is first written for a database without files, such as a copied one. */
  onAnew?: () => Promise<void>;
};

/** The port and the methods that the composition also needs, to start, wait and close. */
export type RunningTree = LedgerTree & {
  /** Starts to follow the store. Before this call, nothing is read or written. */
  start(): void;
  /** Called after every append with the store's latest seq. */
  noteAppended(seq: number): void;
  /** Await this before an append. Resolves at once unless the files are far behind. */
  throttle(): Promise<void>;
  close(): Promise<void>;
};

export function createLedgerTree(options: LedgerTreeOptions): RunningTree {
  const { source, dataDir, clock, log, closeMs = defaultCloseMs, onAnew = async () => {} } = options;
  const files = createTreeFiles(dataDir);
  const writer = createSessionWriter(source, files, clock);
  const lease = createWriterLease(source.projection);
  const manifests = createDueManifests();
  const troubles = createTroubleLog(log);
  const deferred = createDeferredSessions(source.projection, files, troubles);
  const compare = createComparer(source, writer, dataDir, async () => {
    const { projected } = await source.projection.readMarks();
    return {
      thoughts: Math.max(projected, catchUp.cursor),
      manifests: lease.isHeld() ? catchUp.settled() : projected,
    };
  });
  const repairSession = createSessionRepair(compare, writer, files);
  const writeWhole = async (sessionId: string): Promise<void> => void (await repairSession(sessionId));
  let closed = false;
  const sweep = () => sweepTemporaryFiles(dataDir, () => closed);
  const shared = { source, writer, lease, manifests, deferred, writeWhole };
  const catchUp = createCatchUp({ ...shared, root: dataDir, onAbandoned: () => void sweep(), onAnew });
  const makeDurable = createDurability(source, writer.folders, dataDir);
  const projection = createProjection({ ...shared, catchUp, troubles, makeDurable, closeMs });
  const flushSession = createSessionFlush({ ...shared, catchUp });

  let appended = 0;
  let projected = 0;
  const throttle = createBackPressure({
    pending: () => appended - Math.max(projected, catchUp.cursor),
    isStalled: () => closed || troubles.current !== undefined,
    hasten: () => projection.wake(0),
    async refresh() {
      projected = (await source.projection.readMarks()).projected;
    },
  });

  async function reachedSeq(): Promise<number> {
    return lease.isHeld() ? catchUp.settled() : (await source.projection.readMarks()).projected;
  }

  async function flushAll(): Promise<void> {
    const { last } = await source.projection.readMarks();
    const deadline = performance.now() + flushPatienceMs;
    for (;;) {
      await projection.pass(true);
      if ((await reachedSeq()) >= last || troubles.current || performance.now() > deadline) return;
      await sleep(25);
    }
  }

  async function flush(sessionId?: string): Promise<void> {
    try {
      await (sessionId === undefined ? flushAll() : flushSession(sessionId));
    } catch (thrown) {
      projection.noteTrouble(thrown);
    }
  }

  return {
    start: projection.start,
    noteAppended(seq) {
      appended = Math.max(appended, seq);
    },
    throttle,
    flush,
    async verify(sessionId, signal) {
      await flush((await catchUp.lacksTree()) ? undefined : sessionId);
      const report = createIntegrityReport();
      return report.conclude(await compare(sessionId, report.note, signal));
    },
    async repair(sessions, signal) {
      await sweep();
      const quarantine = createQuarantine(dataDir, clock);
      return repairSessions(source, repairSession, quarantine, sessions, signal);
    },
    async status(): Promise<TreeStatus> {
      const { last, durable } = await source.projection.readMarks();
      const reached = await reachedSeq();
      const trouble = troubles.current;
      return {
        state: trouble ? "stalled" : reached < last ? "behind" : "current",
        pending: last - reached,
        projectedSeq: reached,
        durableSeq: durable,
        ...(trouble && { trouble }),
        deferred: await source.projection.listDeferred(),
      };
    },
    async close() {
      await projection.close();
      closed = true;
    },
  };
}

/** If at least this many thoughts have no files yet, new thoughts are delayed. */
const maxPending = 20_000;
const lookAgainMs = 20;
/** If no files are written for this long, new thoughts are no longer delayed. */
const patienceMs = 1_000;

export type BackPressureParts = {
  pending(): number;
  /** Reads again how far the files have been written, in case another process is the writer. */
  refresh(): Promise<void>;
  isStalled(): boolean;
  hasten(): void;
};

/**
 * Returns a function that waits while the tree is far behind and making progress. If not, the function
 * resolves at once.
 */
export function createBackPressure({ pending, refresh, isStalled, hasten }: BackPressureParts) {
  return async (): Promise<void> => {
    if (pending() < maxPending) return;
    await refresh();
    let least = pending();
    let since = performance.now();
    while (pending() >= maxPending && !isStalled()) {
      hasten();
      await sleep(lookAgainMs, undefined, { ref: false });
      await refresh();
      const now = pending();
      if (now < least) [least, since] = [now, performance.now()];
      else if (performance.now() - since > patienceMs) return;
    }
  };
}

type Appending = { ledger: LedgerStore; memory: MemoryStore };

/** Makes appends wait while the files are far behind. A problem with the tree never makes an append fail. */
export function withBackPressure(
  { ledger, memory }: Appending,
  tree: Pick<RunningTree, "throttle" | "noteAppended">,
): Appending {
  async function throttled<Result>(append: () => Promise<Result>, seqOf: (result: Result) => number) {
    await tree.throttle();
    const result = await append();
    tree.noteAppended(seqOf(result));
    return result;
  }
  return {
    ledger: {
      ...ledger,
      append: (request) =>
        throttled(
          () => ledger.append(request),
          ({ entry }) => entry.seq,
        ),
    },
    memory: {
      ...memory,
      commitWith: (...given) =>
        throttled(
          () => memory.commitWith(...given),
          ({ receipt }) => receipt.entry.seq,
        ),
    },
  };
}
