import type { Clock } from "../../kernel/clock.ts";
import type { EventSink } from "../../ports/events.ts";
import type { ProjectionBook } from "../../ports/projection-book.ts";
import type { Store } from "../../ports/store.ts";
import { createReader, type WithConnection } from "./connection/access.ts";
import { createCommitQueue } from "./connection/commit-queue.ts";
import { createConnector } from "./connection/connector.ts";
import type { Location, OpenOptions } from "./connection/open-database.ts";
import { createAccessTimes } from "./ledger/access-times.ts";
import { createAppendRun } from "./ledger/append-thought.ts";
import { createConversations } from "./ledger/conversations.ts";
import { importParts } from "./ledger/import-parts.ts";
import { createKnowledgeStore } from "./ledger/knowledge-store.ts";
import { createKnownSessions } from "./ledger/known-sessions.ts";
import { createLedgerStore } from "./ledger/ledger-store.ts";
import { createMemoryDump } from "./memory/dump/dump-memory.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import { createNotebookArchive } from "./notebook/notebook-archive.ts";
import { createNotebookStore } from "./notebook/notebook-store.ts";
import { createFeed } from "./projection/feed.ts";
import { createProjectionBook } from "./projection/projection-book.ts";
import { createWordIndex } from "./search/word-index.ts";
import { graphWords, textWords } from "./search/word-sources.ts";
import { createTrash } from "./upkeep/trash.ts";
import { createUpkeep } from "./upkeep/upkeep.ts";

export type SqliteStoreOptions = OpenOptions & {
  /** Called with what this process changed in the memory, after the commit. */
  publish?: EventSink;
  /** Called when new texts could not be indexed behind an acknowledgement. The next search tries again. */
  onIndexTrouble?(thrown: unknown): void;
};

/** Offers everything that a store may. */
export type SqliteStore = Store & { projection: ProjectionBook; upkeep: Required<Store["upkeep"]> };

/** Nothing is opened, created or locked before the first call: a probing client leaves no trace. */
export function createSqliteStore(
  location: Location,
  clock: Clock,
  { publish = () => {}, onIndexTrouble = () => {}, ...options }: SqliteStoreOptions = {},
): SqliteStore {
  const connector = createConnector(location, options);
  const read = createReader(connector.toRead);
  const sessions = createKnownSessions();
  const appends = createAppendRun(sessions);
  const queue = createCommitQueue(connector.toWrite, appends);
  const words = createWordIndex(queue, read, textWords, onIndexTrouble);
  const memoryWords = createWordIndex(queue, read, graphWords, onIndexTrouble);
  const accessTimes = createAccessTimes(queue.submit, sessions);
  const { feed, noteOwnCommit, stop: stopFeed } = createFeed(read);

  /** The one way to write what others may want to know of. */
  const writing =
    (inRun: boolean): WithConnection =>
    async (change) => {
      const result = await queue.submit((connection) => {
        if (!inRun) sessions.forgetAll();
        try {
          const changed = change(connection);
          accessTimes.writeDown(connection);
          return changed;
        } finally {
          if (!inRun) sessions.forgetAll();
        }
      }, inRun);
      noteOwnCommit();
      return result;
    };
  const write = writing(false);

  async function catchUpWords(tell: (remaining: number) => void): Promise<number> {
    const thoughts = await read(textWords.countPending);
    const nodes = await memoryWords.catchUp((remaining) => tell(remaining + thoughts));
    return nodes + (await words.catchUp((remaining) => tell(remaining + nodes)));
  }

  return {
    ledger: createLedgerStore({
      read,
      write,
      writeInRun: writing(true),
      appends,
      sessions,
      words,
      accessTimes,
      clock,
    }),
    conversations: createConversations(read, write),
    feed,
    knowledge: createKnowledgeStore(read, write),
    notebooks: createNotebookStore(read, write, clock),
    archive: createNotebookArchive(read, write),
    imports: {
      async importParts(parts, onlyProject) {
        const outcomes = await write((connection) => importParts(connection, parts, onlyProject));
        words.later();
        return outcomes;
      },
    },
    upkeep: {
      ...createUpkeep(read, write, catchUpWords),
      ...createMemoryDump({ location, read, write, words: memoryWords, clock, publish }),
    },
    trash: createTrash(read, write),
    memory: createMemoryStore(read, write, memoryWords, publish, clock),
    projection: createProjectionBook(read, queue.submit),

    async close() {
      words.stop();
      memoryWords.stop();
      stopFeed();
      accessTimes.stop();
      const flushed = connector.isOpen() ? accessTimes.flush() : undefined;
      await queue.finish();
      await flushed;
      connector.close();
    },
  };
}
