import type { StoredTaskEvent } from "../../../../domain/memory/steps/outcomes.ts";
import type { Item, Step } from "../../../../domain/tasks/item.ts";
import type { JobEvent } from "../../../../domain/tasks/job.ts";
import { inOrder } from "../../../../domain/tasks/steps.ts";
import type { OverviewLimits, TaskOverview, TaskReads } from "../../../../ports/memory/tasks.ts";
import { decodeEvent } from "../../../rows/memory-rows.ts";
import { parseColumn } from "../../../rows/row.ts";
import { rememberIn } from "../../connection/access.ts";
import type { Value } from "../../connection/statements.ts";
import type { Place } from "../places.ts";

type Tables = Pick<Place, "connection" | "wid">;

/** A row whose whole is kept as JSON. */
async function readBody<Body>({ connection, wid }: Tables, table: string, column: string, id: string) {
  const row = await rememberIn(connection, `${table} ${wid} ${id}`, () =>
    connection.sql(`SELECT body FROM {${table}} t WHERE wid = ? AND ${column} = ?`).get(wid, id),
  );
  return row && parseColumn<Body>(row["body"]);
}

const readItem = (place: Tables, id: string): Promise<Item | undefined> =>
  readBody(place, "task_items", "id", id);

export async function readSteps({ connection, wid }: Tables, task: string): Promise<Step[]> {
  const rows = await rememberIn(connection, `steps ${wid} ${task}`, () =>
    connection.sql("SELECT body FROM {task_steps} s WHERE wid = ? AND task = ?").all(wid, task),
  );
  return inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
}

/** The newest events of a target, or of all, oldest first. */
export async function readLastEvents(
  { connection, wid }: Tables,
  target: string | undefined,
  limit: number,
): Promise<StoredTaskEvent[]> {
  const rows = await connection
    .sql(`SELECT * FROM {task_events} e WHERE wid = ?1 AND (?2::text IS NULL OR target = ?2)
      ORDER BY number DESC LIMIT ?3`)
    .all(wid, target ?? null, limit);
  return rows.reverse().map(decodeEvent);
}

/** One more than asked for tells whether there are more. */
function page<Found>(found: Found[], limit: number): { found: Found[]; hasMore: boolean } {
  return { found: found.slice(0, limit), hasMore: found.length > limit };
}

type InWorkspace = <Result>(
  workspace: string,
  none: Result,
  find: (place: Place) => Promise<Result>,
) => Promise<Result>;

export function createTaskReads(inWorkspace: InWorkspace): TaskReads {
  return {
    readItem: (workspace, id) => inWorkspace(workspace, undefined, (place) => readItem(place, id)),
    readOverview: (workspace, target, limits) =>
      inWorkspace<TaskOverview | undefined>(workspace, undefined, (place) =>
        readOverview(place, target, limits),
      ),
    readSteps: (workspace, task) => inWorkspace(workspace, [], (place) => readSteps(place, task)),
    findStepById: (workspace, id) =>
      inWorkspace(workspace, undefined, (place) => readBody(place, "task_steps", "step_id", id)),
    listItems: (workspace, asked) =>
      inWorkspace(
        workspace,
        { items: [], hasMore: false } as { items: Item[]; hasMore: boolean },
        async (place) => {
          const { found, hasMore } = page(await selectItems(place, asked), asked.limit);
          return { items: found, hasMore };
        },
      ),
    readTaskEvents: (workspace, { after, limit }) =>
      inWorkspace(
        workspace,
        { events: [], hasMore: false } as { events: StoredTaskEvent[]; hasMore: boolean },
        async ({ connection, wid }) => {
          const rows = await connection
            .sql("SELECT * FROM {task_events} e WHERE wid = ? AND number > ? ORDER BY number LIMIT ?")
            .all(wid, after, limit + 1);
          const { found, hasMore } = page(rows.map(decodeEvent), limit);
          return { events: found, hasMore };
        },
      ),
    readJob: (workspace, id) =>
      inWorkspace(workspace, undefined, (place) => readBody(place, "task_jobs", "id", id)),
    listJobs: async (workspace, asked) => {
      const { found, hasMore } = page(
        await inWorkspace(workspace, [], (place) => selectJobs(place, asked)),
        asked.limit,
      );
      return { jobs: found, hasMore };
    },
    readJobEvents: async (workspace, job, before, limit) => {
      const rows = await inWorkspace(workspace, [], ({ connection, wid }) =>
        connection
          .sql(
            "SELECT * FROM {task_job_events} e WHERE wid = ? AND job = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
          )
          .all(wid, job, before ?? Number.MAX_SAFE_INTEGER, limit + 1),
      );
      const events = rows.slice(0, limit).map((row) => ({
        seq: Number(row["seq"]),
        ts_ms: Number(row["ts_ms"]),
        ...parseColumn<JobEvent>(row["body"]),
      }));
      return { events: events.reverse(), hasMore: rows.length > limit };
    },
    readRunner: (workspace, id) =>
      inWorkspace(workspace, undefined, (place) => readBody(place, "task_runners", "runner_id", id)),
  };
}

export async function readOverview(
  place: Place,
  target: string,
  { tasks, events }: OverviewLimits,
): Promise<TaskOverview | undefined> {
  const item = await readItem(place, target);
  if (!item) return undefined;
  const { id, kind, parent } = item;
  const [steps, plan, below, last] = await Promise.all([
    kind === "task" ? readSteps(place, id) : [],
    parent === undefined ? undefined : readItem(place, parent),
    kind === "plan" ? selectItems(place, { kind: "task", parent: id, after: 0, limit: tasks }) : [],
    readLastEvents(place, id, events),
  ]);
  return { item, steps, plan, tasks: below.slice(0, tasks), events: last };
}

/** Conditions with a value each; those without one do not count. */
function conditions(all: readonly (readonly [string, Value | undefined])[]): {
  where: string;
  values: Value[];
} {
  const asked = all.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
  return { where: asked.map(({ text }) => text).join(" AND "), values: asked.map(({ value }) => value) };
}

async function selectItems(
  { connection, wid }: Place,
  { kind, parent, status, tags, after, limit }: Parameters<TaskReads["listItems"]>[1],
): Promise<Item[]> {
  const { where, values } = conditions([
    ["wid = ?", wid],
    ["kind = ?", kind],
    ["number > ?", after],
    ["parent = ?", parent],
    ["status = ?", status],
    [
      "EXISTS (SELECT 1 FROM json_array_elements_text(coalesce(body::json -> 'tags', '[]'::json)) g (tag) WHERE g.tag = ANY (?::text[]))",
      tags,
    ],
  ]);
  const rows = await connection
    .sql(`SELECT body FROM {task_items} i WHERE ${where} ORDER BY number LIMIT ?`)
    .all(...values, limit + 1);
  return rows.map((row) => parseColumn<Item>(row["body"]));
}

async function selectJobs(
  { connection, wid }: Place,
  { status, task, anchors, runner, before, limit }: Parameters<TaskReads["listJobs"]>[1],
) {
  const { where, values } = conditions([
    ["wid = ?", wid],
    ["status = ?", status],
    ["body::json ->> 'task_id' = ?", task],
    ["body::json ->> 'runner' = ?", runner],
    ["body::json ->> 'anchor_id' = ANY (?::text[])", anchors],
    ["number < ?", before],
  ]);
  const rows = await connection
    .sql(`SELECT body FROM {task_jobs} j WHERE ${where} ORDER BY number DESC LIMIT ?`)
    .all(...values, limit + 1);
  return rows.map((row) => parseColumn<never>(row["body"]));
}
