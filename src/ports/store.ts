import type { Actions, Remarks } from "./actions.ts";
import type { CaptureBook } from "./capture.ts";
import type { Conversations } from "./conversations.ts";
import type { Feed } from "./feed.ts";
import type { KnowledgeStore } from "./knowledge-store.ts";
import type { LedgerImport } from "./ledger-import.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { MemoryTransfer } from "./memory/memory-dump.ts";
import type { MemoryStore, MemoryUpkeep } from "./memory/memory-store.ts";
import type { NotebookArchive } from "./notebook/notebook-archive.ts";
import type { NotebookStore } from "./notebook/notebook-store.ts";
import type { ProjectionBook } from "./projection-book.ts";
import type { LedgerUpkeep, Trash } from "./upkeep.ts";

/** Metrics of a store, for operators. */
export type StoreFigures = {
  /** The number of writes that are waiting for the next commit. */
  queue: number;
  /** The number of commits, by how many writes they contained. */
  batches: ReadonlyMap<number, number>;
  /** The total time in seconds that commits have waited for their lock. */
  lockWaitSeconds?: number;
  pool?: { open: number; idle: number; waiting: number; max: number };
  /** The number of changes that this process has not received yet. Absent while this process is not listening. */
  feedBehind?: number;
};

/**
 * `from` is the schema that was found, or 0 if there was none. `to` is the schema that this program writes.
 * `isMissing` is true if there is no store yet. The first write then creates it.
 */
export type MigrationReport = { from: number; to: number; isMissing?: boolean };
export type MigrationOptions = {
  /** If true, only checks the schema and changes nothing. */
  check: boolean;
  /** The role that servers connect as. That role may read and write, but not change tables. */
  grant?: string | undefined;
};

/** All ports of the storage. To change what a port does, wrap only that port. */
export type Store = {
  ledger: LedgerStore;
  conversations: Conversations;
  actions: Actions;
  remarks: Remarks;
  captured: CaptureBook;
  /** Every write through the other ports appears here, so followers of the feed miss nothing. */
  feed: Feed;
  knowledge: KnowledgeStore;
  notebooks: NotebookStore;
  archive: NotebookArchive;
  imports: LedgerImport;
  upkeep: LedgerUpkeep & MemoryTransfer & MemoryUpkeep;
  trash: Trash;
  memory: MemoryStore;
  /** Stores how far the JSON files have followed the feed. Absent if this kind of store has no JSON files. */
  projection?: ProjectionBook;
  readFigures(): Promise<StoreFigures>;
  /** Waits for running writes, then closes everything that was opened. */
  close(): Promise<void>;
};
