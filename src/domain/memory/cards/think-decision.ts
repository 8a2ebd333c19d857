import type { Entry, NewEntry } from "../entry.ts";
import type { GraphState, NodeContent } from "../graph.ts";

/** The state of a graph and its trace before cards are written or changed. */
export type ThinkFacts = {
  workspace: string;
  branch: string;
  graph_doc: string;
  trace_doc: string;
  /** Live nodes with the requested IDs, and with the IDs that may be assigned next. */
  nodes: ReadonlyMap<string, NodeContent & { last_seq: number; last_ts_ms: number }>;
  /** How the cards with these IDs were first written to this trace. */
  written: ReadonlyMap<string, { seq: number; fingerprint: string }>;
  /** Keys of live edges that begin at the requested nodes. */
  edges: ReadonlySet<string>;
  /** The number of the next card without an ID. */
  nextCard: number;
};

export type ThinkEntry = {
  doc: string;
  entry: NewEntry;
  /** Makes a second arrival a repetition. */
  source?: string | undefined;
};

/** Written in one transaction, entries first, or not at all. */
export type ThinkDecision<Answer> = {
  entries: readonly ThinkEntry[];
  states: readonly GraphState[];
  nextCard?: number | undefined;
  answer: Answer;
};

/** What was written, in the order of the decision. */
export type ThinkOutcome<Answer> = {
  branch: string;
  graph_doc: string;
  trace_doc: string;
  entries: Pick<Entry, "seq" | "ts" | "ts_ms" | "doc">[];
  nodes_upserted: number;
  edges_upserted: number;
  last_seq: number | undefined;
  answer: Answer;
};
