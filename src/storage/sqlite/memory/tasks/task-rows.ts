import type { StoredTaskEvent } from "../../../../domain/memory/steps/outcomes.ts";
import type { Item, Step } from "../../../../domain/tasks/item.ts";
import type { Job, Runner } from "../../../../domain/tasks/job.ts";
import { inOrder } from "../../../../domain/tasks/steps.ts";
import { decodeEvent } from "../../../rows/memory-rows.ts";
import { onceAMoment } from "../../connection/access.ts";
import { parseColumn } from "../../connection/driver.ts";
import type { Place } from "../places.ts";

/** With its plan, which whoever reads a task asks for next. */
export function readItem({ connection, wid }: Place, id: string): Item | undefined {
  const nameOf = (item: string) => `item ${wid} ${item}`;
  return onceAMoment(connection, nameOf(id), () => {
    const items = connection
      .sql(`SELECT body FROM task_items WHERE wid = ?1
            AND id IN (?2, (SELECT parent FROM task_items WHERE wid = ?1 AND id = ?2))`)
      .all(wid, id)
      .map((row) => parseColumn<Item>(row["body"]));
    const plan = items.find((item) => item.id !== id);
    if (plan) onceAMoment(connection, nameOf(plan.id), () => plan);
    return items.find((item) => item.id === id);
  });
}

export function readSteps({ connection, wid }: Pick<Place, "connection" | "wid">, task: string): Step[] {
  return onceAMoment(connection, `steps ${wid} ${task}`, () => {
    const rows = connection.sql("SELECT body FROM task_steps WHERE wid = ? AND task = ?").all(wid, task);
    return inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
  });
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
