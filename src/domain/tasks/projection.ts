import type { Entry, NewEntry } from "../memory/entry.ts";
import type { GraphState } from "../memory/graph.ts";
import type { TaskDecision, TaskEvent } from "./decision.ts";
import { eventId, type Item, reasoningRef, type Step } from "./item.ts";
import { parentOf } from "./steps.ts";

export type Projected = { branch: string; doc: string; states: GraphState[] };

export const itemNode = (id: string): string => `task:${id}`;
export const stepNode = (id: string): string => `step:${id}`;

/** Converts a task and its steps to a graph on the task's branch and to a node in its plan's graph. */
export function projectChange(
  before: Item | undefined,
  { item, steps }: TaskDecision,
  known: readonly Step[],
): Projected[] {
  const changed = !before || before.title !== item.title || before.status !== item.status;
  const own = reasoningRef(item.id);
  const byPath = new Map([...known, ...steps].map((step) => [step.path, step]));
  const isNew = (step: Step) => !known.some(({ step_id }) => step_id === step.step_id);
  const states: GraphState[] = [
    ...(changed ? [projectItem(item)] : []),
    ...steps
      .filter((step) => isNew(step) || hasChanged(known, step))
      .flatMap((step) => [
        projectStep(step),
        ...(isNew(step) ? [contains(parentNode(step, byPath), stepNode(step.step_id))] : []),
      ]),
  ];
  const plan = item.parent === undefined ? undefined : reasoningRef(item.parent);
  return [
    ...(states.length > 0 ? [{ branch: own.branch, doc: own.graph_doc, states }] : []),
    ...(plan && changed
      ? [
          {
            branch: plan.branch,
            doc: plan.graph_doc,
            states: [
              projectItem(item),
              ...(before ? [] : [contains(itemNode(item.parent ?? ""), itemNode(item.id))]),
            ],
          },
        ]
      : []),
  ];
}

function hasChanged(known: readonly Step[], step: Step): boolean {
  const old = known.find(({ step_id }) => step_id === step.step_id);
  return old === undefined || old.title !== step.title || old.completed !== step.completed;
}

const projectItem = ({ id, kind, title, status }: Item): GraphState => ({
  kind: "node",
  id: itemNode(id),
  type: kind,
  title,
  status: status.toLowerCase(),
  deleted: false,
});

const projectStep = ({ step_id, task, path, title, completed }: Step): GraphState => ({
  kind: "node",
  id: stepNode(step_id),
  type: "step",
  title,
  status: completed ? "done" : "open",
  meta: { task_id: task, path },
  deleted: false,
});

const contains = (from: string, to: string): GraphState => ({
  kind: "edge",
  from,
  rel: "contains",
  to,
  deleted: false,
});

function parentNode({ task, path }: Step, byPath: ReadonlyMap<string, Step>): string {
  const parent = byPath.get(parentOf(path) ?? "");
  return parent ? stepNode(parent.step_id) : itemNode(task);
}

/** Converts an event to an entry in the trace. Its `source` prevents a second entry for the same event. */
export function eventEntry(
  target: string,
  { kind, summary, path, step_id, data }: TaskEvent,
  number: number,
  agent_id: string | undefined,
): { entry: NewEntry; source: string } {
  const id = eventId(number);
  return {
    source: id,
    entry: {
      kind: "event",
      title: kind,
      format: "task_event",
      content: summary,
      agent_id,
      meta: {
        event_id: id,
        task_id: target,
        ...(path !== undefined && { path }),
        ...(step_id !== undefined && { step_id }),
        ...data,
      },
    },
  };
}

/** Converts a step note to an entry in the notes. */
export function noteEntry(
  { item, note }: TaskDecision,
  number: number,
  agent_id: string | undefined,
): (Pick<Entry, "kind" | "content"> & NewEntry) | undefined {
  if (!note) return undefined;
  const { step, content } = note;
  return {
    kind: "note",
    title: step ? `${step.path} ${step.title}`.slice(0, 500) : item.title,
    format: "text",
    content,
    agent_id,
    meta: {
      event_id: eventId(number),
      task_id: item.id,
      ...(step && { step: { task_id: item.id, step_id: step.step_id, path: step.path } }),
    },
  };
}
