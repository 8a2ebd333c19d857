import { obstaclesOf } from "../../../domain/memory/views/board.ts";
import { type Item, isClosed, type Step } from "../../../domain/tasks/item.ts";
import type {
  BranchesAnswer,
  GraphAnswer,
  MemoryEdge,
  MemoryNode,
  MemoryTask,
  MemoryTaskStep,
  NotesAnswer,
  Pagination,
  TasksAnswer,
  WorkspacesAnswer,
} from "../../wire-memory.ts";
import type { Query } from "../answer.ts";
import { answerCards, answerSignals } from "./card-answers.ts";
import { answerConflicts } from "./conflict-answers.ts";
import { askGraph, type MemorySource, plainEdge, wholeAnswer } from "./memory-source.ts";

/** `/api/memory/{name}`; `undefined` for a name that nothing answers to. Locks and masks are the operations' own. */
export async function answerMemory(source: MemorySource, name: string, query: Query): Promise<unknown> {
  switch (name) {
    case "workspaces":
      return answerWorkspaces(source);
    case "branches":
      return answerBranches(source, query);
    case "tasks":
      return answerTasks(source, query);
    case "notes":
      return answerNotes(source, query);
    case "decisions":
      return source.ask("decisions", { workspace: query.text("workspace"), limit: 100, ...wholeAnswer });
    case "cards":
      return answerCards(source, query);
    case "signals":
      return answerSignals(source, query);
    case "graph":
      return answerGraph(source, query);
    case "conflicts":
      return answerConflicts(source, query);
    default:
      return undefined;
  }
}

async function answerWorkspaces(source: MemorySource): Promise<WorkspacesAnswer> {
  const { workspace, workspaces } = source;
  const inUse = await source.listWorkspaces(workspace);
  return { workspaces: [...new Set([...inUse, workspace, ...workspaces])], inUse, current: workspace };
}

async function answerBranches({ ask }: MemorySource, query: Query): Promise<BranchesAnswer> {
  const { workspace, checkout, branches, pagination } = (await ask("branch_list", {
    workspace: query.text("workspace"),
    cursor: query.text("cursor"),
    limit: 200,
    ...wholeAnswer,
  })) as Omit<BranchesAnswer, "checkout"> & { checkout: string | null };
  return { workspace, ...(checkout !== null && { checkout }), branches, pagination };
}

async function answerGraph({ ask, workspace: own }: MemorySource, query: Query): Promise<GraphAnswer> {
  const cursor = query.number("cursor", { min: 0, max: Number.MAX_SAFE_INTEGER, standard: 0 });
  const found = await askGraph<MemoryNode, MemoryEdge>(ask, {
    workspace: query.text("workspace"),
    branch: query.text("branch"),
    doc: query.text("doc"),
    cursor: cursor === 0 ? undefined : cursor,
  });
  const { branch, doc, pagination } = found;
  const workspace = query.text("workspace") ?? own;
  const id = query.text("id");
  const steps = query.number("steps", { min: 1, max: 3, standard: 2 });
  const { nodes, edges } = id === undefined ? found : nearNodes(found, id, steps);
  return { workspace, branch, doc, nodes, edges: edges.map(plainEdge), pagination };
}

type Graph = { nodes: readonly MemoryNode[]; edges: readonly MemoryEdge[] };

/** The nodes within `steps` of one node, whichever way the edges point, with their distance from it. */
function nearNodes({ nodes, edges }: Graph, id: string, steps: number) {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    for (const [one, other] of [[from, to] as const, [to, from] as const]) {
      const list = neighbours.get(one);
      if (list) list.push(other);
      else neighbours.set(one, [other]);
    }
  }
  const distances = new Map([[id, 0]]);
  let rim = [id];
  for (let distance = 1; distance <= steps; distance += 1) {
    const next = rim.flatMap((node) => neighbours.get(node) ?? []).filter((node) => !distances.has(node));
    for (const node of next) distances.set(node, distance);
    rim = [...new Set(next)];
  }
  const near = nodes.flatMap((node) => {
    const distance = distances.get(node.id);
    return distance === undefined ? [] : [{ ...node, distance }];
  });
  return { nodes: near, edges: edges.filter(({ from, to }) => distances.has(from) && distances.has(to)) };
}

type Entry = { seq: number; ts_ms: number; title?: string; content?: string; agent_id?: string };

/** The newest notes first. The operation returns the oldest of its page first. */
async function answerNotes({ ask, workspace: own }: MemorySource, query: Query): Promise<NotesAnswer> {
  const workspace = query.text("workspace");
  const shown = await ask("show", { workspace, doc_kind: "notes", limit: 200, ...wholeAnswer });
  const { entries, pagination } = shown as { entries: Entry[]; pagination: Pagination };
  const { docs } = (await ask("docs_list", { workspace, limit: 100, ...wholeAnswer })) as Pick<
    NotesAnswer,
    "docs"
  >;
  return {
    workspace: workspace ?? own,
    notes: entries.toReversed().map(({ seq, ts_ms, title, content = "", agent_id }) => ({
      seq,
      at: ts_ms,
      ...(title !== undefined && { title }),
      content,
      ...(agent_id !== undefined && { agent: agent_id }),
    })),
    hasMore: pagination.has_more,
    docs,
  };
}

type Shown = Pick<Item, "id" | "title" | "status" | "parent" | "depends_on"> & { updated_at_ms?: number };
type Context = { workspace?: string; focus?: string | null; plans?: Shown[]; tasks?: Shown[] };

/** What is to be done, in the order of the numbers; what is done or given up comes last, as far as it was asked for. */
async function answerTasks(source: MemorySource, query: Query): Promise<TasksAnswer> {
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
  return {
    workspace,
    plans: plans.map(({ id, title, status }) => ({ id, title, status })),
    tasks: await Promise.all(tasks.map((task) => toTask(source, workspace, task, tasks))),
    ...(typeof focus === "string" && { focus }),
  };
}

async function toTask(
  source: MemorySource,
  workspace: string,
  task: Shown,
  all: readonly Shown[],
): Promise<MemoryTask> {
  const { id, title, status, parent, updated_at_ms: updatedAt = 0 } = task;
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
  const reasons = [
    ...blockers.map(source.mask),
    ...waits_for.map((other) => `Waits for ${other}.`),
    ...(status === "PARKED" ? ["Parked."] : []),
  ];
  const isTaken = status === "ACTIVE" || steps.some(({ leasedBy }) => leasedBy !== undefined);
  return {
    id,
    title,
    status,
    ...(parent !== undefined && { plan: parent }),
    steps,
    state: isClosed(task) ? "done" : reasons.length > 0 ? "blocked" : isTaken ? "active" : "ready",
    reasons,
    updatedAt,
  };
}

/** A lease expires. The operation decides whether it is still valid. */
async function toStep({ ask, mask }: MemorySource, workspace: string, step: Step): Promise<MemoryTaskStep> {
  const { path, title, completed, lease, task } = step;
  const shown = { path, title: mask(title), completed };
  if (!lease) return shown;
  const { holder } = await ask("tasks_step_lease_get", { workspace, target: task, path });
  return typeof holder === "string" ? { ...shown, leasedBy: holder } : shown;
}
