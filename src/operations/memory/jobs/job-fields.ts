import * as z from "zod";
import { type Job, jobLimits, jobPriorities, jobStatuses } from "../../../domain/tasks/job.ts";
import { isStale } from "../../../domain/tasks/job-changes.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import type { StoredJobEvent } from "../../../ports/memory/tasks.ts";
import type { MemoryContext } from "../../pipeline/context.ts";

/** Fields that the tools for jobs share. */

export const runnerId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "1–64 characters: letters, digits, . _ and -")
  .describe("Agent that runs the job.");

export const leaseTtl = z
  .int()
  .min(1)
  .max(jobLimits.leaseMs)
  .optional()
  .describe("How long the claim lasts without a report, in milliseconds. Default: 60000.");

export const claimRevision = z.int().min(1).max(maxCount).describe("claim_revision from tasks_jobs_claim.");
export const message = z.string().min(1).max(jobLimits.message).describe("The message.");
export const refs = z
  .array(z.string().min(1).max(500))
  .max(jobLimits.refs)
  .optional()
  .describe("What the message refers to, such as IDs or files.");
export const fmt = z.string().max(32).optional().describe("Ignored. Answers are always JSON.");

export const jobSchema = z.strictObject({
  id: z.string(),
  revision: z.int(),
  status: z.enum(jobStatuses),
  title: z.string(),
  kind: z.string().optional(),
  priority: z.enum(jobPriorities).optional(),
  task_id: z.string().optional(),
  anchor_id: z.string().optional(),
  runner: z.string().optional(),
  lease_expires_at_ms: z.int().optional(),
  stale: z.literal(true).optional(),
  summary: z.string().optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  created_at_ms: z.int().optional(),
  updated_at_ms: z.int().optional(),
  completed_at_ms: z.int().optional(),
});

/** Shows a job without its prompt. If `now_ms` is given, marks a job whose runner has gone silent. */
export const showJob = ({ prompt: _prompt, ...job }: Job, now_ms?: number): z.input<typeof jobSchema> => ({
  ...job,
  ...(now_ms !== undefined && isStale({ prompt: "", ...job }, now_ms) && { stale: true as const }),
});

export function suggestTakeover(
  { workspace, agent, suggest }: Pick<MemoryContext, "workspace" | "agent" | "suggest">,
  jobs: readonly { id?: string; stale?: true | undefined }[],
): void {
  const stale = jobs.find((job) => job.stale);
  if (stale?.id !== undefined)
    suggest({
      operation: "tasks_jobs_claim",
      args: { workspace, job: stale.id, runner_id: agent.name ?? "next-runner", allow_stale: true },
      reason: `The runner of ${stale.id} has gone silent. This call takes the job over.`,
      priority: "medium",
    });
}

export const stubJob = ({ id, revision, status, title }: Record<string, unknown>) => ({
  id,
  revision,
  status,
  title,
});

export const jobEventSchema = z.strictObject({
  ref: z.string(),
  seq: z.int(),
  ts_ms: z.int(),
  kind: z.string(),
  message: z.string().optional(),
  runner: z.string().optional(),
  percent: z.int().optional(),
  refs: z.array(z.string()).optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
});

export const showJobEvent = (
  job: string,
  { refs, ...event }: StoredJobEvent,
): z.input<typeof jobEventSchema> => ({
  ref: `${job}@${event.seq}`,
  ...event,
  ...(refs && { refs: [...refs] }),
});

export const stubJobEvent = ({ ref, seq, ts_ms, kind }: Record<string, unknown>) => ({
  ref,
  seq,
  ts_ms,
  kind,
});

export const changedJob = { job: jobSchema, event_ref: z.string() };

export const showJobChange = ({ job, event_seq }: { job: Job; event_seq: number }) => ({
  job: showJob(job),
  event_ref: `${job.id}@${event_seq}`,
});
