import type { CommitCall } from "../../domain/memory/steps/commit-calls.ts";
import type { Clock } from "../../kernel/clock.ts";
import { closeInTurn } from "../../kernel/close-in-turn.ts";
import { createCommitQueue, type Work } from "../../kernel/commit-queue.ts";
import type { ToolVisibility } from "../../ports/content.ts";
import type { ConnectionBook } from "../../ports/conversations.ts";
import type { EventSink } from "../../ports/events.ts";
import type { MigrationOptions, MigrationReport, Store } from "../../ports/store.ts";
import type { Committed } from "../memory/commit.ts";
import type { CommitWith } from "../memory/memory-store.ts";
import {
  createReader,
  createSideWriter,
  type Naming,
  type WithWrite,
  type WriteConnection,
} from "./connection/access.ts";
import { createHints } from "./connection/hints.ts";
import { createConnector, type PostgresOptions } from "./connection/open-pool.ts";
import { createPostgresEngine, deciding, takingBack } from "./connection/postgres-engine.ts";
import { currentSeq } from "./connection/sequence.ts";
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
import { createConnectionBook } from "./upkeep/connection-book.ts";
import { createFeed } from "./upkeep/feed.ts";
import { createKeepsakes } from "./upkeep/keepsakes.ts";
import { createTrash } from "./upkeep/trash.ts";
import { createUpkeep } from "./upkeep/upkeep.ts";

export type PostgresStoreOptions = PostgresOptions & {
  /** Called after a commit with the changes that this process made to the memory. */
  publish?: EventSink;
  /** The machine whose transcripts are captured. */
  machine?: string;
};

/** The store, and what all servers for a tenant share besides the recorded data. */
export type PostgresStore = Store & {
  toolVisibility: ToolVisibility;
  loadRequestKey(): Promise<string>;
  migrate(options: MigrationOptions): Promise<MigrationReport>;
  shareTokenDigest(own: string): Promise<string>;
  connections: ConnectionBook;
  /** Checks that the database can be read. Rejects without retries if it cannot. */
  check(): Promise<void>;
};

/** Creates a store that connects to the database on its first call. */
export function createPostgresStore(options: PostgresStoreOptions, clock: Clock): PostgresStore {
  const { tenant, publish = () => {}, machine = "" } = options;
  const connector = createConnector(options);
  const naming: Naming = { byName: true };
  const { pool } = connector;
  const { read, together } = createReader({ pool, tenant, naming });
  const { read: readOnce } = createReader({ pool, tenant, naming, patienceMs: 0 });
  const known = createKnownSessions();
  const engine = createPostgresEngine(pool, tenant, naming, {
    onRollback() {
      known.rolledBack();
      accessTimes.rolledBack();
    },
    onRefusal() {
      known.refused();
      accessTimes.rolledBack();
    },
    onCommit(version) {
      known.committed(version);
      accessTimes.committed();
    },
  });
  const queue = createCommitQueue(engine);
  const hints = createHints(pool, tenant);
  const { feed, noteOwnCommit: tellOwn, seen: feedSeen, stop: stopFeed } = createFeed(read, hints);
  const noteOwnCommit = () => {
    tellOwn();
    hints.tell();
  };
  /** Runs a write that assigns no numbers and is not announced. */
  const submit: WithWrite = async (change) => (await queue.submit(deciding, change)) as never;
  const accessTimes = createAccessTimes(submit, known);
  const commits = createLedgerCommits({ queue, known, accessTimes, clock, noteOwnCommit });

  /** Runs a write outside the ledger. First refreshes the cached sessions. */
  const write: WithWrite = async (change) => {
    const result = await queue.submit(takingBack, (connection: WriteConnection) => {
      known.refresh(connection);
      return change(connection);
    });
    noteOwnCommit();
    return result as never;
  };
  const writeAround: WithWrite = (change) =>
    write((connection) => {
      known.forgetAll();
      return change(connection);
    });

  /** Serves calls to the memory. The queue combines only calls that share a function, such as this one. */
  const serveMemory: Work<WriteConnection, CommitCall, Committed> = (connection, calls, isOnly) => {
    known.refresh(connection);
    return commitTogether(connection, calls, isOnly);
  };
  const commitMemory = async (call: CommitCall): Promise<Committed> => {
    const committed = await queue.submit(serveMemory, call);
    noteOwnCommit();
    return committed;
  };

  const commitWith: CommitWith = async (request, callFor) => {
    const both = await queue.submit(takingBack, async (connection: WriteConnection) => {
      try {
        const receipt = await commits.appendWithin(connection, request);
        const [committed] = await commitTogether(connection, [callFor(receipt)], true);
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
    return both as Awaited<ReturnType<CommitWith>>;
  };

  return {
    ledger: createLedgerStore({ read, together, commits, known, accessTimes, clock }),
    conversations: createConversations(read, writeAround),
    feed,
    knowledge: createKnowledgeStore(read, write),
    notebooks: createNotebookStore(read, write, clock),
    archive: createNotebookArchive(read, write),
    imports: { importParts: commits.importParts },
    upkeep: {
      ...createUpkeep(read),
      ...createMemoryTransfer({ pool, tenant, naming, read, write, clock, publish }),
    },
    trash: createTrash(read, writeAround, clock),
    memory: createMemoryStore({ read, together, write, commit: commitMemory, commitWith, publish, clock }),
    actions: createActions(read, write),
    remarks: createRemarks(read, write),
    captured: createCaptureBook(read, submit, machine),
    ...createKeepsakes(readOnce, submit),
    connections: createConnectionBook(read, createSideWriter({ pool, tenant, naming }), clock),
    migrate: connector.migrate,
    check: async () => void (await readOnce(currentSeq)),

    async readFigures() {
      const lockWaitSeconds = engine.meter.lockWaitMs / 1_000;
      const opened = connector.opened();
      const seen = feedSeen();
      const last = seen === undefined ? undefined : await feed.lastSeq();
      return {
        ...queue.figures(),
        lockWaitSeconds,
        ...(opened && { pool: opened.size() }),
        ...(last !== undefined && seen !== undefined && { feedBehind: Math.max(0, last - seen) }),
      };
    },

    close: () =>
      closeInTurn([
        stopFeed,
        accessTimes.stop,
        accessTimes.flush,
        queue.finish,
        hints.close,
        connector.close,
      ]),
  };
}
