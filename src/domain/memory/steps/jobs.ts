import { taskFailure } from "../../tasks/failures.ts";
import type { Job } from "../../tasks/job.ts";
import { createJob as decideJob, type JobDecision } from "../../tasks/job-changes.ts";
import {
  type Deciding,
  type Draft,
  known,
  learn,
  need,
  nextSeq,
  takeNumbers,
  workspaceOf,
  write,
} from "./draft.ts";
import type { JobOutcome } from "./outcomes.ts";
import type { StepInput, StepOutcome } from "./step.ts";
import { addEvent } from "./tasks.ts";

export function* createJob(
  draft: Draft,
  { job: asked }: StepInput<"create_job">,
): Deciding<StepOutcome<"create_job">> {
  const { workspace } = draft;
  const { task_id: task } = asked;
  yield* need(
    draft,
    { kind: "counter", keys: ["job", "event"] },
    task === undefined ? undefined : { kind: "item", keys: [task] },
  );
  if (task !== undefined && !known(draft, "item", task))
    throw taskFailure("unknown_target", { workspace, target: task });
  const next = known(draft, "counter", "job") + 1;
  takeNumbers(draft, "job", next);
  return yield* carryOut(draft, decideJob({ workspace, now_ms: draft.at.getTime(), next }, asked));
}

export function* changeJob(
  draft: Draft,
  { job: id, stale, decide }: StepInput<"change_job">,
): Deciding<StepOutcome<"change_job">> {
  const { workspace } = draft;
  const now_ms = draft.at.getTime();
  const job = id === undefined ? yield* nextJob(draft, stale === true) : yield* jobOf(draft, id);
  if (!job)
    throw id === undefined
      ? taskFailure("no_job_queued", { workspace })
      : taskFailure("unknown_job", { workspace, job: id });
  return yield* carryOut(draft, decide({ workspace, now_ms, job }));
}

function* jobOf(draft: Draft, id: string): Deciding<Job | undefined> {
  yield* need(draft, { kind: "job", keys: [id] }, { kind: "counter", keys: ["event"] });
  return known(draft, "job", id);
}

/** Returns the next queued job or, if `stale` is set and none is queued, one with an expired lease. */
function* nextJob(draft: Draft, stale: boolean): Deciding<Job | undefined> {
  const now_ms = draft.at.getTime();
  yield* need(
    draft,
    { kind: "nextJob", keys: stale ? ["queued", now_ms] : ["queued"] },
    { kind: "counter", keys: ["event"] },
  );
  return known(draft, "nextJob", "queued") ?? (stale ? known(draft, "nextJob", now_ms) : undefined);
}

function* carryOut(draft: Draft, { job, event }: JobDecision): Deciding<JobOutcome> {
  const { wid } = workspaceOf(draft);
  write(draft, "job", { wid, job });
  draft.forgets = true;
  const seq = nextSeq(draft);
  write(draft, "jobEvent", { seq, wid, job: job.id, tsMs: draft.at.getTime(), event });
  // An event in a task's job is also an event in the task.
  if (job.task_id !== undefined) {
    const summary = `${job.id}: ${event.message}`.slice(0, 500);
    const data = { job: job.id, status: job.status, revision: job.revision };
    yield* addEvent(draft, job.task_id, { kind: `job_${event.kind}`, summary, data }, event.runner);
  }
  return { job, event_seq: seq };
}

export function* keepRunner(
  draft: Draft,
  { runner_id, decide }: StepInput<"runner_heartbeat">,
): Deciding<StepOutcome<"runner_heartbeat">> {
  yield* need(draft, { kind: "runner", keys: [runner_id] });
  const runner = decide({ runner: known(draft, "runner", runner_id), now_ms: draft.at.getTime() });
  write(draft, "runner", { wid: workspaceOf(draft).wid, runner });
  learn(draft, "runner", runner_id, runner);
  return { runner };
}
