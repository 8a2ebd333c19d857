import * as z from "zod";
import { namesFor } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { jobNumber, taskLimits } from "../../../domain/tasks/item.ts";
import { jobLimits, jobPriorities, jobStatuses } from "../../../domain/tasks/job.ts";
import {
  claimJob,
  completeJob,
  messageJob,
  reportJob,
  requeueJob,
} from "../../../domain/tasks/job-changes.ts";
import { clampedLimit, limitOf } from "../../pipeline/fields.ts";
import { anchorId } from "../anchors/anchor-fields.ts";
import { loadAnchors } from "../anchors/read-anchor.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, meta, pagination } from "../fields.ts";
import { focusOf } from "../scope.ts";
import { jobField, target, targetAliases } from "../tasks/fields.ts";
import {
  changedJob,
  claimRevision,
  fmt,
  jobEventSchema,
  jobSchema,
  leaseTtl,
  message,
  refs,
  runnerId,
  showJob,
  showJobChange,
  showJobEvent,
  stubJob,
  stubJobEvent,
  suggestTakeover,
} from "./job-fields.ts";

export const tasksJobsCreate = defineMemory({
  name: "tasks_jobs_create",
  title: "Hand over a job",
  summary: "Queues work for another agent: a title and a prompt. Thoughtbox does not run it.",
  effect: "write",
  input: {
    title: z.string().min(1).max(taskLimits.title).describe("Title of the job, at most 500 characters."),
    prompt: z
      .string()
      .min(1)
      .max(jobLimits.prompt)
      .describe("What the agent that takes the job needs to know."),
    kind: z.string().min(1).max(64).optional().describe("Kind of job, such as review. Default: task."),
    priority: z.enum(jobPriorities).optional().describe("HIGH jobs are claimed first. Default: MEDIUM."),
    anchor: anchorId.optional().describe("Anchor that the job belongs to, such as a:storage."),
    meta: meta.optional(),
    target: target.describe("Task that the job belongs to. Default: the focus, if there is one."),
  },
  advanced: ["kind", "anchor", "meta"],
  aliases: targetAliases,
  output: changedJob,
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "a review", input: { title: "Review the fix", prompt: "Read TASK-001 and try to break it." } },
  ],

  async handle({ target, anchor, ...job }, memory) {
    const task_id = target ?? focusOf(memory);
    const [outcome] = await memory.commit([
      { do: "create_job", job: { ...job, task_id, anchor_id: anchor } },
    ]);
    return showJobChange(outcome);
  },
});

export const tasksJobsList = defineMemory({
  name: "tasks_jobs_list",
  title: "Jobs",
  summary: "Lists jobs, newest first.",
  effect: "read",
  input: {
    status: z.enum(jobStatuses).optional().describe("Only jobs with this status."),
    anchor: anchorId.optional().describe("Only jobs for this anchor, including its earlier names."),
    target: target.describe("Only jobs for this task."),
    limit: clampedLimit(20),
    cursor: cursor.optional(),
    fmt,
  },
  advanced: ["fmt", "anchor"],
  aliases: targetAliases,
  output: { jobs: z.array(jobSchema), has_more: z.boolean(), pagination },
  trim: {
    list: { key: "jobs", oldest: "last", cursor: ({ id }) => jobNumber(String(id)), stub: stubJob },
    adjust: (result) => ({ ...result, has_more: true }),
  },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "waiting jobs", given: "a job", input: { status: "QUEUED" } }],

  async handle({ status, anchor, target, cursor, limit }, memory) {
    const anchors = anchor === undefined ? undefined : namesFor(await loadAnchors(memory), anchor);
    const wanted = { status, anchors, task: target, before: cursor, limit };
    const { jobs, hasMore } = await memory.memory.listJobs(memory.workspace, wanted);
    const last = jobs.at(-1);
    const page = { cursor, limit, count: jobs.length, hasMore, next: last && jobNumber(last.id) };
    const now_ms = memory.clock().getTime();
    const shown = jobs.map((job) => showJob(job, now_ms));
    suggestTakeover(memory, shown);
    return { jobs: shown, has_more: hasMore, pagination: describePage(page) };
  },
});

export const tasksJobsOpen = defineMemory({
  name: "tasks_jobs_open",
  title: "Open a job",
  summary: "Shows a job, its prompt if requested, and its reports.",
  effect: "read",
  input: {
    job: jobField,
    include_prompt: z.boolean().default(false).describe("Include the prompt. Default: false."),
    include_events: z.boolean().default(true).describe("Include the reports. Default: true."),
    include_meta: z.boolean().default(true).describe("Include meta. Default: true."),
    max_events: limitOf("reports", { max: 200, default: 20 }),
    before_seq: z
      .int()
      .min(0)
      .max(9_000_000_000_000_000)
      .optional()
      .describe("Only reports before this seq."),
    fmt,
  },
  advanced: ["include_meta", "include_events", "max_events", "before_seq", "fmt"],
  output: {
    job: jobSchema.partial(),
    prompt: z.string().optional(),
    events: z.array(jobEventSchema),
    has_more_events: z.boolean(),
  },
  trim: {
    optional: ["prompt"],
    list: { key: "events", oldest: "first", stub: stubJobEvent },
    adjust: (result) => ({ ...result, has_more_events: true }),
  },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "with its prompt", given: "a job", input: { job: "JOB-001", include_prompt: true } }],

  async handle({ job: id, include_prompt, include_events, include_meta, max_events, before_seq }, memory) {
    const { workspace } = memory;
    const job = await memory.memory.readJob(workspace, id);
    if (!job) throw taskFailure("unknown_job", { workspace, job: id });
    const limit = include_events ? max_events : 0;
    const { events, hasMore } = await memory.memory.readJobEvents(workspace, id, before_seq, limit);
    const { meta, ...shown } = showJob(job, memory.clock().getTime());
    suggestTakeover(memory, [shown]);
    return {
      job: { ...shown, ...(include_meta && meta !== undefined && { meta }) },
      ...(include_prompt && { prompt: job.prompt }),
      events: events.map((event) => showJobEvent(id, event)),
      has_more_events: hasMore,
    };
  },
});

