import type { CardNode } from "../../domain/memory/cards/card.ts";
import type { GraphVersion } from "../../domain/memory/graph.ts";
import type { GraphPlace } from "../../domain/memory/steps/outcomes.ts";
import type { CardFilter } from "../../domain/memory/views/card-facets.ts";
import type { Step } from "../../domain/tasks/item.ts";
import type { GraphChanges, GraphDifference } from "./graph.ts";
import type { OverviewLimits, TaskOverview } from "./tasks.ts";

/** What to read for a slice. The functions are pure: each says, from what was found so far, what is read next. */
export type SlicePlan<Name extends string> = {
  /** The task whose steps are read first. */
  task: string | undefined;
  filters(steps: readonly Step[]): Readonly<Record<Name, CardFilter>>;
  /** The cards whose neighbours are wanted, and how many. */
  neighbours: { of(selected: Record<Name, CardNode[]>): readonly string[]; limit: number };
  /** The cards among which edges are wanted, and how many. */
  edges: {
    among(found: Pick<StoredSlice<Name>, "steps" | "selected" | "neighbours">): readonly string[];
    limit: number;
  };
} & SliceExtras;

/** What some views show beside the cards, as it was at the same moment. */
export type SliceExtras = {
  overview?: { target: string; limits: OverviewLimits } | undefined;
  difference?: GraphDifference | undefined;
};

export type StoredSlice<Name extends string> = {
  steps: readonly Step[];
  selected: Record<Name, CardNode[]>;
  /** Cards that share a live edge with one of those that were named. */
  neighbours: CardNode[];
  edges: GraphVersion[];
  /** `undefined` where it was not asked for, or there is no such plan or task. */
  overview: TaskOverview | undefined;
  /** `undefined` where it was not asked for. */
  difference: GraphChanges | undefined;
  /** The newest seq at that moment; what is read later can be kept from showing more. */
  asOfSeq: number;
};

export type CardReads = {
  /** For each filter its newest cards, all from one moment. Costs what it returns, whatever the graph holds. */
  selectCards<Name extends string>(
    workspace: string,
    place: GraphPlace,
    filters: Readonly<Record<Name, CardFilter>>,
  ): Promise<Record<Name, CardNode[]>>;
  /** All that a view of the cards is made of, from one moment. */
  readSlice<Name extends string>(
    workspace: string,
    place: GraphPlace,
    plan: SlicePlan<Name>,
  ): Promise<StoredSlice<Name>>;
};
