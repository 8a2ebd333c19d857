import type { JobOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { StepInput, StepOutcome } from "../../../../domain/memory/steps/step.ts";
import { taskFailure } from "../../../../domain/tasks/failures.ts";
import { numberOf, reasoningRef } from "../../../../domain/tasks/ids.ts";
import { type Job, jobRank, type Runner } from "../../../../domain/tasks/job.ts";
import { createJob, type JobDecision } from "../../../../domain/tasks/job-changes.ts";
import { eventEntry } from "../../../../domain/tasks/projection.ts";
import { parseColumn } from "../../connection/json-column.ts";
import { nextSeq } from "../../connection/sequence.ts";
import { insertEntry } from "../documents/entries.ts";
import { type Place, requireBranch } from "../places.ts";
import { nextNumber, readItem, takeNumbers, writeEvent } from "./task-rows.ts";

export function readJob({ connection, wid }: Place, id: string): Job | undefined {
  const row = connection.sql("SELECT body FROM task_jobs WHERE wid = ? AND id = ?").get(wid, id);
  return row && parseColumn<Job>(row["body"]);
}

/** Call inside a write. */
export function createQueuedJob(
  place: Place,
  { job: asked }: StepInput<"create_job">,
  at: Date,
): StepOutcome<"create_job"> {
  const { workspace } = place;
  if (asked.task_id !== undefined && !readItem(place, asked.task_id))
    throw taskFailure("unknown_target", { workspace, target: asked.task_id });
  const next = nextNumber(place, "job");
  takeNumbers(place, "job", next);
  return carryOut(place, createJob({ workspace, now_ms: at.getTime(), next }, asked), at);
}

/** Call inside a write. */
export function changeJob(
  place: Place,
  { job: id, stale, decide }: StepInput<"change_job">,
  at: Date,
): StepOutcome<"change_job"> {
  const { workspace } = place;
  const now_ms = at.getTime();
  const job = id === undefined ? nextJob(place, stale === true, now_ms) : readJob(place, id);
  if (!job)
    throw id === undefined
      ? taskFailure("no_job_queued", { workspace })
      : taskFailure("unknown_job", { workspace, job: id });
  return carryOut(place, decide({ workspace, now_ms, job }), at);
}

/** By priority, then by age; a queued one before one that was left. */
function nextJob({ connection, wid }: Place, stale: boolean, now_ms: number): Job | undefined {
  const first = (condition: string, ...parameters: number[]) =>
    connection
      .sql(`SELECT body FROM task_jobs WHERE wid = ? AND ${condition} ORDER BY rank, number LIMIT 1`)
      .get(wid, ...parameters);
  const row =
    first("status = 'QUEUED'") ??
    (stale ? first("status = 'RUNNING' AND lease_expires_at_ms <= ?", now_ms) : undefined);
  return row && parseColumn<Job>(row["body"]);
}

function carryOut(place: Place, { job, event }: JobDecision, at: Date): JobOutcome {
  const { connection, wid } = place;
  const ts_ms = at.getTime();
  connection
    .sql(`INSERT INTO task_jobs (wid, id, number, status, rank, lease_expires_at_ms, body) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (wid, id) DO UPDATE SET status = excluded.status, rank = excluded.rank,
          lease_expires_at_ms = excluded.lease_expires_at_ms, body = excluded.body`)
    .run(
      wid,
      job.id,
      numberOf(job.id),
      job.status,
      jobRank(job),
      job.lease_expires_at_ms ?? null,
      JSON.stringify(job),
    );
  const seq = nextSeq(connection);
  connection
    .sql("INSERT INTO task_job_events (seq, wid, job, ts_ms, body) VALUES (?, ?, ?, ?, ?)")
    .run(seq, wid, job.id, ts_ms, JSON.stringify(event));
  if (job.task_id !== undefined) traceJob(place, job.task_id, { job, event }, at);
  return { job, event_seq: seq };
}

/** What happens to a job of a task is an event of the task. */
function traceJob(place: Place, target: string, { job, event }: JobDecision, at: Date): void {
  const number = nextNumber(place, "event");
  takeNumbers(place, "event", number);
  const taskEvent = {
    kind: `job_${event.kind}`,
    summary: `${job.id}: ${event.message}`.slice(0, 500),
    data: { job: job.id, status: job.status, revision: job.revision },
  };
  const { branch, trace_doc } = reasoningRef(target);
  const { entry, source } = eventEntry(target, taskEvent, number, event.runner);
  const { seq, ts_ms } = insertEntry(place, requireBranch(place, branch), trace_doc, entry, at, {
    event: source,
  });
  writeEvent(place, { number, target, seq, ts_ms, body: taskEvent });
}

export function readRunner({ connection, wid }: Place, id: string): Runner | undefined {
  const row = connection.sql("SELECT body FROM task_runners WHERE wid = ? AND runner_id = ?").get(wid, id);
  return row && parseColumn<Runner>(row["body"]);
}

/** Call inside a write. */
export function keepRunner(
  place: Place,
  { runner_id, decide }: StepInput<"runner_heartbeat">,
  at: Date,
): StepOutcome<"runner_heartbeat"> {
  const runner = decide({ runner: readRunner(place, runner_id), now_ms: at.getTime() });
  place.connection
    .sql(`INSERT INTO task_runners (wid, runner_id, body) VALUES (?, ?, ?)
          ON CONFLICT (wid, runner_id) DO UPDATE SET body = excluded.body`)
    .run(place.wid, runner_id, JSON.stringify(runner));
  return { runner };
}
