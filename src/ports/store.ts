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

/** What a store reports about its work, for operators. */
export type StoreFigures = {
  /** Writes that wait for the next commit. */
  queue: number;
  /** How often so many writes were committed together. */
  batches: ReadonlyMap<number, number>;
  /** Time that commits have waited for their lock. */
  lockWaitSeconds?: number;
  pool?: { open: number; idle: number; waiting: number; max: number };
  /** Changes that this process has not heard of yet, while it listens. */
  feedBehind?: number;
};

/** `from`: the schema that was found, 0 for none. `to`: the one that this program writes. `isMissing`: the first write creates it. */
export type MigrationReport = { from: number; to: number; isMissing?: boolean };
export type MigrationOptions = {
  /** Looks only. */
  check: boolean;
  /** The role by which servers connect. It may read and write, and change no table. */
  grant?: string | undefined;
};

/** Everything that is recorded, port by port. To extend one, wrap only that port. */
export type Store = {
  ledger: LedgerStore;
  conversations: Conversations;
  actions: Actions;
  remarks: Remarks;
  captured: CaptureBook;
  /** Every write of the other ports appears here, so that nothing can go around those who follow it. */
  feed: Feed;
  knowledge: KnowledgeStore;
  notebooks: NotebookStore;
  archive: NotebookArchive;
  imports: LedgerImport;
  upkeep: LedgerUpkeep & MemoryTransfer & MemoryUpkeep;
  trash: Trash;
  memory: MemoryStore;
  /** Where files that follow the feed keep their place. Absent if no files may follow this store. */
  projection?: ProjectionBook;
  readFigures(): Promise<StoreFigures>;
  /** Waits for running writes, then closes everything that was opened. */
  close(): Promise<void>;
};
