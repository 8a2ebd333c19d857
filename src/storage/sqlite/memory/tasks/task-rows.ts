import type { StoredTaskEvent } from "../../../../domain/memory/steps/outcomes.ts";
import type { TaskEvent } from "../../../../domain/tasks/decision.ts";
import { eventId, numberOf } from "../../../../domain/tasks/ids.ts";
import type { Item, Step } from "../../../../domain/tasks/item.ts";
import { inOrder } from "../../../../domain/tasks/steps.ts";
import type { Row } from "../../connection/driver.ts";
import { parseColumn } from "../../connection/json-column.ts";
import type { Place } from "../places.ts";

export type Counter = "plan" | "task" | "step" | "event" | "job" | "card";

/** The number that comes next; 1 where none was given out. */
export function nextNumber({ connection, wid }: Place, name: Counter): number {
  const row = connection.sql("SELECT value FROM memory_counters WHERE wid = ? AND name = ?").get(wid, name);
  return Number(row?.["value"] ?? 0) + 1;
}

/** Call inside a write: numbers up to and including this one are taken. */
export function takeNumbers({ connection, wid }: Place, name: Counter, last: number): void {
  connection
    .sql(`INSERT INTO memory_counters (wid, name, value) VALUES (?, ?, ?)
          ON CONFLICT (wid, name) DO UPDATE SET value = max(value, excluded.value)`)
    .run(wid, name, last);
}

export function readItem({ connection, wid }: Place, id: string): Item | undefined {
  const row = connection.sql("SELECT body FROM task_items WHERE wid = ? AND id = ?").get(wid, id);
  return row && parseColumn<Item>(row["body"]);
}

export function writeItem({ connection, wid }: Place, item: Item): void {
  connection
    .sql(`INSERT INTO task_items (wid, id, kind, number, parent, status, body) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (wid, id) DO UPDATE SET parent = excluded.parent, status = excluded.status, body = excluded.body`)
    .run(wid, item.id, item.kind, numberOf(item.id), item.parent ?? null, item.status, JSON.stringify(item));
}

export function readSteps({ connection, wid }: Place, task: string): Step[] {
  const rows = connection.sql("SELECT body FROM task_steps WHERE wid = ? AND task = ?").all(wid, task);
  return inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
}

export function writeSteps({ connection, wid }: Place, steps: readonly Step[]): void {
  if (steps.length === 0) return;
  connection
    .sql(`INSERT INTO task_steps (wid, task, step_id, body)
          SELECT ?, value ->> 'task', value ->> 'step_id', value FROM json_each(?) WHERE true
          ON CONFLICT (wid, task, step_id) DO UPDATE SET body = excluded.body`)
    .run(wid, JSON.stringify(steps));
}

export function countOpenTasks({ connection, wid }: Place, plan: string): number {
  const row = connection
    .sql(`SELECT count(*) AS open FROM task_items
          WHERE wid = ? AND parent = ? AND status NOT IN ('DONE', 'CANCELED')`)
    .get(wid, plan);
  return Number(row?.["open"] ?? 0);
}

type EventBody = TaskEvent & { agent_id?: string | undefined };

export function writeEvent(
  { connection, wid }: Place,
  event: { number: number; target: string; seq: number; ts_ms: number; body: EventBody },
): StoredTaskEvent {
  const { number, target, seq, ts_ms, body } = event;
  connection
    .sql("INSERT INTO task_events (wid, number, target, seq, ts_ms, body) VALUES (?, ?, ?, ?, ?, ?)")
    .run(wid, number, target, seq, ts_ms, JSON.stringify(body));
  return { event_id: eventId(number), seq, ts_ms, target, ...body };
}

export function decodeEvent(row: Row): StoredTaskEvent {
  return {
    event_id: eventId(Number(row["number"])),
    seq: Number(row["seq"]),
    ts_ms: Number(row["ts_ms"]),
    target: String(row["target"]),
    ...parseColumn<EventBody>(row["body"]),
  };
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
