import type { CardNode } from "../../domain/memory/cards/card.ts";
import type { ThinkDecision, ThinkFacts, ThinkOutcome } from "../../domain/memory/cards/think-decision.ts";
import type { CardFilter } from "../../domain/memory/views/card-filter.ts";
import type { GraphPlace } from "./graph.ts";

/**
 * Changes to the cards of one graph. The store loads the facts about `ids` in bulk, lets `decide` look at them inside
 * the transaction, and writes what it returns. `decide` must be pure: it may be run again.
 */
export type ThinkInput = {
  branch?: string | undefined;
  graph_doc: string;
  trace_doc: string;
  ids: readonly string[];
  decide(facts: ThinkFacts): ThinkDecision<unknown>;
};

export type ThinkSteps = { think: [input: ThinkInput, outcome: ThinkOutcome<unknown>] };

export type CardReads = {
  /** For each filter its newest cards, all from one moment. Costs what it returns, whatever the graph holds. */
  selectCards<Name extends string>(
    workspace: string,
    place: GraphPlace,
    filters: Readonly<Record<Name, CardFilter>>,
  ): Promise<Record<Name, CardNode[]>>;
  /** Cards that share a live edge with one of these. */
  neighboursOf(
    workspace: string,
    place: GraphPlace,
    ids: readonly string[],
    limit: number,
  ): Promise<CardNode[]>;
};
