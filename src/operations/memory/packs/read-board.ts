import * as z from "zod";
import type { CardNode } from "../../../domain/memory/cards/card.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import {
  boardFacets,
  boardLines,
  obstaclesOf,
  type PlaceState,
  planBoard,
  type TaskLine,
  type TaskState,
  taskLine,
  unpublished,
} from "../../../domain/memory/views/board.ts";
import { type Item, isClosed, reasoningRef, type Step } from "../../../domain/tasks/item.ts";
import type { Board, PlaceFacts } from "../../../ports/memory/board.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { PackList } from "../../pipeline/fit/pack.ts";
import { type CardGround, type CardMarks, type GroundContext, markCards } from "../ground/read-ground.ts";
import { endLeases } from "../leases/tasks-step-lease.ts";
import type { ResolvedDocs } from "../scope.ts";
import type { Since } from "../workspace/changes.ts";
import { listAt } from "./trim-packs.ts";

const lines = z.array(z.string()).optional();
const placeLines = {
  decided: lines,
  given_up: lines,
  drafts: lines,
  conflicts: lines,
  jobs: lines,
  note: z.string().optional(),
};

/** A line that was shortened to fit a budget may have only its ID. */
const taskLineSchema = z.strictObject({
  id: z.string(),
  title: z.string().optional(),
  status: z.string().optional(),
  priority: z.string().optional(),
  assignee: z.string().optional(),
  step: z.string().optional(),
  holder: z.string().optional(),
  blockers: lines,
  waits_for: lines,
  ...placeLines,
});

/** Only a plan has `progress`, `ready` and `tasks`. */
export const boardSchema = z.strictObject({
  ...taskLineSchema.partial().shape,
  why: z.string().optional(),
  progress: z.string().optional(),
  plans: lines,
  ready: lines,
  tasks: z.array(taskLineSchema).optional(),
});

/** A plan is about its tasks, so the other blocks are dropped first. */
export const boardLists: readonly PackList[] = [
  {
    path: "board.tasks",
    oldest: "last",
    least: 12,
    stub: ({ id, title, status, step }) => ({ id, title, status, ...(step !== undefined && { step }) }),
  },
  ...["plans", "ready", "waits_for", "blockers", "given_up", "conflicts", "drafts", "jobs"].map((name) => ({
    ...listAt(`board.${name}`),
    least: 3,
  })),
];

/** The maximum number of a plan's tasks to read. */
const maxTasks = 200;
const perPlace = 12;

export type BoardView = {
  /** Ages are relative to this time. */
  now_ms: number;
  shown: z.input<typeof boardSchema>;
  /** True if no note has ever been written in this place. */
  isEmpty: boolean;
  conflictsOpen: number;
  /** Conflict IDs by card. */
  contested: ReadonlyMap<string, string>;
  authors: ReadonlyMap<string, string>;
  doubted(id: string): string[];
  groundOf(id: string): CardGround | undefined;
  /** Unpublished draft decisions. Listed even if the view hides drafts. */
  drafts: readonly CardNode[];
  openSteps: readonly Step[];
  lastEvent: number;
  obstacles: { blockers: readonly string[]; waits_for: readonly Item[] };
};

const cardAt = ({ branch, doc }: GraphPlace, id: string) => ({ branch, doc, id });

/** Reads a board with a few database queries, regardless of how many tasks a plan has. */
export async function readBoard(
  context: GroundContext & Pick<MemoryContext, "clock">,
  { target: item, ...place }: ResolvedDocs,
  ids: readonly string[],
  since?: Since,
): Promise<BoardView> {
  const { memory, workspace, clock } = context;
  const query = { place, item, tasks: maxTasks, facets: boardFacets, ids, limit: perPlace };
  const stored = await memory.readBoard(workspace, query);
  const steps = await endLeases(memory, workspace, stored.steps, clock().getTime());
  const whole = { ...stored, steps };
  const found = newOn(whole, since);
  const { lastEvent } = found;
  const here = { branch: place.branch, doc: place.graph_doc };
  const tasks = found.tasks.map(({ id }) => {
    const { branch, graph_doc: doc } = reasoningRef(id);
    return { branch, doc };
  });
  const marksOf = await markCards(context, [
    ...[...ids, ...found.own.cards.map(({ id }) => id)].map((id) => cardAt(here, id)),
    ...found.below.flatMap(({ cards }, at) =>
      cards.flatMap(({ id }) => (tasks[at] ? [cardAt(tasks[at], id)] : [])),
    ),
  ]);
  const marksIn = (at: GraphPlace | undefined) =>
    marksAt((id) => (at ? marksOf(cardAt(at, id)) : { doubts: [] }));
  const own = Object.assign({}, found.own, marksIn(here));
  const below = found.below.map((facts, at) => Object.assign({}, facts, marksIn(tasks[at])));
  const others = new Map(found.tasks.map((task) => [task.id, task]));
  const state = item?.kind === "task" ? stateOf(item, found, others) : undefined;
  const obstacles = state ? obstaclesOf(state) : { blockers: [], waits_for: [] };
  const now_ms = clock().getTime();
  return {
    now_ms,
    shown: showBoard(item, state, { ...found, own, below }, others, { since, now_ms }),
    isEmpty: whole.own.note === undefined,
    conflictsOpen: [own, ...found.below].reduce((sum, { conflictsOpen }) => sum + conflictsOpen, 0),
    contested: new Map(own.conflicts.map(({ key, conflict_id }) => [key, conflict_id])),
    authors: own.authors,
    doubted: own.doubts,
    groundOf: (id) => marksOf(cardAt(here, id)).ground,
    drafts: unpublished(own.cards),
    openSteps: state?.steps.filter(({ completed }) => !completed) ?? [],
    lastEvent,
    obstacles: {
      blockers: obstacles.blockers,
      waits_for: obstacles.waits_for.flatMap((id) => others.get(id) ?? []),
    },
  };
}

