import type { Entry } from "../../domain/memory/entry.ts";
import type { NoteMerge, NoteMergeOutcome } from "../../domain/memory/steps/outcomes.ts";

export type DocumentPage = {
  branch: string;
  doc: string;
  /** Only entries with a lower seq. */
  before?: number | undefined;
  limit: number;
};

/** Oldest first; `hasMore` when older ones were left out. */
export type EntryPage = { entries: Entry[]; hasMore: boolean };

export type DocumentSummary = { doc: string; form: "log" | "graph"; last_seq: number; last_ts_ms: number };

export type DocumentReads = {
  /** The newest entries of the branch's effective view. */
  readEntries(workspace: string, page: DocumentPage): Promise<EntryPage>;
  /** The newest entries that `branch` shows and `without` does not. */
  readDifference(workspace: string, page: DocumentPage & { without: string }): Promise<EntryPage>;
  readEntry(workspace: string, seq: number): Promise<Entry | undefined>;
  /** Those of the entries that are there and not hidden by a deleted branch. */
  readEntriesAt(workspace: string, seqs: readonly number[]): Promise<Entry[]>;
  /** The newest entry that names this agent as its author, among the newest 100,000 writes; 0 if there is none. */
  newestSeqBy(workspace: string, agentId: string): Promise<number>;
  /** Documents of the branch's effective view, by name. */
  listDocs(workspace: string, branch: string): Promise<DocumentSummary[]>;
  /** What a merge would copy, without copying it. */
  previewNoteMerge(workspace: string, merge: NoteMerge): Promise<NoteMergeOutcome>;
  /** Those of the sources of which the document shows a copy on this branch. */
  heldThoughts(
    workspace: string,
    look: { branch: string; doc: string; sources: readonly string[] },
  ): Promise<string[]>;
};
