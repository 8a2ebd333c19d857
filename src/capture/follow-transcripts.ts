import { randomUUID } from "node:crypto";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { SessionFacts } from "../domain/transcripts/entry.ts";
import { mainPathOf } from "../domain/transcripts/thread-layout.ts";
import { ThoughtboxError } from "../kernel/errors.ts";
import { askOperation } from "../operations/ask-operation.ts";
import { createScan, readHead } from "../operations/memory/transcripts/scan.ts";
import type { transcriptsImport } from "../operations/memory/transcripts/transcripts-import.ts";
import type { Caller } from "../operations/pipeline/context.ts";
import type { Perform } from "../operations/pipeline/perform.ts";
import type { CaptureBook, CapturedFile, CaptureReport } from "../ports/capture.ts";
import type { LedgerImport } from "../ports/ledger-import.ts";
import type { LedgerStore } from "../ports/ledger-store.ts";
import type { TranscriptChange, TranscriptFiles, TranscriptWatch } from "../ports/transcript-files.ts";

type Parts = {
  transcripts: TranscriptFiles;
  book: CaptureBook;
  ledger: Pick<LedgerStore, "readSession">;
  imports: Pick<LedgerImport, "giveWay" | "indexWords">;
  perform: Perform;
  /** Returns why a session in this directory is not captured, or `undefined` if it is captured. */
  reasonFor(cwd: string): string | undefined;
  /** Checked before each file, because a person may withdraw consent at any time. */
  isAllowed(): boolean;
  /** Reads everything new in a separate process. Resolves when that process ends, even if it failed. */
  catchUpApart?: ((signal: AbortSignal) => Promise<void>) | undefined;
  clock: () => Date;
  report(thrown: unknown): void;
};

const caller: Caller = { era: "modern", transport: "library", can: { roots: false, sampling: false } };

/** How long to wait for a process that may have been killed while reading a file. */
const claimMs = 5_000;
const againMs = 1_000;
const sweepMs = 60_000;
const idleMs = 31 * 60_000;
const longestIdleMs = 24 * 60 * 60_000;
const mostSwept = 500;
/**
 * If more bytes than this are unread, another process reads the older files. This process always reads recently written
 * files.
 */
const mostBytesHere = 8_000_000;
const lateMs = 10 * 60_000;