const marksAt = (marksOf: (id: string) => CardMarks) => ({
  doubts: (id: string) => marksOf(id).doubts.map((doubt) => doubt.id),
  moved: (id: string) => marksOf(id).ground?.ground_moved ?? [],
});

/** Keeps only items newer than `since`. A plan always shows its tasks and dependencies. */
function newOn(found: Board, since: Since | undefined): Board {
  if (!since) return found;
  const isNew = ({ last_seq }: CardNode) => last_seq > since.seq;
  const newIn = (facts: PlaceFacts): PlaceFacts => {
    const conflicts = facts.conflicts.filter(({ created_at_ms }) => created_at_ms >= since.ts_ms);
    const note = facts.note && facts.note.seq > since.seq ? facts.note : undefined;
    return { ...facts, cards: facts.cards.filter(isNew), conflicts, note };
  };
  return {
    ...found,
    own: newIn(found.own),
    below: found.below.map(newIn),
    jobs: found.jobs.filter(({ updated_at_ms }) => updated_at_ms >= since.ts_ms),
  };
}

const stateOf = (
  item: Item,
  { steps, jobs, lastEvent }: Board,
  others: ReadonlyMap<string, Item>,
): TaskState => ({
  item,
  steps: steps.filter(({ task }) => task === item.id),
  jobs: jobs.filter(({ task_id }) => task_id === item.id),
  lastEvent,
  others,
});

function showBoard(
  item: Item | undefined,
  state: TaskState | undefined,
  found: Board,
  others: ReadonlyMap<string, Item>,
  { since, now_ms }: { since: Since | undefined; now_ms: number },
): BoardView["shown"] {
  const { decided, note, ...lines } = boardLines(found.own, now_ms);
  if (item?.kind === "plan") {
    const tasks = found.tasks.map((task, at) => {
      const one = stateOf(task, found, others);
      const facts = found.below[at];
      return { state: one, line: taskLine(one, facts ? boardLines(facts, now_ms) : {}) };
    });
    const board = planBoard(item, tasks);
    const changed = new Set(
      tasks.filter(({ state, line }) => isNewTask(state, line, since)).map(({ line }) => line),
    );
    return {
      ...board,
      tasks: board.tasks.filter((line) => changed.has(line)),
      ...(decided && { decided }),
      ...lines,
    };
  }
  // The pack already shows decisions with their evidence, and the notes of a branch.
  if (state) {
    const why = whyOf(found.plan);
    return {
      ...(why !== undefined && { why }),
      ...taskLine(state, { ...lines, ...(note !== undefined && { note }) }),
    };
  }
  const plans = found.plans.map(({ id, status, title }) => `${id} ${status} ${title}`);
  return plans.length > 0 ? { plans, ...lines } : lines;
}

function isNewTask({ item }: TaskState, line: TaskLine, since: Since | undefined): boolean {
  const { decided, given_up, drafts, conflicts, jobs, note } = line;
  return (
    since === undefined ||
    item.updated_at_ms >= since.ts_ms ||
    [decided, given_up, drafts, conflicts, jobs, note].some((told) => told !== undefined)
  );
}

const whyOf = (plan: Item | undefined): string | undefined =>
  plan && `${plan.id} ${plan.title}${plan.description === undefined ? "" : `: ${plan.description}`}`;

/** Returns the board of a session. A session has only its own cards, so the board lists only dead ends. */
export const sessionBoard = (cards: readonly CardNode[], now_ms: number): BoardView => {
  const facts: PlaceState = { cards, evidence: [], authors: new Map(), conflicts: [], note: undefined };
  const { given_up } = boardLines(facts, now_ms);
  return {
    now_ms,
    shown: given_up ? { given_up } : {},
    isEmpty: false,
    conflictsOpen: 0,
    contested: new Map(),
    authors: new Map(),
    doubted: () => [],
    groundOf: () => undefined,
    drafts: [],
    openSteps: [],
    lastEvent: 0,
    obstacles: { blockers: [], waits_for: [] },
  };
};

/** Returns the first ready task, or the first open task if none is ready. */
export const nextTask = ({ ready = [], tasks = [] }: BoardView["shown"]) =>
  tasks.find(({ id }) => id === ready[0]) ??
  tasks.find(({ status }) => !isClosed({ status: (status ?? "TODO") as Item["status"] }));
