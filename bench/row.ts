import type { openStoreCache } from "./stores/store-cache.ts";

export type Figure = {
  value: number;
  unit: "ms" | "/s" | "MB/s" | "MB" | "bytes" | "lost" | "×" | "share" | "score";
  /** The slowest samples, in the same unit. */
  p95?: number;
  p99?: number;
};

export type Line = {
  /** A unique ID, `row` or `row.part`. `reasons.json` uses this ID as its key. */
  id: string;
  what: string;
  ours: Figure;
  against?: { name: string; figure: Figure };
  ratio?: number;
  /**
   * `share` is how much of the limit is used, where 1 is the limit itself. If `share` is greater than 1, the
   * goal is missed by the difference.
   */
  goal?: { text: string; met: boolean; share: number };
};

export type Bench = {
  stores: ReturnType<typeof openStoreCache>;
  /** Whether this is a quick test run, whose figures mean little. */
  quick: boolean;
  /** Whether the `scale` row searches a million thoughts instead of 100,000. */
  million: boolean;
  /** A file or folder with questions and known answers, given by the user. */
  data: string | undefined;
  /** Returns `count`, or a fifth of it in a quick run. */
  times(count: number): number;
};

/** One part of the benchmark, in its own file. */
export type Row = {
  id: string;
  about: string;
  run(bench: Bench): Promise<Line[]>;
};
