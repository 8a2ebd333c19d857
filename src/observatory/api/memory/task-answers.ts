import { type CardNode, nameOf } from "../../../domain/memory/cards/card.ts";
import { isFallen } from "../../../domain/memory/decisions/decision.ts";
import { obstaclesOf } from "../../../domain/memory/views/board.ts";
import { type Item, isClosed, type Step } from "../../../domain/tasks/item.ts";
import { endOf, keysOf } from "../../../domain/tasks/lease.ts";
import type { MemoryTask, MemoryTaskStep, TasksAnswer } from "../../wire-memory.ts";
import { type Query, wholeAnswer } from "../answer.ts";
import type { MemorySource } from "./memory-source.ts";

type Shown = Pick<Item, "id" | "title" | "status" | "parent" | "depends_on" | "assignee"> & {
  updated_at_ms?: number;
};
type Context = {
  workspace?: string;
  focus?: string | null;
  plans?: Shown[];
  tasks?: Shown[];
  pagination?: { has_more: boolean };
};

/** Returns open tasks by number. If the query asks for all tasks, done and cancelled ones follow. */
export async function answerTasks(source: MemorySource, query: Query): Promise<TasksAnswer> {
  const asked = query.text("workspace");
  const context: Context = await source.ask("tasks_context", {
    workspace: asked,
    include_all: query.text("all") === "true",
    plans_limit: 200,
    tasks_limit: 200,
    ...wholeAnswer,
  });
  const { focus, plans = [], tasks = [] } = context;
  const workspace = context.workspace ?? asked ?? source.workspace;
  const closed = tasks
    .filter((task) => isClosed(task))
    .sort((a, b) => (b.updated_at_ms ?? 0) - (a.updated_at_ms ?? 0))
    .slice(0, mostOutcomes);
  return {
    workspace,
    plans: plans.map(({ id, title, status }) => ({ id, title, status })),
    tasks: await Promise.all(
      tasks.map(async (task) => ({
        ...(await toTask(source, workspace, task, tasks)),
        ...(closed.includes(task) && {
          ...(await readOutcome(source, workspace, task.id)),
          ...(await readClosing(source, workspace, task.id)),
        }),
      })),
    ),
    ...(typeof focus === "string" && { focus }),
    hasMore: context.pagination?.has_more === true,
  };
}

/** How many of the latest closed tasks are shown with their outcome. */
const mostOutcomes = 20;
const outcomes = ["decision", "evidence", "note", "update"];

/** Reads the newest card of the most informative kind. A reversed decision is not an outcome. */
async function readOutcome(
  { ask }: MemorySource,
  workspace: string,
  target: string,
): Promise<Pick<MemoryTask, "outcome">> {
  const asked = { workspace, target, types: outcomes, limit: 20, include_edges: false, ...wholeAnswer };
  const { nodes } = (await ask("graph_query", asked)) as unknown as { nodes: CardNode[] };
  const [card] = nodes
    .map((node): CardNode => ({ ...node, tags: node.tags ?? [] }))
    .filter((node) => !isFallen(node))
    .sort((a, b) => outcomes.indexOf(a.type) - outcomes.indexOf(b.type));
  return card ? { outcome: { type: card.type, title: nameOf(card) } } : {};
}

/** How many events to search for the one that closed a task. Later notes may follow it. */
const mostEvents = 50;

async function readClosing(
  { readOverview, mask }: MemorySource,
  workspace: string,
  target: string,
): Promise<Pick<MemoryTask, "closed">> {
  const overview = await readOverview(workspace, target, { tasks: 0, events: mostEvents });
  const event = overview?.events.findLast(({ kind }) => kind === "task_done" || kind === "task_canceled");
  if (!event) return {};
  const { ts_ms: at, agent_id } = event;
  return { closed: { at, ...(agent_id !== undefined && { by: mask(agent_id) }) } };
}

const thoughtAddress =
  /\s*[[(]?\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:(?:[A-Za-z0-9][\w./-]{0,99}:)?\d{1,9})\b[\])]?/;

/** Agents refer to the thought behind a blocker by its ID, such as `session:3`. People get a link instead. */
function toReason(text: string): { text: string; thought?: string } {
  const found = thoughtAddress.exec(text);
  const words = found ? text.replace(found[0], "").trim() : text;
  return found?.[1] === undefined ? { text } : { text: words === "" ? text : words, thought: found[1] };
}

async function toTask(
  source: MemorySource,
  workspace: string,
  task: Shown,
  all: readonly Shown[],
): Promise<MemoryTask> {
  const { id, title, status, parent, assignee, updated_at_ms: updatedAt = 0 } = task;
  const stored = await source.readSteps(workspace, id);
  const others = new Map(all.map((other) => [other.id, other as Item]));
  const { blockers, waits_for } = obstaclesOf({
    item: task as Item,
    steps: stored,
    jobs: [],
    lastEvent: 0,
    others,
  });
  const steps = await Promise.all(stored.map((step) => toStep(source, workspace, step)));
  const current = steps.find(({ completed }) => !completed);
  const reasons = [
    ...blockers.map((text) => ({ ...toReason(source.mask(text)), ...(current && { step: current.title }) })),
    ...waits_for.map((other) => ({ text: `Waits for ${other}.` })),
    ...(status === "PARKED" ? [{ text: "Parked." }] : []),
  ];
  const isTaken = status === "ACTIVE" || steps.some(({ leasedBy }) => leasedBy !== undefined);
  return {
    id,
    title,
    status,
    ...(status === "CANCELED" && { isCanceled: true as const }),
    ...(parent !== undefined && { plan: parent }),
    steps,
    state: isClosed(task) ? "done" : reasons.length > 0 ? "blocked" : isTaken ? "active" : "ready",
    reasons,
    ...(assignee !== undefined && { assignee }),
    updatedAt,
  };
}

/** Adds a step's lease. A lease can expire, so the operation decides whether it is still valid. */
async function toStep(source: MemorySource, workspace: string, step: Step): Promise<MemoryTaskStep> {
  const { path, title, completed, lease, task } = step;
  const shown = { path, title: source.mask(title), completed };
  if (!lease) return shown;
  const [{ holder }, heard] = await Promise.all([
    source.ask("tasks_step_lease_get", { workspace, target: task, path }),
    source.listHeard(workspace, keysOf(lease)),
  ]);
  const ends = endOf(lease, (key) => heard.get(key));
  return {
    ...shown,
    ...(typeof holder === "string" && { leasedBy: holder }),
    lease: { by: lease.agent_id, ...(ends && { heardAt: ends.heardAt, ends: ends.at }) },
  };
}