export const tasksJobsClaim = defineMemory({
  name: "tasks_jobs_claim",
  title: "Claim a job",
  summary:
    "Claims the given job, or by default the next one waiting. Pass the returned claim_revision in reports.",
  effect: "write",
  input: {
    job: jobField.optional().describe("Job to claim. Default: the oldest one with the highest priority."),
    runner_id: runnerId,
    lease_ttl_ms: leaseTtl,
    allow_stale: z.boolean().optional().describe("Take over a job whose runner has gone silent."),
  },
  aliases: { runner: "runner_id" },
  output: { ...changedJob, claim_revision: z.int(), prompt: z.string() },
  trim: { optional: ["prompt"] },
  errors: ["UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [{ title: "the next one", given: "a job", input: { runner_id: "r1" } }],

  async handle({ job, ...claim }, memory) {
    const [outcome] = await memory.commit([
      { do: "change_job", job, stale: claim.allow_stale, decide: (facts) => claimJob(facts, claim) },
    ]);
    return { ...showJobChange(outcome), claim_revision: outcome.job.revision, prompt: outcome.job.prompt };
  },
});

export const tasksJobsMessage = defineMemory({
  name: "tasks_jobs_message",
  title: "Write to a job",
  summary: "Leaves a message for the agent that runs a job.",
  effect: "write",
  input: { job: jobField, message, refs, fmt },
  advanced: ["fmt", "refs"],
  output: changedJob,
  errors: ["UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    { title: "a hint", given: "a job", input: { job: "JOB-001", message: "Begin with the parser." } },
  ],

  async handle({ job, message, refs }, memory) {
    const [outcome] = await memory.commit([
      { do: "change_job", job, decide: (facts) => messageJob(facts, { message, refs }) },
    ]);
    return showJobChange(outcome);
  },
});

export const tasksJobsReport = defineMemory({
  name: "tasks_jobs_report",
  title: "Report on a job",
  summary: "Reports the progress of a claimed job, and renews the claim.",
  effect: "write",
  input: {
    job: jobField,
    claim_revision: claimRevision,
    runner_id: runnerId,
    message,
    kind: z.string().min(1).max(64).optional().describe("Kind of report. Default: progress."),
    percent: z.int().min(0).max(100).optional().describe("Progress of the job, as a percentage."),
    lease_ttl_ms: leaseTtl,
    refs,
    meta: meta.optional(),
  },
  advanced: ["kind", "lease_ttl_ms", "refs", "meta"],
  output: changedJob,
  errors: ["UNKNOWN_ID", "CONFLICT", "REVISION_MISMATCH", "STORAGE_ERROR"],
  examples: [
    {
      title: "halfway",
      given: "a claimed job",
      input: {
        job: "JOB-001",
        claim_revision: 2,
        runner_id: "r1",
        message: "Two of four read.",
        percent: 50,
      },
    },
  ],

  async handle({ job, ...report }, memory) {
    const [outcome] = await memory.commit([
      { do: "change_job", job, decide: (facts) => reportJob(facts, report) },
    ]);
    return showJobChange(outcome);
  },
});

export const tasksJobsComplete = defineMemory({
  name: "tasks_jobs_complete",
  title: "Finish a job",
  summary: "Ends a claimed job as DONE, FAILED or CANCELED, with a summary.",
  effect: "write",
  input: {
    job: jobField,
    claim_revision: claimRevision,
    runner_id: runnerId,
    status: z.enum(["DONE", "FAILED", "CANCELED"]).describe("Outcome of the job."),
    summary: z.string().min(1).max(jobLimits.message).optional().describe("The result."),
    refs,
    meta: meta.optional(),
  },
  advanced: ["refs", "meta"],
  output: changedJob,
  errors: ["UNKNOWN_ID", "CONFLICT", "REVISION_MISMATCH", "STORAGE_ERROR"],
  examples: [
    {
      title: "done",
      given: "a claimed job",
      input: {
        job: "JOB-001",
        claim_revision: 2,
        runner_id: "r1",
        status: "DONE",
        summary: "No solution found.",
      },
    },
  ],

  async handle({ job, ...asked }, memory) {
    const [outcome] = await memory.commit([
      { do: "change_job", job, decide: (facts) => completeJob(facts, asked) },
    ]);
    return showJobChange(outcome);
  },
});

export const tasksJobsRequeue = defineMemory({
  name: "tasks_jobs_requeue",
  title: "Queue a job again",
  summary: "Puts a job of any status back into the queue and ends any claim on it.",
  effect: "write",
  input: {
    job: jobField,
    reason: z.string().min(1).max(jobLimits.message).optional().describe("Why it is queued again."),
    refs,
    meta: meta.optional(),
  },
  advanced: ["refs", "meta"],
  output: changedJob,
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "after the runner died",
      given: "a claimed job",
      input: { job: "JOB-001", reason: "The runner is gone." },
    },
    {
      title: "after it failed",
      given: "a finished job",
      input: { job: "JOB-001", reason: "The data was wrong." },
    },
  ],

  async handle({ job, ...asked }, memory) {
    const [outcome] = await memory.commit([
      { do: "change_job", job, decide: (facts) => requeueJob(facts, asked) },
    ]);
    return showJobChange(outcome);
  },
});
