import type { CommitCall } from "../../domain/memory/steps/commit-calls.ts";
import type { Clock } from "../../kernel/clock.ts";
import { closeInTurn } from "../../kernel/close-in-turn.ts";
import { createCommitQueue, type Work } from "../../kernel/commit-queue.ts";
import type { EventSink } from "../../ports/events.ts";
import type { ProjectionBook } from "../../ports/projection-book.ts";
import type { Store } from "../../ports/store.ts";
import type { Committed } from "../memory/commit.ts";
import type { CommitWith } from "../memory/memory-store.ts";
import { createLongReader, createReader, type WithConnection } from "./connection/access.ts";
import type { Connection, Location, OpenOptions } from "./connection/open-database.ts";
import { createConnector } from "./connection/open-database.ts";
import { createSqliteEngine, deciding, takingBack } from "./connection/sqlite-engine.ts";
import { createActions } from "./ledger/actions.ts";
import { createCaptureBook } from "./ledger/capture-book.ts";
import { createConversations } from "./ledger/conversations.ts";
import { createKnowledgeStore } from "./ledger/knowledge-store.ts";
import { createAccessTimes, createKnownSessions } from "./ledger/known-sessions.ts";
import { createLedgerCommits, createLedgerStore } from "./ledger/ledger-store.ts";
import { createRemarks } from "./ledger/remarks.ts";
import { commitTogether, createMemoryStore } from "./memory/memory-store.ts";
import { createMemoryTransfer } from "./memory/memory-transfer.ts";
import { createNotebookArchive } from "./notebook/notebook-archive.ts";
import { createNotebookStore } from "./notebook/notebook-store.ts";
import { createFeed } from "./projection/feed.ts";
import { createProjectionBook } from "./projection/projection-book.ts";
import { createWordIndex } from "./search/word-index.ts";
import { createGraphWords, createTextWords } from "./search/word-sources.ts";
import { inspectMemory } from "./upkeep/inspect-memory.ts";
import { createTrash } from "./upkeep/trash.ts";
import { createUpkeep } from "./upkeep/upkeep.ts";

export type SqliteStoreOptions = OpenOptions & {
  /** Called after a commit with the changes that this process made to the memory. */
  publish?: EventSink;
  /** Called if new text could not be indexed after an acknowledgement. The next search tries again. */
  onIndexTrouble?(thrown: unknown): void;
};

/** Implements everything that is optional in a store. */
export type SqliteStore = Store & { projection: ProjectionBook; upkeep: Required<Store["upkeep"]> };

/** Nothing is opened, created or locked before the first call, so clients that only list the tools leave no trace. */
export function createSqliteStore(
  location: Location,
  clock: Clock,
  { publish = () => {}, onIndexTrouble = () => {}, ...options }: SqliteStoreOptions = {},
): SqliteStore {
  const connector = createConnector(location, options);
  const read = createReader(connector.toRead);
  const known = createKnownSessions();
  const engine = createSqliteEngine(connector.toWrite, {
    onRollback() {
      known.rolledBack();
      accessTimes.rolledBack();
    },
    onCommit() {
      known.committed();
      accessTimes.committed();
    },
  });
  const queue = createCommitQueue(engine);
  /** Runs writes that assign no numbers and are not announced. */
  const submit = ((change) => queue.submit(deciding, change)) as WithConnection;
  const words = createWordIndex(submit, read, createTextWords(), onIndexTrouble);
  const memoryWords = createWordIndex(submit, read, createGraphWords(), onIndexTrouble);
  const accessTimes = createAccessTimes(submit, known);
  const { feed, noteOwnCommit, stop: stopFeed } = createFeed(read);
  const commits = createLedgerCommits({ queue, known, accessTimes, clock, noteOwnCommit });

  /**
   * Runs every write outside the ledger. These writes assign numbers, so the cached last number becomes
   * invalid.
   */
  const write: WithConnection = async (change) => {
    const result = await queue.submit(takingBack, (connection) => {
      known.forgetSequence();
      return change(connection);
    });
    noteOwnCommit();
    return result as ReturnType<typeof change>;
  };

  /** Serves all memory calls, because the queue only combines calls that share a function. */
  const serveMemory: Work<Connection, CommitCall, Committed> = (connection, calls, isOnly) => {
    known.forgetSequence();
    return commitTogether(connection, calls, isOnly);
  };
  const commitMemory = async (call: CommitCall): Promise<Committed> => {
    const committed = await queue.submit(serveMemory, call);
    noteOwnCommit();
    return committed;
  };

  const commitWith: CommitWith = async (request, callFor) => {
    const both = await queue.submit(takingBack, (connection) => {
      try {
        const receipt = commits.appendWithin(connection, request);
        known.forgetSequence();
        const [committed] = commitTogether(connection, [callFor(receipt)], true);
        if (committed?.result) return { receipt, committed: committed.result };
        throw committed?.refused ?? new Error("a call has no outcome");
      } catch (thrown) {
        // The cached sessions include the thought, which is now rolled back.
        known.forgetAll();
        accessTimes.rolledBack();
        throw thrown;
      }
    });
    noteOwnCommit();
    words.later();
    return both as Awaited<ReturnType<CommitWith>>;
  };

  return {
    ledger: createLedgerStore({ read, commits, known, words, accessTimes, clock }),
    conversations: createConversations(read, (change) =>
      write((connection) => {
        known.forgetAll();
        return change(connection);
      }),
    ),
    actions: createActions(read, submit),
    remarks: createRemarks(read, write),
    captured: createCaptureBook(read, submit),
    feed,
    knowledge: createKnowledgeStore(read, write),
    notebooks: createNotebookStore(read, write, clock),
    archive: createNotebookArchive(read, write),
    imports: {
      async importParts(parts, onlyProject) {
        const outcomes = await commits.importParts(parts, onlyProject);
        words.later();
        return outcomes;
      },
      giveWay: () => read(engine.giveWay),
      indexWords: words.catchUpInPieces,
    },
    upkeep: {
      ...createUpkeep(read, write, { words, memoryWords }),
      ...createMemoryTransfer({ location, read, write, words: memoryWords, clock, publish }),
      inspectMemory: (signal) =>
        createLongReader(read)((connection) => inspectMemory(connection, signal), signal),
    },
    trash: createTrash(read, write, clock),
    memory: createMemoryStore(read, write, { commit: commitMemory, commitWith }, memoryWords, publish, clock),
    projection: createProjectionBook(read, submit),
    readFigures: async () => queue.figures(),

    close: () =>
      closeInTurn([
        words.stop,
        memoryWords.stop,
        stopFeed,
        accessTimes.stop,
        () => {
          const flushed = connector.isOpen() ? accessTimes.flush() : undefined;
          engine.hurry();
          return flushed;
        },
        queue.finish,
        engine.stop,
        connector.close,
      ]),
  };
}
