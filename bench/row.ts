import type { openStoreCache } from "./stores/store-cache.ts";

export type Figure = {
  value: number;
  unit: "ms" | "/s" | "MB/s" | "MB" | "bytes" | "lost" | "×" | "share" | "score";
  /** What the slowest of them took, in the same unit. */
  p95?: number;
  p99?: number;
};

export type Line = {
  /** Unique, `row` or `row.part`: reasons are kept by it. */
  id: string;
  what: string;
  ours: Figure;
  against?: { name: string; figure: Figure };
  ratio?: number;
  /** `share` of the limit that was needed: above 1 the goal is missed by so much. */
  goal?: { text: string; met: boolean; share: number };
};

export type Bench = {
  stores: ReturnType<typeof openStoreCache>;
  /** A quick try of the program: the figures mean little. */
  quick: boolean;
  /** Questions with known answers that someone brought along: a file or a folder. */
  data: string | undefined;
  /** So often, or a fifth of it in a quick try. */
  times(count: number): number;
};

/** One subject of the benchmark, in its own file. */
export type Row = {
  id: string;
  about: string;
  run(bench: Bench): Promise<Line[]>;
};
