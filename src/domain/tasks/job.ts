import type { Meta } from "../memory/entry.ts";

export const jobStatuses = ["QUEUED", "RUNNING", "DONE", "FAILED", "CANCELED"] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const jobPriorities = ["HIGH", "MEDIUM", "LOW"] as const;
export type JobPriority = (typeof jobPriorities)[number];

/** Work for another agent. Thoughtbox assigns the job and records reports, but does not run it. */
export type Job = {
  id: string;
  /** Counts status changes. A claim is identified by the revision it created. */
  revision: number;
  status: JobStatus;
  title: string;
  prompt: string;
  kind: string;
  priority: JobPriority;
  task_id?: string | undefined;
  anchor_id?: string | undefined;
  runner?: string | undefined;
  lease_expires_at_ms?: number | undefined;
  summary?: string | undefined;
  meta?: Meta | undefined;
  created_at_ms: number;
  updated_at_ms: number;
  completed_at_ms?: number | undefined;
};

export type JobEvent = {
  kind: string;
  message: string;
  runner?: string | undefined;
  percent?: number | undefined;
  refs?: readonly string[] | undefined;
  meta?: Meta | undefined;
};

export type Runner = {
  runner_id: string;
  status: "idle" | "live";
  active_job_id?: string | undefined;
  lease_expires_at_ms: number;
  meta?: Meta | undefined;
  created_at_ms: number;
  updated_at_ms: number;
};

export const jobLimits = {
  prompt: 65_536,
  message: 8_192,
  defaultLeaseMs: 60_000,
  leaseMs: 86_400_000,
  refs: 64,
} as const;

export const jobRank = ({ priority }: Pick<Job, "priority">): number => jobPriorities.indexOf(priority);

/** Returns the state of a runner. A runner whose lease has expired is offline, whatever it last reported. */
export function runnerState(
  { status, lease_expires_at_ms }: Pick<Runner, "status" | "lease_expires_at_ms">,
  now_ms: number,
) {
  const active = lease_expires_at_ms > now_ms;
  return {
    status: active ? status : ("offline" as const),
    lease_active: active,
    expires_in_ms: Math.max(0, lease_expires_at_ms - now_ms),
  };
}
