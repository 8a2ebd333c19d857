import type { StoredTaskEvent } from "../../../../domain/memory/steps/outcomes.ts";
import type { Item, Step } from "../../../../domain/tasks/item.ts";
import type { Job, Runner } from "../../../../domain/tasks/job.ts";
import { inOrder } from "../../../../domain/tasks/steps.ts";
import { decodeEvent } from "../../../rows/memory-rows.ts";
import { parseColumn } from "../../connection/driver.ts";
import type { Place } from "../places.ts";

export function readItem({ connection, wid }: Place, id: string): Item | undefined {
  const row = connection.sql("SELECT body FROM task_items WHERE wid = ? AND id = ?").get(wid, id);
  return row && parseColumn<Item>(row["body"]);
}

export function readSteps({ connection, wid }: Pick<Place, "connection" | "wid">, task: string): Step[] {
  const rows = connection.sql("SELECT body FROM task_steps WHERE wid = ? AND task = ?").all(wid, task);
  return inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
}

export function readJob({ connection, wid }: Place, id: string): Job | undefined {
  const row = connection.sql("SELECT body FROM task_jobs WHERE wid = ? AND id = ?").get(wid, id);
  return row && parseColumn<Job>(row["body"]);
}

export function readRunner({ connection, wid }: Place, id: string): Runner | undefined {
  const row = connection.sql("SELECT body FROM task_runners WHERE wid = ? AND runner_id = ?").get(wid, id);
  return row && parseColumn<Runner>(row["body"]);
}

/** The newest events of a target, or of all, oldest first. */
export function readLastEvents(
  { connection, wid }: Place,
  target: string | undefined,
  limit: number,
): StoredTaskEvent[] {
  const rows =
    target === undefined
      ? connection.sql("SELECT * FROM task_events WHERE wid = ? ORDER BY number DESC LIMIT ?").all(wid, limit)
      : connection
          .sql("SELECT * FROM task_events WHERE wid = ? AND target = ? ORDER BY number DESC LIMIT ?")
          .all(wid, target, limit);
  return rows.reverse().map(decodeEvent);
}
