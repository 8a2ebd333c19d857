import type { Agent } from "../memory/agents.ts";
import type { Item, Step } from "./item.ts";

export type TaskFacts = {
  workspace: string;
  item: Item;
  /** All steps of the task, in any order. */
  steps: readonly Step[];
  /** For a plan: the number of tasks that are neither done nor cancelled. */
  openTasks: number;
  /** The event number of this change in its workspace. */
  event: number;
  now_ms: number;
  nextStep: number;
  /** The author, if the caller can be identified. */
  agent?: Agent | undefined;
};

/** The author, and the revision that the author has seen. */
export type Change = { agent_id?: string | undefined; expected_revision?: number | undefined };

export type TaskEvent = {
  kind: string;
  /** A summary for people, in one line. */
  summary: string;
  path?: string | undefined;
  step_id?: string | undefined;
  data?: Record<string, unknown> | undefined;
};

/** The changes that a decision makes. They are written in one transaction. */
export type TaskDecision = {
  item: Item;
  /** New or changed steps. */
  steps: readonly Step[];
  event: TaskEvent;
  /** Text that is also added to the task's notes. */
  note?: { content: string; step?: Step | undefined } | undefined;
  nextStep?: number | undefined;
};
