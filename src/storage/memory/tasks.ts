import type { StoredTaskEvent } from "../../domain/memory/steps/outcomes.ts";
import { closedStatuses, type Item, type Step } from "../../domain/tasks/item.ts";
import type { Job, JobEvent } from "../../domain/tasks/job.ts";
import { inOrder } from "../../domain/tasks/steps.ts";
import type { OverviewLimits, TaskOverview, TaskReads } from "../../ports/memory/tasks.ts";
import { decodeEvent } from "../rows/memory-rows.ts";
import { parseColumn } from "../rows/row.ts";
import type { Place } from "./places.ts";
import { all, get, just, once, type Query, together, type Value } from "./query.ts";

type Workspace = Pick<Place, "wid">;

/** SQL: true if a row `i` is open. This is the negation of `isClosed` in the domain. */
export const isOpenItem = `i.status NOT IN (${closedStatuses.map((status) => `'${status}'`).join(", ")})`;

/** Reads an item. Also reads a task's plan, because the next read asks for it. */
export function readItem({ wid }: Workspace, id: string): Query<Item | undefined> {
  const nameOf = (item: string) => `item ${wid} ${item}`;
  return once(nameOf(id), function* () {
    const rows = yield* all(
      `SELECT i.body FROM {task_items} i WHERE i.wid = ?1
       AND i.id IN (?2, (SELECT p.parent FROM {task_items} p WHERE p.wid = ?1 AND p.id = ?2))`,
      ...[wid, id],
    );
    const items = rows.map((row) => parseColumn<Item>(row["body"]));
    const plan = items.find((item) => item.id !== id);
    if (plan) yield* once(nameOf(plan.id), () => just(plan));
    return items.find((item) => item.id === id);
  });
}

export const readSteps = ({ wid }: Workspace, task: string): Query<Step[]> =>
  once(`steps ${wid} ${task}`, function* () {
    const rows = yield* all("SELECT s.body FROM {task_steps} s WHERE s.wid = ? AND s.task = ?", wid, task);
    return inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
  });

/** Returns the steps of each task. */
export function* readStepsOfEach(place: Workspace, tasks: readonly string[]): Query<Step[][]> {
  const [only] = tasks;
  if (tasks.length === 1 && only !== undefined) return [yield* readSteps(place, only)];
  const rows = yield* all(
    "SELECT s.body FROM {task_steps} s WHERE s.wid = ? AND s.task IN TEXTS(?)",
    ...[place.wid, tasks],
  );
  const steps = inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
  return tasks.map((task) => steps.filter((step) => step.task === task));
}

/** Reads a row that is stored entirely as JSON. */
export function* readBody<Body>(
  { wid }: Workspace,
  table: "task_steps" | "task_jobs" | "task_runners",
  column: string,
  id: string,
): Query<Body | undefined> {
  const row = yield* get(`SELECT t.body FROM {${table}} t WHERE t.wid = ? AND t.${column} = ?`, wid, id);
  return row && parseColumn<Body>(row["body"]);
}

/** Returns the newest events of one target or of all targets, oldest first. */
export function* readLastEvents(
  { wid }: Workspace,
  target: string | undefined,
  limit: number,
): Query<StoredTaskEvent[]> {
  const select = (which: string) =>
    `SELECT e.* FROM {task_events} e WHERE e.wid = ? ${which} ORDER BY e.number DESC LIMIT ?`;
  const rows =
    target === undefined
      ? yield* all(select(""), wid, limit)
      : yield* all(select("AND e.target = ?"), wid, target, limit);
  return rows.reverse().map(decodeEvent);
}

export function* readTaskEvents({ wid }: Workspace, { after, limit }: { after: number; limit: number }) {
  const rows = yield* all(
    "SELECT e.* FROM {task_events} e WHERE e.wid = ? AND e.number > ? ORDER BY e.number LIMIT ?",
    ...[wid, after, limit + 1],
  );
  return { events: rows.slice(0, limit).map(decodeEvent), hasMore: rows.length > limit };
}

export function* readJobEvents({ wid }: Workspace, job: string, before: number | undefined, limit: number) {
  const rows = yield* all(
    `SELECT e.* FROM {task_job_events} e WHERE e.wid = ? AND e.job = ? AND e.seq < ? ORDER BY e.seq DESC LIMIT ?`,
    ...[wid, job, before ?? Number.MAX_SAFE_INTEGER, limit + 1],
  );
  const events = rows.slice(0, limit).map((row) => ({
    seq: Number(row["seq"]),
    ts_ms: Number(row["ts_ms"]),
    ...parseColumn<JobEvent>(row["body"]),
  }));
  return { events: events.reverse(), hasMore: rows.length > limit };
}

export function* readOverview(
  place: Place,
  target: string,
  { tasks, events }: OverviewLimits,
): Query<TaskOverview | undefined> {
  const item = yield* readItem(place, target);
  if (!item) return undefined;
  const { id, kind, parent } = item;
  const below = { kind: "task", parent: id, after: 0, limit: tasks } as const;
  const [steps, plan, found, last] = yield* together(
    kind === "task" ? readSteps(place, id) : just([]),
    parent === undefined ? just(undefined) : readItem(place, parent),
    kind === "plan" ? listItems(place, below) : just({ items: [] }),
    readLastEvents(place, id, events),
  );
  return { item, steps, plan, tasks: found.items, events: last };
}

/** Joins the conditions that have a value and leaves out the others. */
function conditions(wanted: readonly (readonly [string, Value | undefined])[]): {
  where: string;
  values: Value[];
} {
  const asked = wanted.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
  return { where: asked.map(({ text }) => text).join(" AND "), values: asked.map(({ value }) => value) };
}

export function* listItems(
  { wid }: Workspace,
  { kind, parent, status, tags, after, limit }: Parameters<TaskReads["listItems"]>[1],
): Query<{ items: Item[]; hasMore: boolean }> {
  const { where, values } = conditions([
    ["i.wid = ?", wid],
    ["i.kind = ?", kind],
    ["i.number > ?", after],
    ["i.parent = ?", parent],
    ["i.status = ?", status],
    ["EXISTS (SELECT 1 FROM TAGS(i.body) t WHERE t.value IN TEXTS(?))", tags],
  ]);
  const text = `SELECT i.body FROM {task_items} i WHERE ${where} ORDER BY i.number LIMIT ?`;
  const rows = yield* all(text, ...values, limit + 1);
  const items = rows.slice(0, limit).map((row) => parseColumn<Item>(row["body"]));
  return { items, hasMore: rows.length > limit };
}

export function* listJobs(
  { wid }: Workspace,
  { status, task, anchors, runner, before, limit }: Parameters<TaskReads["listJobs"]>[1],
): Query<{ jobs: Job[]; hasMore: boolean }> {
  const { where, values } = conditions([
    ["j.wid = ?", wid],
    ["j.status = ?", status],
    ["FIELD(j.body, 'task_id') = ?", task],
    ["FIELD(j.body, 'runner') = ?", runner],
    ["FIELD(j.body, 'anchor_id') IN TEXTS(?)", anchors],
    ["j.number < ?", before],
  ]);
  const text = `SELECT j.body FROM {task_jobs} j WHERE ${where} ORDER BY j.number DESC LIMIT ?`;
  const rows = yield* all(text, ...values, limit + 1);
  return {
    jobs: rows.slice(0, limit).map((row) => parseColumn<Job>(row["body"])),
    hasMore: rows.length > limit,
  };
}
