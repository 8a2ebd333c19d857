import { count } from "../../../kernel/numbers.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { type Item, isClosed, rankOf, type Step } from "../../tasks/item.ts";
import type { Job } from "../../tasks/job.ts";
import { isHeld } from "../../tasks/lease.ts";
import { firstOpen } from "../../tasks/steps.ts";
import { type CardNode, isThinkType, nameOf } from "../cards/card.ts";
import { publishedId } from "../cards/change-cards.ts";
import { isDraft } from "../cards/visibility.ts";
import { readDecision, reversedStatus } from "../decisions/decision.ts";
import type { Entry } from "../entry.ts";

/** Statuses of abandoned cards. */
const givenUpStatuses: readonly string[] = [
  ...["rejected", "refuted", "abandoned", "dropped", "canceled"],
  reversedStatus,
];
const givenUpTag = "dead-end";

export const boardFacets: readonly string[] = [
  "card:decision",
  ...givenUpStatuses.map((status) => `status:${status}`),
  `tag:${givenUpTag}`,
];

/** The facts about one branch, plan or task. See `ports/memory/board.ts`. */
export type PlaceState = {
  cards: readonly CardNode[];
  evidence: readonly { decision: string; card: CardNode }[];
  authors: ReadonlyMap<string, string>;
  conflicts: readonly { conflict_id: string; key: string; from: string }[];
  note: Pick<Entry, "content" | "ts_ms" | "agent_id"> | undefined;
  /** Files that a card relies on and whose pinned text changed. */
  moved?: (id: string) => readonly string[];
  /** Reversed decisions that a card relies on. */
  doubts?: (id: string) => readonly string[];
};

/**
 * What an agent needs first when it joins. Each line begins with an ID that `open` accepts. Empty fields are absent.
 */
export type BoardLines = {
  decided?: string[];
  given_up?: string[];
  drafts?: string[];
  conflicts?: string[];
  note?: string;
};

const maxLines = 5;
const maxTitle = 100;

type Fate = { type: string; status: string; tags: readonly string[] };

export const isGivenUp = ({ type, status, tags }: Fate): boolean =>
  isThinkType(type) && (givenUpStatuses.includes(status) || tags.includes(givenUpTag));

/** Returns unpublished draft decisions, which other agents may be waiting for. */
export const unpublished = (cards: readonly CardNode[]): CardNode[] =>
  cards.filter(
    (card) =>
      card.type === "decision" &&
      isDraft(card) &&
      !isGivenUp(card) &&
      !cards.some(({ id }) => id === publishedId(card.id)),
  );

/** Returns the time to the minute, in UTC. */
export const momentOf = (ts_ms: number): string => `${new Date(ts_ms).toISOString().slice(0, 16)}Z`;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export function ageOf(ts_ms: number, now_ms: number): string {
  const passed = Math.max(0, now_ms - ts_ms);
  if (passed < minute) return "just now";
  if (passed < hour) return `${Math.floor(passed / minute)} min ago`;
  return passed < 2 * day ? `${Math.floor(passed / hour)} h ago` : `${Math.floor(passed / day)} d ago`;
}

export function boardLines(
  { cards, evidence, authors, conflicts, note, doubts = () => [], moved = () => [] }: PlaceState,
  now_ms: number,
): BoardLines {
  const contested = new Set(conflicts.map(({ key }) => key));
  const signed = (by: string | undefined, ts_ms: number) =>
    ` (${by === undefined ? "" : `${by}, `}${ageOf(ts_ms, now_ms)})`;
  const line = (card: CardNode) =>
    `${card.id} ${clipWhole(nameOf(card), maxTitle)}${signed(authors.get(card.id), card.last_ts_ms)}`;
  const proofOf = ({ id }: CardNode) => {
    const proof = evidence.find(({ decision }) => decision === id)?.card;
    return proof ? `; evidence ${proof.id} ${clipWhole(nameOf(proof), maxTitle)}` : "";
  };
  const marks = (card: CardNode) => {
    const [[shaken], [file]] = [doubts(card.id), moved(card.id)];
    return [
      contested.has(card.id) ? ", in conflict" : "",
      shaken === undefined ? "" : `, in doubt: ${shaken} was reversed`,
      file === undefined ? "" : `, based on text that changed: ${clipWhole(file, maxTitle)}`,
    ].join("");
  };
  const reversal = (card: CardNode) => {
    const { reversedBy } = readDecision(card);
    return reversedBy === undefined ? "" : `, reversed by ${reversedBy}`;
  };
  const names = new Map(cards.map((card) => [card.id, nameOf(card)]));
  const lines = {
    decided: cards
      .filter((card) => card.type === "decision" && !isDraft(card) && !isGivenUp(card))
      .map((card) => `${line(card)}${marks(card)}${proofOf(card)}`),
    given_up: cards.filter(isGivenUp).map((card) => `${line(card)}${reversal(card)}`),
    drafts: unpublished(cards).map(line),
    conflicts: conflicts.map(({ conflict_id, key, from }) => {
      const name = names.get(key);
      return `${conflict_id} ${key}${name === undefined ? "" : ` ${clipWhole(name, maxTitle)}`} from ${from}`;
    }),
  };
  const shown: BoardLines = {};
  for (const name of ["decided", "given_up", "drafts", "conflicts"] as const)
    if (lines[name].length > 0) shown[name] = lines[name].slice(0, maxLines);
  if (note) shown.note = `${clipWhole(note.content, maxTitle)}${signed(note.agent_id, note.ts_ms)}`;
  return shown;
}

