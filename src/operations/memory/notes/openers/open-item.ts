import { kindOf, numberOf, reasoningRef } from "../../../../domain/tasks/item.ts";
import { type Job, runnerState } from "../../../../domain/tasks/job.ts";
import { showJob, showJobEvent } from "../../jobs/job-fields.ts";
import { planTargetView } from "../../packs/load-slice.ts";
import { readContext } from "../../packs/read-context.ts";
import { showEvent, showItem, showStep } from "../../tasks/fields.ts";
import type { Opener } from "./opened-schema.ts";

/** The maximum number of cards to read, because the capsule shows only the most important cards. */
const cardsLookedAt = 30;

export const openItem: Opener<"item"> = async (memory, { id }, { drafts }) => {
  const item = await memory.memory.readItem(memory.workspace, id);
  if (!item) return undefined;
  const asked = {
    target: id,
    view: drafts ? ("audit" as const) : ("smart" as const),
    notes_limit: 0,
    trace_limit: 20,
    limit_cards: cardsLookedAt,
    decisions_limit: 5,
    evidence_limit: 5,
    blockers_limit: 0,
    engine_signals_limit: 6,
    engine_actions_limit: 2,
  };
  const plan = planTargetView(memory, item, asked);
  const { result, scope, known } = await readContext(memory, plan, asked, "resume_capsule");
  return {
    kind: kindOf(id) ?? "task",
    id,
    target: showItem(item),
    reasoning_ref: reasoningRef(id),
    capsule: { ...result.capsule, known },
    ...(scope.current && { step_focus: scope.current }),
    degradation: {
      view: drafts ? "audit" : "focus_only",
      left_out: ["steps", "cards", "notes", "trace", "events"],
      full: { operation: "tasks_resume_super", args: { workspace: memory.workspace, target: id } },
    },
  };
};

export const openStep: Opener<"step"> = async ({ memory, workspace }, { id }) => {
  const step = await memory.findStepById(workspace, id);
  const item = step && (await memory.readItem(workspace, step.task));
  if (!step || !item) return undefined;
  const { kind, title, status, revision } = showItem(item);
  return { kind: "step", id, target: { id: item.id, kind, title, status, revision }, step: showStep(step) };
};

export const openTaskEvent: Opener<"task_event"> = async ({ memory, workspace }, { id }) => {
  const { events } = await memory.readTaskEvents(workspace, { after: numberOf(id) - 1, limit: 1 });
  const event = events.find(({ event_id }) => event_id === id);
  if (!event) return undefined;
  const entry = await memory.readEntry(workspace, event.seq);
  return { kind: "task_event", id, event: showEvent(event), ...(entry && { entry }) };
};

/** The prompt is long and meant for another agent, so it is shown only with drafts. */
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

/** Describes a runner without a heartbeat from its newest job, because claiming a job also creates a lease. */
function showSilent(runner_id: string, { id, lease_expires_at_ms, updated_at_ms }: Job, now_ms: number) {
  const state = runnerState({ status: "live", lease_expires_at_ms: lease_expires_at_ms ?? 0 }, now_ms);
  const { status, ...left } = state;
  const claim = lease_expires_at_ms !== undefined && {
    status: "live" as const,
    active_job_id: id,
    lease_expires_at_ms,
    updated_at_ms,
  };
  return {
    kind: "runner" as const,
    id: `runner:${runner_id}`,
    status,
    lease: { runner_id, ...claim, ...left },
  };
}
