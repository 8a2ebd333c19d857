import { type Job, runnerState } from "../../../../domain/tasks/job.ts";
import { showJob, showJobEvent } from "../../jobs/job-fields.ts";
import type { Opener } from "./opener.ts";

/** The prompt is long and was written for somebody else: it is shown to who asks for drafts. */
export const openJob: Opener<"job"> = async ({ memory, workspace }, { id }, { limit, drafts }) => {
  const job = await memory.readJob(workspace, id);
  if (!job) return undefined;
  const { events, hasMore } = await memory.readJobEvents(workspace, id, undefined, limit);
  return {
    kind: "job",
    id,
    job: showJob(job),
    ...(drafts && { prompt: job.prompt }),
    events: events.map((event) => showJobEvent(id, event)),
    has_more_events: hasMore,
  };
};

/** The event, and those before it. */
export const openJobEvent: Opener<"job_event"> = async (
  { memory, workspace },
  { job: id, seq },
  { limit },
) => {
  const job = await memory.readJob(workspace, id);
  const { events, hasMore } = await memory.readJobEvents(workspace, id, seq + 1, limit + 1);
  const event = events.at(-1);
  if (!job || event?.seq !== seq) return undefined;
  const before = events.slice(0, -1).map((one) => showJobEvent(id, one));
  return {
    kind: "job_event",
    ref: `${id}@${seq}`,
    job: showJob(job),
    event: showJobEvent(id, event),
    context: { events: before, has_more_events: hasMore },
  };
};

export const openRunner: Opener<"runner"> = async ({ memory, workspace, clock }, { runnerId }) => {
  const runner = await memory.readRunner(workspace, runnerId);
  if (!runner) {
    const { jobs } = await memory.listJobs(workspace, { runner: runnerId, limit: 1 });
    return jobs[0] && showSilent(runnerId, jobs[0], clock().getTime());
  }
  const { status, lease_active, expires_in_ms } = runnerState(runner, clock().getTime());
  const { meta, ...lease } = runner;
  return {
    kind: "runner",
    id: `runner:${runnerId}`,
    status,
    lease: { ...lease, lease_active, expires_in_ms },
    ...(meta && { meta }),
  };
};

/** A runner that never sent a heartbeat is known by its newest job, whose claim is a lease as well. */
function showSilent(runner_id: string, { id, lease_expires_at_ms, updated_at_ms }: Job, now_ms: number) {
  const state = runnerState({ status: "live", lease_expires_at_ms: lease_expires_at_ms ?? 0 }, now_ms);
  const { status, ...left } = state;
  const claim = lease_expires_at_ms !== undefined && {
    status: "live" as const,
    active_job_id: id,
    lease_expires_at_ms,
    updated_at_ms,
  };
  return { kind: "runner", id: `runner:${runner_id}`, status, lease: { runner_id, ...claim, ...left } };
}
