import type { CardNode } from "../../domain/memory/cards/card.ts";
import type { Entry } from "../../domain/memory/entry.ts";
import type { Item, Step } from "../../domain/tasks/item.ts";
import type { Job } from "../../domain/tasks/job.ts";

/** A branch with its documents. */
export type BoardPlace = { branch: string; graph_doc: string; trace_doc: string; notes_doc: string };

export type BoardQuery = {
  place: BoardPlace;
  /** The plan or task that the place belongs to. With a plan, the places of its tasks are looked at too. */
  item: Item | undefined;
  /** So many tasks of the plan. */
  tasks: number;
  /** Marks of the cards that are wanted, as `domain/memory/views/card-facets.ts` names them. */
  facets: readonly string[];
  /** Cards of the place whose authors are wanted too. */
  ids: readonly string[];
  /** So many cards for each mark, conflicts and jobs. */
  limit: number;
};

export type OpenConflict = { conflict_id: string; key: string; from: string; created_at_ms: number };

export type PlaceFacts = {
  /** Cards that have any of the marks, newest first. */
  cards: CardNode[];
  /** Evidence at the other end of a `supports` edge of a decision among them. */
  evidence: { decision: string; card: CardNode }[];
  /** Who wrote the cards, by id; as far as they said who they are. */
  authors: ReadonlyMap<string, string>;
  /** The newest of those that wait for a decision, and how many wait. */
  conflicts: OpenConflict[];
  conflictsOpen: number;
  /** The newest note. */
  note: Entry | undefined;
};

export type Board = {
  own: PlaceFacts;
  /** The plan of the item, or the item if it is one; with its first tasks by number. */
  plan: Item | undefined;
  tasks: Item[];
  /** Of a plan: what is newest in the place of each task, in their order. */
  below: PlaceFacts[];
  /** If there is no item: the newest plans that are open. */
  plans: Item[];
  /** Of all tasks, in the order of an outline. */
  steps: Step[];
  /** Newest first. */
  jobs: Job[];
  /** The number of the newest task event: leases run out by it. */
  lastEvent: number;
};

export type BoardReads = {
  /** What is newest in many places, of one moment, in as many statements as for one place. */
  readBoard(workspace: string, query: BoardQuery): Promise<Board>;
};
