import type { ImportReport } from "./ledger-import.ts";
import type { Progress } from "./upkeep.ts";

export type DumpOptions = {
  /** Told in sessions. */
  progress?: Progress;
  signal?: AbortSignal;
};

export type DumpReport = { path: string; bytes: number; sessions: number; thoughts: number; notes: number };

export type RestoreReport = Omit<ImportReport, "badFiles"> & {
  /** Knowledge that the store did not hold, and what it held under the same id, which stands. */
  notes: number;
  keptNotes: number;
  badLines: { line: number; problem: string }[];
};

/** Everything that was recorded as lines of JSON that any program can read, and back. */
export interface LedgerDump {
  /** Never overwrites a file; one that could not be finished is removed. The trash stays out. */
  dump(path: string, options?: DumpOptions): Promise<DumpReport>;
  /** Brings back what `dump` wrote, to the hash. What the store holds under the same ids is never overwritten. */
  restore(path: string, options?: DumpOptions): Promise<RestoreReport>;
}
