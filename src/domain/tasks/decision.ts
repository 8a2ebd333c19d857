import type { Agent } from "../memory/agents.ts";
import type { Item, Step } from "./item.ts";

/** What is known when something is to be changed. */
export type TaskFacts = {
  workspace: string;
  item: Item;
  /** All steps of the task, in any order. */
  steps: readonly Step[];
  /** Of a plan: its tasks that are neither done nor canceled. */
  openTasks: number;
  /** The number that the event of this change will have in its workspace. */
  event: number;
  now_ms: number;
  nextStep: number;
  /** Who changes it, if the caller can be identified. */
  agent?: Agent | undefined;
};

/** Who changes it, and what they have seen. */
export type Change = { agent_id?: string | undefined; expected_revision?: number | undefined };

export type TaskEvent = {
  kind: string;
  /** One line for people. */
  summary: string;
  path?: string | undefined;
  step_id?: string | undefined;
  data?: Record<string, unknown> | undefined;
};

/** Everything of it is written in one transaction, or nothing. */
export type TaskDecision = {
  item: Item;
  /** New or changed items. */
  steps: readonly Step[];
  event: TaskEvent;
  /** Goes into the notes of the task as well. */
  note?: { content: string; step?: Step | undefined } | undefined;
  nextStep?: number | undefined;
};