/** Reads new lines from transcripts, one file after the other, most recently written first. */
export function createTranscriptFollower(parts: Parts) {
  const { transcripts, book, ledger, imports, perform, reasonFor, isAllowed, clock, report } = parts;
  const holder = `${process.pid}-${randomUUID()}`;
  const stopping = new AbortController();
  const waiting = new Map<string, TranscriptChange>();
  /** All transcripts seen so far, used to find a sub-agent's parent. */
  const known = new Map<string, TranscriptChange>();
  const conversations = new Set<string>();
  const retries = new Set<NodeJS.Timeout>();
  let postponed: TranscriptChange[] = [];
  /** Waiting transcripts, most recently written last. Empty if the list has to be rebuilt. */
  let order: TranscriptChange[] = [];
  let followsAll = false;
  let hasClaims = false;
  const swept = new Set<string>();
  let sweeping: NodeJS.Timeout | undefined;
  let watch: TranscriptWatch | undefined;
  let work: Promise<void> | undefined;
  let totals: CaptureReport = { files: 0, bytes: 0, thoughts: 0, problems: 0 };

  const keyOf = ({ root, path }: Pick<TranscriptChange, "root" | "path">): string => `${root}\n${path}`;

  function take(changed: readonly TranscriptChange[]): void {
    if (!isAllowed()) return;
    const isFirst = known.size === 0;
    enqueue(changed);
    if (isFirst && followsAll) void sendAway(changed).catch(report);
    void run();
  }

  /**
   * If many old files are unread, a separate process reads them first. Then this process reads what is still
   * unread.
   */
  async function sendAway(changed: readonly TranscriptChange[]): Promise<void> {
    const { catchUpApart } = parts;
    const old = changed.filter(({ modifiedMs }) => clock().getTime() - modifiedMs > lateMs);
    if (!catchUpApart || sizeOf(old) <= mostBytesHere) return;
    for (const change of old) waiting.delete(keyOf(change));
    const fresh: TranscriptChange[] = [];
    for (const change of old) if (!(await isRead(change))) fresh.push(change);
    if (sizeOf(fresh) > mostBytesHere) await catchUpApart(stopping.signal);
    if (!stopping.signal.aborted) take(fresh);
  }

  const sizeOf = (files: readonly TranscriptChange[]): number =>
    files.reduce((sum, { bytes }) => sum + bytes, 0);

  async function isRead(change: TranscriptChange): Promise<boolean> {
    return isDone(await book.find(change.root, change.path), change);
  }

  function enqueue(changed: readonly TranscriptChange[]): void {
    for (const change of changed) {
      known.set(keyOf(change), change);
      waiting.set(keyOf(change), change);
    }
    order = [];
  }

  function run(): Promise<void> {
    work ??= drain()
      .catch(report)
      .finally(() => {
        work = undefined;
      });
    return work;
  }

  async function drain(onFile: (left: number) => Promise<void> | void = () => {}): Promise<void> {
    while (waiting.size > 0 && isAllowed()) {
      stopping.signal.throwIfAborted();
      if (order.length === 0) order = [...waiting.values()].sort((a, b) => a.modifiedMs - b.modifiedMs);
      const next = order.pop();
      if (!next || waiting.get(keyOf(next)) !== next) continue;
      waiting.delete(keyOf(next));
      await readOne(next).catch((thrown) => {
        if (stopping.signal.aborted) return;
        totals.problems += 1;
        report(thrown);
      });
      await onFile(waiting.size);
      await nextTurn();
    }
  }

  async function readOne(change: TranscriptChange): Promise<void> {
    const row = await book.find(change.root, change.path);
    if (isDone(row, change)) return;
    const about = await look(change);
    if (!about) return;
    const { cwd, main } = about;
    const excluded = reasonFor(cwd);
    if (excluded !== undefined) return note(change, { cwd, problem: `${heldBack} ${excluded}.` });
    if (row?.sessionId !== undefined && !(await ledger.readSession(row.sessionId)))
      return note(change, { ...row, problem: "The session of this transcript was deleted." });
    const claim = { root: change.root, path: main, holder, now: clock().getTime(), lastsMs: claimMs };
    if (!(await book.claim(claim))) return later(change);
    hasClaims = true;
    await note(change, { cwd, ...(await bring(change, main)) });
  }

  async function bring(
    { root, bytes }: TranscriptChange,
    path: string,
  ): Promise<Pick<CapturedFile, "sessionId" | "project" | "problem" | "running">> {
    try {
      const args = { ref: { path }, root_dir: root };
      const call = { caller, signal: stopping.signal };
      const done = await askOperation<typeof transcriptsImport>(perform, "transcripts_import", args, call);
      totals = {
        ...totals,
        files: totals.files + 1,
        bytes: totals.bytes + bytes,
        thoughts: totals.thoughts + done.added,
      };
      // A transcript without a thought has no session yet. Recording a session ID now would later make the
      // session look deleted.
      const { sessionId, session, running } = done;
      return done.outcome === "empty" ? {} : { sessionId, project: session.project, running };
    } catch (thrown) {
      if (stopping.signal.aborted || !(thrown instanceof ThoughtboxError)) throw thrown;
      // If the store cannot be written to, the transcript is not at fault.
      if (thrown.code === "STORAGE_ERROR") throw thrown;
      totals.problems += 1;
      return { problem: thrown.message };
    }
  }

  const note = (change: TranscriptChange, known: Omit<Partial<CapturedFile>, keyof TranscriptChange>) =>
    book.note({ ...known, ...change, at: clock().toISOString() });

  /** Tries again later, because the other process that is reading this transcript may have ended by then. */
  function later(change: TranscriptChange): void {
    if (!watch) {
      postponed.push(change);
      return;
    }
    const timer = setTimeout(() => {
      retries.delete(timer);
      if (!waiting.has(keyOf(change))) take([change]);
    }, againMs).unref();
    retries.add(timer);
  }

  /** Returns the session's directory and main file, or `undefined` if the first lines do not name them. */
  async function look(change: TranscriptChange): Promise<{ cwd: string; main: string } | undefined> {
    const root = await transcripts.openRoot(change.root);
    const file = root && (await root.open(change.path));
    if (!file || "refused" in file) return undefined;
    const scan = createScan({ clock, signal: stopping.signal }, { maxFiles: 1, maxBytes: headBytes });
    try {
      const { session } = await readHead(scan, file);
      const main = mainOf(change, session);
      return session.cwd === undefined || main === undefined ? undefined : { cwd: session.cwd, main };
    } finally {
      await file.close();
    }
  }

  /** Returns the path of a sub-agent's main transcript, which belongs to the agent that started it. */
  function mainOf({ root, path }: TranscriptChange, session: SessionFacts): string | undefined {
    return mainPathOf(path, session, (matches) =>
      [...known.values()].map((other) => (other.root === root ? other.path : "")).find(matches),
    );
  }

  const wants = (path: string): boolean =>
    followsAll || [...conversations].some((conversation) => path.includes(conversation));

  /**
   * Treats a session as over if nothing has been written to it for a while. Nothing else shows that the
   * session has ended.
   */
  async function sweep(): Promise<void> {
    const now = clock().getTime();
    const { files } = await book.list(mostSwept);
    for (const { root, path, bytes, modifiedMs, sessionId } of files) {
      const isDue = sessionId !== undefined && now - modifiedMs > idleMs && now - modifiedMs < longestIdleMs;
      if (!isDue || !isAllowed() || stopping.signal.aborted || swept.has(sessionId)) continue;
      swept.add(sessionId);
      const known = await ledger.readSession(sessionId);
      if (known?.session.status === "active") await bring({ root, path, bytes, modifiedMs }, path);
    }
  }

  function begin(): void {
    sweeping ??= setInterval(() => void sweep().catch(report), sweepMs).unref();
    watch?.stop();
    watch = transcripts.watch({ onChange: take, mayLook: isAllowed, wants });
    watch.start();
  }

  return {
    follow(conversation?: string): void {
      if (conversation === undefined ? followsAll : conversations.has(conversation)) return;
      if (conversation === undefined) followsAll = true;
      else conversations.add(conversation);
      begin();
    },
    async catchUp(onProgress: (done: number, total: number) => void = () => {}): Promise<CaptureReport> {
      totals = { files: 0, bytes: 0, thoughts: 0, problems: 0 };
      const once = transcripts.watch({
        onChange: enqueue,
      });
      if (isAllowed()) once.look();
      const total = waiting.size;
      await work;
      // Servers that share the store have priority. If a power cut undoes commits, the lines are read again.
      if (total > 0) await imports.giveWay?.();
      await drain(async (left) => {
        onProgress(total - left, total);
        await imports.indexWords?.();
      });
      // By the end of this delay, the processes that claimed these transcripts have read them or been killed.
      if (postponed.length > 0) await delay(claimMs, undefined, { signal: stopping.signal });
      enqueue(postponed);
      postponed = [];
      await drain();
      return totals;
    },
    async close(): Promise<void> {
      watch?.stop();
      clearInterval(sweeping);
      for (const timer of retries) clearTimeout(timer);
      stopping.abort();
      await work;
      if (hasClaims) await book.release(holder).catch(report);
    },
  };
}

const heldBack = "Not captured:";

/** An excluded file is never treated as fully read, because the person may remove the exclusion later. */
const isDone = (row: CapturedFile | undefined, { bytes, modifiedMs }: TranscriptChange): boolean =>
  row?.bytes === bytes && row.modifiedMs === modifiedMs && !row.problem?.startsWith(heldBack);

const headBytes = 2 * 1024 * 1024;
