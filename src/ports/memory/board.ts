import type { CardNode } from "../../domain/memory/cards/card.ts";
import type { Entry } from "../../domain/memory/entry.ts";
import type { Item, Step } from "../../domain/tasks/item.ts";
import type { Job } from "../../domain/tasks/job.ts";

/** A branch and the names of its documents. */
export type BoardPlace = { branch: string; graph_doc: string; trace_doc: string; notes_doc: string };

export type BoardQuery = {
  place: BoardPlace;
  /** The plan or task that this place belongs to. For a plan, the board also includes its tasks' places. */
  item: Item | undefined;
  /** How many of the plan's tasks to read. */
  tasks: number;
  /** The card facets to select, as defined in `domain/memory/views/selection.ts`. */
  facets: readonly string[];
  /** IDs of other cards in the place whose authors to return. */
  ids: readonly string[];
  /** The maximum number of cards per facet, of conflicts and of jobs. */
  limit: number;
};

export type OpenConflict = { conflict_id: string; key: string; from: string; created_at_ms: number };

export type PlaceFacts = {
  /** Cards that have any of the facets, newest first. */
  cards: CardNode[];
  /** The evidence that supports each decision among these cards, found through its `supports` edges. */
  evidence: { decision: string; card: CardNode }[];
  /** Who wrote each card, by card ID. Omits writers without a name. */
  authors: ReadonlyMap<string, string>;
  /** The newest open conflicts. */
  conflicts: OpenConflict[];
  conflictsOpen: number;
  /** The newest note. */
  note: Entry | undefined;
};

export type Board = {
  own: PlaceFacts;
  /** The item's plan, or the item itself if it is a plan, followed by the plan's first tasks by number. */
  plan: Item | undefined;
  tasks: Item[];
  /** For a plan: the newest facts from each task's place, in the order of the tasks. */
  below: PlaceFacts[];
  /** The newest open plans. Empty if the query names an item. */
  plans: Item[];
  /** The steps of all tasks, in outline order. */
  steps: Step[];
  /** The jobs, newest first. */
  jobs: Job[];
  /** The number of the newest task event, which determines when leases expire. */
  lastEvent: number;
};

export type BoardReads = {
  /**
   * Reads the newest facts of many places from one snapshot. The number of statements does not depend on the number of
   * places.
   */
  readBoard(workspace: string, query: BoardQuery): Promise<Board>;
};
