import type { Item, Step } from "../../../../domain/tasks/item.ts";
import type { Job, JobEvent } from "../../../../domain/tasks/job.ts";
import type { Board, BoardReads } from "../../../../ports/memory/board.ts";
import type { OverviewLimits, TaskOverview, TaskReads } from "../../../../ports/memory/tasks.ts";
import { decodeEvent } from "../../../rows/memory-rows.ts";
import { parseColumn } from "../../connection/driver.ts";
import type { Place } from "../places.ts";
import { readBoard } from "./read-board.ts";
import { readItem, readJob, readLastEvents, readRunner, readSteps } from "./task-rows.ts";

const emptyBoard: Board = {
  own: { cards: [], evidence: [], authors: new Map(), conflicts: [], conflictsOpen: 0, note: undefined },
  plan: undefined,
  tasks: [],
  below: [],
  plans: [],
  steps: [],
  jobs: [],
  lastEvent: 0,
};

type InWorkspace = <Result>(
  workspace: string,
  none: Result,
  find: (place: Place) => Result,
) => Promise<Result>;

/** One more than asked for tells whether there are more. */
function page<Found>(found: Found[], limit: number): { found: Found[]; hasMore: boolean } {
  return { found: found.slice(0, limit), hasMore: found.length > limit };
}

export function createTaskReads(inWorkspace: InWorkspace): TaskReads & BoardReads {
  return {
    readBoard: (workspace, query) => inWorkspace(workspace, emptyBoard, (place) => readBoard(place, query)),
    readItem: (workspace, id) => inWorkspace(workspace, undefined, (place) => readItem(place, id)),
    readOverview: (workspace, target, limits) =>
      inWorkspace(workspace, undefined, (place) => readOverview(place, target, limits)),
    readSteps: (workspace, task) => inWorkspace(workspace, [], (place) => readSteps(place, task)),
    findStepById: (workspace, id) =>
      inWorkspace(workspace, undefined, ({ connection, wid }) => {
        const row = connection.sql("SELECT body FROM task_steps WHERE wid = ? AND step_id = ?").get(wid, id);
        return row && parseColumn<Step>(row["body"]);
      }),
    listItems: (workspace, asked) =>
      inWorkspace(workspace, { items: [], hasMore: false }, (place) => {
        const { found, hasMore } = page(selectItems(place, asked), asked.limit);
        return { items: found, hasMore };
      }),
    readTaskEvents: (workspace, { after, limit }) =>
      inWorkspace(workspace, { events: [], hasMore: false }, ({ connection, wid }) => {
        const rows = connection
          .sql("SELECT * FROM task_events WHERE wid = ? AND number > ? ORDER BY number LIMIT ?")
          .all(wid, after, limit + 1);
        const { found, hasMore } = page(rows.map(decodeEvent), limit);
        return { events: found, hasMore };
      }),
    readJob: (workspace, id) => inWorkspace(workspace, undefined, (place) => readJob(place, id)),
    listJobs: (workspace, asked) =>
      inWorkspace(workspace, { jobs: [], hasMore: false }, (place) => {
        const { found, hasMore } = page(selectJobs(place, asked), asked.limit);
        return { jobs: found, hasMore };
      }),
    readJobEvents: (workspace, job, before, limit) =>
      inWorkspace(workspace, { events: [], hasMore: false }, ({ connection, wid }) => {
        const rows = connection
          .sql(
            "SELECT * FROM task_job_events WHERE wid = ? AND job = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
          )
          .all(wid, job, before ?? Number.MAX_SAFE_INTEGER, limit + 1);
        const events = rows.slice(0, limit).map((row) => ({
          seq: Number(row["seq"]),
          ts_ms: Number(row["ts_ms"]),
          ...parseColumn<JobEvent>(row["body"]),
        }));
        return { events: events.reverse(), hasMore: rows.length > limit };
      }),
    readRunner: (workspace, id) => inWorkspace(workspace, undefined, (place) => readRunner(place, id)),
  };
}

export function readOverview(
  place: Place,
  target: string,
  { tasks, events }: OverviewLimits,
): TaskOverview | undefined {
  const item = readItem(place, target);
  if (!item) return undefined;
  const { id, kind, parent } = item;
  return {
    item,
    steps: kind === "task" ? readSteps(place, id) : [],
    plan: parent === undefined ? undefined : readItem(place, parent),
    tasks:
      kind === "plan"
        ? selectItems(place, { kind: "task", parent: id, after: 0, limit: tasks }).slice(0, tasks)
        : [],
    events: readLastEvents(place, id, events),
  };
}

function selectItems(
  { connection, wid }: Place,
  { kind, parent, status, tags, after, limit }: Parameters<TaskReads["listItems"]>[1],
): Item[] {
  const conditions = ["wid = ?", "kind = ?", "number > ?"];
  const parameters: (string | number)[] = [wid, kind, after];
  if (parent !== undefined) {
    conditions.push("parent = ?");
    parameters.push(parent);
  }
  if (status !== undefined) {
    conditions.push("status = ?");
    parameters.push(status);
  }
  if (tags !== undefined) {
    conditions.push(
      "EXISTS (SELECT 1 FROM json_each(body, '$.tags') t JOIN json_each(?) w ON t.value = w.value)",
    );
    parameters.push(JSON.stringify(tags));
  }
  return connection
    .sql(`SELECT body FROM task_items WHERE ${conditions.join(" AND ")} ORDER BY number LIMIT ?`)
    .all(...parameters, limit + 1)
    .map((row) => parseColumn<Item>(row["body"]));
}

function selectJobs(
  { connection, wid }: Place,
  { status, task, anchors, runner, before, limit }: Parameters<TaskReads["listJobs"]>[1],
): Job[] {
  const conditions = ["wid = ?"];
  const parameters: (string | number)[] = [wid];
  for (const [condition, value] of [
    ["status = ?", status],
    ["body ->> 'task_id' = ?", task],
    ["body ->> 'runner' = ?", runner],
    ["body ->> 'anchor_id' IN (SELECT value FROM json_each(?))", anchors && JSON.stringify(anchors)],
    ["number < ?", before],
  ] as const) {
    if (value === undefined) continue;
    conditions.push(condition);
    parameters.push(value);
  }
  return connection
    .sql(`SELECT body FROM task_jobs WHERE ${conditions.join(" AND ")} ORDER BY number DESC LIMIT ?`)
    .all(...parameters, limit + 1)
    .map((row) => parseColumn<Job>(row["body"]));
}
