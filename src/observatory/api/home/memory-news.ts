import type { MovedTask, NewsConflict } from "../../wire-home.ts";
import { type Ask, wholeAnswer } from "../answer.ts";
import { readConflicts } from "../memory/conflict-answers.ts";
import type { HomeSource } from "./home-answer.ts";

export type MemoryNews = { tasks: MovedTask[]; conflicts: NewsConflict[]; isComplete: boolean };

const mostWorkspaces = 20;

/** Reads tasks whose state changed, and open conflicts. The most recently written workspaces are first. */
export async function readMemoryNews(
  source: HomeSource,
  since: number,
  project: string | undefined,
): Promise<MemoryNews> {
  const all = await source.listWorkspaces();
  const wanted = all.filter((name) => project === undefined || name === project);
  const news: MemoryNews = { tasks: [], conflicts: [], isComplete: wanted.length <= mostWorkspaces };
  for (const workspace of wanted.slice(0, mostWorkspaces)) {
    const { tasks, isComplete } = await readMovedTasks(source.ask, workspace, since);
    news.tasks.push(...tasks);
    news.isComplete &&= isComplete;
    news.conflicts.push(...(await readNewConflicts(source, workspace, since)));
  }
  return news;
}

async function readNewConflicts(
  { ask }: HomeSource,
  workspace: string,
  since: number,
): Promise<NewsConflict[]> {
  const isNew = ({ created_at_ms = 0 }) => created_at_ms >= since;
  const { conflicts } = await readConflicts({ ask, workspace }, { workspace }, isNew);
  return conflicts.map(({ conflict_id, key, from, into, doc, ours, theirs, created_at_ms }) => ({
    workspace,
    conflict_id,
    key,
    from,
    into,
    doc,
    fields: differing(ours, theirs),
    at: new Date(created_at_ms).toISOString(),
  }));
}

type Side = Record<string, string> | null;

function differing(ours: Side, theirs: Side): string[] {
  if (!ours || !theirs) return [];
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  return names.filter((name) => ours[name] !== theirs[name]);
}

type TaskEvent = {
  event_id: string;
  ts_ms: number;
  target: string;
  kind: string;
  agent_id?: string;
  data?: { from?: string; to?: string; title?: string; agent_id?: string };
};

const stride = 200;
const mostStrides = 10;

/** Reads the newest events backwards in pages, until they are older than the period. */
async function readEvents(
  ask: Ask,
  workspace: string,
  since: number,
): Promise<{ events: TaskEvent[]; isComplete: boolean }> {
  const { last_task_event } = (await ask("status", { workspace })) as {
    last_task_event?: { event_id: string; ts_ms: number };
  };
  if (!last_task_event || last_task_event.ts_ms < since) return { events: [], isComplete: true };
  const events: TaskEvent[] = [];
  let end = Number(last_task_event.event_id.slice("evt_".length));
  for (let turn = 0; turn < mostStrides && end > 0; turn += 1) {
    const start = Math.max(0, end - stride);
    const page: TaskEvent[] = [];
    for (let at = start; at < end; ) {
      const since_ = at === 0 ? {} : { since: `evt_${String(at).padStart(16, "0")}` };
      const answer = await ask("tasks_delta", { workspace, ...since_, limit: end - at, ...wholeAnswer });
      const got = answer["events"] as TaskEvent[];
      page.push(...got);
      const last = got.at(-1);
      if (!last) break;
      at = Number(last.event_id.slice("evt_".length));
    }
    events.unshift(...page);
    if ((page[0]?.ts_ms ?? 0) < since)
      return { events: events.filter(({ ts_ms }) => ts_ms >= since), isComplete: true };
    end = start;
  }
  return { events, isComplete: end === 0 };
}

const states: Readonly<Record<string, MovedTask["state"]>> = {
  TODO: "ready",
  ACTIVE: "active",
  DONE: "done",
  PARKED: "parked",
  CANCELED: "canceled",
};
const words: Readonly<Record<MovedTask["state"], string>> = {
  ready: "ready",
  active: "in progress",
  blocked: "blocked",
  done: "done",
  parked: "parked",
  canceled: "canceled",
};

type Move = { from?: MovedTask["state"]; to: MovedTask["state"]; holder?: string; at: number };

/** Lists each task once, with its states before the period and after its last event. */
async function readMovedTasks(
  ask: Ask,
  workspace: string,
  since: number,
): Promise<{ tasks: MovedTask[]; isComplete: boolean }> {
  const { events, isComplete } = await readEvents(ask, workspace, since);
  const moves = new Map<string, Move>();
  for (const event of events.filter(({ target }) => target.startsWith("TASK-"))) {
    const step = moveOf(event);
    if (!step) continue;
    const earlier = moves.get(event.target);
    const from = earlier ? earlier.from : step.from;
    moves.set(event.target, { ...step, ...(from !== undefined && { from }), at: event.ts_ms });
  }
  const tasks: MovedTask[] = [];
  for (const [id, { from, to, holder, at }] of moves) {
    if (from === to && holder === undefined) continue;
    const { title } = (await ask("tasks_radar", { workspace, target: id }))["target"] as { title: string };
    tasks.push({
      workspace,
      id,
      title,
      ...(from !== undefined && { from: words[from] }),
      to: holder ?? words[to],
      state: to,
      at: new Date(at).toISOString(),
    });
  }
  return { tasks, isComplete };
}

function moveOf({ kind, agent_id, data = {} }: TaskEvent): Omit<Move, "at"> | undefined {
  if (kind === "task_created") return { to: "ready" };
  if (kind.startsWith("lease_released")) return { from: "active", to: "ready" };
  if (kind.startsWith("lease_")) {
    const holder = data.agent_id ?? agent_id;
    return { from: "ready", to: "active", ...(holder !== undefined && { holder }) };
  }
  const [from, to] = [states[data.from ?? ""], states[data.to ?? ""]];
  return to === undefined ? undefined : { ...(from !== undefined && { from }), to };
}
