import type { ItemKind } from "./item.ts";

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

/** `undefined` for what names neither a plan nor a task. */
export function kindOf(id: string): ItemKind | undefined {
  if (!targetPattern.test(id)) return undefined;
  return id.startsWith("PLAN-") ? "plan" : "task";
}

/** The number in an id; ids are ordered by it, so that TASK-1000 comes after TASK-999. */
export const numberOf = (id: string): number => Number(/\d+$/.exec(id)?.[0] ?? 0);

export type ReasoningRef = { branch: string; notes_doc: string; graph_doc: string; trace_doc: string };

/** Where everything about a plan or task is written, whatever is checked out. */
export function reasoningRef(id: string): ReasoningRef {
  return {
    branch: `${kindOf(id) ?? "task"}/${id}`,
    notes_doc: "notes",
    graph_doc: `${id}-graph`,
    trace_doc: `${id}-trace`,
  };
}