export type TaskState = {
  item: Item;
  steps: readonly Step[];
  jobs: readonly Job[];
  /** The number of the newest task event. */
  lastEvent: number;
  /** The tasks that this one depends on, if known. */
  others: ReadonlyMap<string, Item>;
};

export type TaskLine = {
  id: string;
  title: string;
  status: string;
  priority?: string;
  assignee?: string;
  step?: string;
  holder?: string;
  blockers?: string[];
  waits_for?: string[];
  jobs?: string[];
} & BoardLines;

/** Returns what blocks a task: the blockers of its current step, and its dependencies. */
export function obstaclesOf({ item, steps, others }: TaskState): { blockers: string[]; waits_for: string[] } {
  const closed = isClosed(item);
  return {
    blockers: closed ? [] : [...(firstOpen(steps)?.blockers ?? [])],
    waits_for: closed
      ? []
      : (item.depends_on ?? []).filter((id) => {
          const other = others.get(id);
          return !other || !isClosed(other);
        }),
  };
}

export function taskLine(state: TaskState, lines: BoardLines): TaskLine {
  const { item, steps, jobs, lastEvent } = state;
  const closed = isClosed(item);
  const step = closed ? undefined : firstOpen(steps);
  const { blockers, waits_for } = obstaclesOf(state);
  const holder = step?.lease && isHeld(step, lastEvent) ? step.lease.agent_id : undefined;
  const waiting = jobs
    .filter(({ status }) => status !== "DONE" && status !== "CANCELED")
    .map(({ id, status, title, summary }) => {
      const end = summary === undefined ? "" : `: ${clipWhole(summary, maxTitle)}`;
      return `${id} ${status} ${clipWhole(title, maxTitle)}${end}`;
    });
  const { note, ...rest } = lines;
  return {
    id: item.id,
    title: item.title,
    status: item.status,
    ...(item.priority !== undefined && { priority: item.priority }),
    ...(item.assignee !== undefined && { assignee: item.assignee }),
    ...(step && { step: `${step.path} ${step.title}` }),
    ...(holder !== undefined && { holder }),
    ...(blockers.length > 0 && { blockers: blockers.slice(0, maxLines) }),
    ...(waits_for.length > 0 && { waits_for }),
    ...rest,
    ...(waiting.length > 0 && { jobs: waiting.slice(0, maxLines) }),
    ...(note !== undefined && !closed && { note }),
  };
}

export type PlanBoard = { why?: string; progress: string; ready: string[]; tasks: TaskLine[] };

const urgency = ["ACTIVE", "TODO", "PARKED", "DONE", "CANCELED"];

/** Summarises a plan for the next agent: why it exists, its progress, what can be started, and each task. */
export function planBoard(plan: Item, tasks: readonly { state: TaskState; line: TaskLine }[]): PlanBoard {
  const why = plan.description ?? plan.context;
  const done = tasks.filter(({ state }) => state.item.status === "DONE").length;
  const isReady = ({ state, line }: (typeof tasks)[number]) =>
    !isClosed(state.item) &&
    state.item.status !== "PARKED" &&
    line.holder === undefined &&
    line.blockers === undefined &&
    line.waits_for === undefined;
  const inUse = ({ line }: (typeof tasks)[number]) => Number(line.holder !== undefined);
  return {
    ...(why !== undefined && { why }),
    progress: `${done} of ${count(tasks.length, "task")} done`,
    ready: tasks
      .filter(isReady)
      .toSorted((one, other) => rankOf(one.state.item) - rankOf(other.state.item))
      .map(({ state }) => state.item.id),
    tasks: tasks
      .toSorted(
        (one, other) =>
          inUse(other) - inUse(one) || urgency.indexOf(one.line.status) - urgency.indexOf(other.line.status),
      )
      .map(({ line }) => line),
  };
}
