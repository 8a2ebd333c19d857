import type { Meta } from "../memory/entry.ts";

const pad = (value: number, width: number): string => String(value).padStart(width, "0");

export const planId = (number: number): string => `PLAN-${pad(number, 3)}`;
export const taskId = (number: number): string => `TASK-${pad(number, 3)}`;
export const jobId = (number: number): string => `JOB-${pad(number, 3)}`;
export const jobNumber = (id: string): number => Number(id.slice("JOB-".length));
export const stepId = (number: number): string =>
  `STEP-${number.toString(16).toUpperCase().padStart(8, "0")}`;
export const eventId = (number: number): string => `evt_${pad(number, 16)}`;

export const targetPattern = /^(?:PLAN|TASK)-\d{3,9}$/;
export const jobPattern = /^JOB-\d{3,9}$/;
export const stepIdPattern = /^STEP-[0-9A-F]{8}$/;
export const eventIdPattern = /^evt_\d{16}$/;

export function kindOf(id: string): ItemKind | undefined {
  if (!targetPattern.test(id)) return undefined;
  return id.startsWith("PLAN-") ? "plan" : "task";
}

/** Returns the number in an ID. IDs are ordered by this number, so TASK-1000 follows TASK-999. */
export const numberOf = (id: string): number => Number(/\d+$/.exec(id)?.[0] ?? 0);

type ReasoningRef = { branch: string; notes_doc: string; graph_doc: string; trace_doc: string };

/** Returns the branch and documents of a plan or task, which do not depend on the checkout. */
export function reasoningRef(id: string): ReasoningRef {
  return {
    branch: `${kindOf(id) ?? "task"}/${id}`,
    notes_doc: "notes",
    graph_doc: `${id}-graph`,
    trace_doc: `${id}-trace`,
  };
}

export type ItemKind = "plan" | "task";

export const itemStatuses = ["TODO", "ACTIVE", "DONE", "PARKED", "CANCELED"] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/** The editable fields of a plan or task, except the title. */
export type ItemFields = {
  description?: string | undefined;
  context?: string | undefined;
  contract?: string | undefined;
  contract_data?: Meta | undefined;
  depends_on?: readonly string[] | undefined;
  domain?: string | undefined;
  priority?: string | undefined;
  /** The agent whose inbox shows the item. */
  assignee?: string | undefined;
  /** The task in which an agent discovered this one. */
  discovered_from?: string | undefined;
  reasoning_mode?: string | undefined;
  tags?: readonly string[] | undefined;
};

export type Item = ItemFields & {
  id: string;
  kind: ItemKind;
  /** The plan of a task. */
  parent?: string | undefined;
  title: string;
  status: ItemStatus;
  /** Counts changes. A caller can pass `expected_revision` to avoid overwriting changes it has not seen. */
  revision: number;
  parked_until_ts_ms?: number | undefined;
  created_at_ms: number;
  updated_at_ms: number;
};

const priorities = ["p0", "p1", "p2", "p3", "p4"];
const priorityWords: Readonly<Record<string, number>> = Object.fromEntries(
  [["critical", "urgent", "highest"], ["high"], ["medium", "normal"], ["low"], ["lowest", "backlog"]].flatMap(
    (words, rank) => words.map((word) => [word, rank]),
  ),
);
const usualPriority = 2;

/** Returns a rank, lower for more urgent. Reads words, P0 to P4 and numbers. Anything else is medium. */
export function rankOf({ priority }: Pick<Item, "priority">): number {
  const word = priority?.trim().toLowerCase() ?? "";
  const at = priorities.indexOf(word);
  if (at >= 0) return at;
  return /^\d{1,3}$/.test(word) ? Number(word) : (priorityWords[word] ?? usualPriority);
}

/** Statuses of closed plans and tasks. Stores also filter by these statuses. */
export const closedStatuses: readonly string[] = ["DONE", "CANCELED"] satisfies ItemStatus[];

export const isClosed = ({ status = "" }: { status?: string | undefined }): boolean =>
  closedStatuses.includes(status);

/**
 * An agent's claim on a step. The claim ends after a number of events in the workspace, or if the agent
 * writes nothing for half an hour. `by` is the key of the agent's conversation or connection. If `unnamed`,
 * the agent gave no name and was assigned one.
 */
export type Lease = {
  agent_id: string;
  claimed_event: number;
  expires_event: number;
  claimed_ms?: number | undefined;
  by?: string | undefined;
  unnamed?: true | undefined;
};

export type Step = {
  step_id: string;
  task: string;
  /** The path of the step, such as `s:0` or `s:0.s:1`. */
  path: string;
  title: string;
  success_criteria: readonly string[];
  tests: readonly string[];
  blockers: readonly string[];
  criteria_confirmed: boolean;
  tests_confirmed: boolean;
  completed: boolean;
  completed_at_ms?: number | undefined;
  lease?: Lease | undefined;
};

export type NewStep = {
  title: string;
  success_criteria?: readonly string[] | undefined;
  tests?: readonly string[] | undefined;
  blockers?: readonly string[] | undefined;
};

export const taskLimits = {
  title: 500,
  text: 65_536,
  /** The maximum number of steps per task, including nested ones. */
  steps: 1_000,
  stepsAtOnce: 100,
  depth: 8,
  /** The maximum number of criteria, of tests and of blockers per step. */
  lines: 50,
  line: 1_000,
  leaseTtl: 10_000,
  defaultLeaseTtl: 200,
} as const;
