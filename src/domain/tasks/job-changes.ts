import type { Meta } from "../memory/entry.ts";
import { taskFailure } from "./failures.ts";
import { jobId } from "./item.ts";
import { type Job, type JobEvent, type JobPriority, jobLimits, type Runner } from "./job.ts";

export type JobDecision = { job: Job; event: JobEvent };

type Now = { workspace: string; now_ms: number };
type JobFacts = Now & { job: Job };

export type NewJob = {
  title: string;
  prompt: string;
  kind?: string | undefined;
  priority?: JobPriority | undefined;
  task_id?: string | undefined;
  anchor_id?: string | undefined;
  meta?: Meta | undefined;
};

export function createJob({ now_ms, next }: Now & { next: number }, asked: NewJob): JobDecision {
  const { kind = "task", priority = "MEDIUM", ...rest } = asked;
  const given = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  ) as typeof rest;
  const job: Job = {
    id: jobId(next),
    revision: 1,
    status: "QUEUED",
    ...given,
    kind,
    priority,
    created_at_ms: now_ms,
    updated_at_ms: now_ms,
  };
  return { job, event: { kind: "created", message: job.title } };
}

type Claim = { runner_id: string; lease_ttl_ms?: number | undefined; allow_stale?: boolean | undefined };

const leaseUntil = (now_ms: number, ttl: number | undefined): number =>
  now_ms + Math.min(Math.max(ttl ?? jobLimits.defaultLeaseMs, 1_000), jobLimits.leaseMs);

/** True if the job's runner did not renew its lease in time. */
export const isStale = ({ status, lease_expires_at_ms = 0 }: Job, now_ms: number): boolean =>
  status === "RUNNING" && lease_expires_at_ms <= now_ms;

/** Claims a queued job. If `allow_stale` is set, also claims a job whose runner has missed its deadline. */
export function claimJob(
  { workspace, job, now_ms }: JobFacts,
  { runner_id, lease_ttl_ms, allow_stale }: Claim,
): JobDecision {
  const stale = isStale(job, now_ms);
  if (job.status !== "QUEUED" && !(allow_stale === true && stale))
    throw taskFailure("job_not_claimable", {
      workspace,
      job: job.id,
      status: job.status,
      ...(stale && { takeOverAs: runner_id }),
    });
  return {
    job: {
      ...job,
      revision: job.revision + 1,
      status: "RUNNING",
      runner: runner_id,
      lease_expires_at_ms: leaseUntil(now_ms, lease_ttl_ms),
      updated_at_ms: now_ms,
    },
    event: {
      kind: stale ? "reclaimed" : "claimed",
      message: stale ? `${runner_id} took over the job from ${job.runner}` : `${runner_id} took the job`,
      runner: runner_id,
    },
  };
}

type Held = { claim_revision: number; runner_id: string };
type Said = { refs?: readonly string[] | undefined; meta?: Meta | undefined };

/** Refuses a runner whose claim on the job no longer applies. */
function requireClaim({ workspace, job }: JobFacts, { claim_revision, runner_id }: Held): void {
  if (job.status !== "RUNNING")
    throw taskFailure("job_not_running", { workspace, job: job.id, status: job.status });
  if (job.revision !== claim_revision)
    throw taskFailure("stale_claim", {
      workspace,
      job: job.id,
      expected: claim_revision,
      current: job.revision,
    });
  if (job.runner !== runner_id)
    throw taskFailure("not_the_runner", { workspace, job: job.id, runner: job.runner });
}

/** Reports progress and renews the lease. */
export function reportJob(
  facts: JobFacts,
  asked: Held &
    Said & {
      message: string;
      kind?: string | undefined;
      percent?: number | undefined;
      lease_ttl_ms?: number | undefined;
    },
): JobDecision {
  requireClaim(facts, asked);
  const { message, kind = "progress", percent, refs, meta, lease_ttl_ms, runner_id } = asked;
  return {
    job: {
      ...facts.job,
      lease_expires_at_ms: leaseUntil(facts.now_ms, lease_ttl_ms),
      updated_at_ms: facts.now_ms,
    },
    event: { kind, message, runner: runner_id, percent, refs, meta },
  };
}

export function completeJob(
  facts: JobFacts,
  asked: Held & Said & { status: "DONE" | "FAILED" | "CANCELED"; summary?: string | undefined },
): JobDecision {
  requireClaim(facts, asked);
  const { status, summary, refs, meta, runner_id } = asked;
  const { lease_expires_at_ms: _lease, ...job } = facts.job;
  return {
    job: {
      ...job,
      revision: job.revision + 1,
      status,
      ...(summary !== undefined && { summary }),
      updated_at_ms: facts.now_ms,
      completed_at_ms: facts.now_ms,
    },
    event: { kind: status.toLowerCase(), message: summary ?? status, runner: runner_id, refs, meta },
  };
}

export function requeueJob(
  { job, now_ms }: JobFacts,
  { reason = "queued again", refs, meta }: Said & { reason?: string | undefined },
): JobDecision {
  const {
    runner: _runner,
    lease_expires_at_ms: _lease,
    completed_at_ms: _done,
    summary: _summary,
    ...rest
  } = job;
  return {
    job: { ...rest, revision: job.revision + 1, status: "QUEUED", updated_at_ms: now_ms },
    event: { kind: "requeued", message: reason, refs, meta },
  };
}

/** Adds a message to a job. Refuses the message if the job has ended. */
export function messageJob(
  { workspace, job, now_ms }: JobFacts,
  { message, refs }: Said & { message: string },
): JobDecision {
  if (job.status !== "QUEUED" && job.status !== "RUNNING")
    throw taskFailure("job_ended", { workspace, job: job.id, status: job.status });
  return { job: { ...job, updated_at_ms: now_ms }, event: { kind: "message", message, refs } };
}

type Heartbeat = {
  runner_id: string;
  status: "idle" | "live";
  active_job_id?: string | undefined;
  lease_ttl_ms?: number | undefined;
  meta?: Meta | undefined;
};

export function heartbeat(
  { runner, now_ms }: { runner: Runner | undefined; now_ms: number },
  { runner_id, status, active_job_id, lease_ttl_ms, meta }: Heartbeat,
): Runner {
  return {
    runner_id,
    status,
    ...(active_job_id !== undefined && { active_job_id }),
    lease_expires_at_ms: leaseUntil(now_ms, lease_ttl_ms),
    ...(meta !== undefined && { meta }),
    created_at_ms: runner?.created_at_ms ?? now_ms,
    updated_at_ms: now_ms,
  };
}
