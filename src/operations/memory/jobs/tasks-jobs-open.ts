import * as z from "zod";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { limitOf } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { jobField } from "../tasks/fields.ts";
import { fmt, jobEventSchema, jobSchema, showJob, showJobEvent, stubJobEvent } from "./job-fields.ts";

export const tasksJobsOpen = defineMemory({
  name: "tasks_jobs_open",
  title: "Open a job",
  summary: "Shows a job, its prompt where it is asked for, and what was reported.",
  effect: "read",
  input: {
    job: jobField,
    include_prompt: z.boolean().default(false).describe("Whether the prompt is shown; default false."),
    include_events: z.boolean().default(true).describe("Whether reports are shown; default true."),
    include_meta: z.boolean().default(true).describe("Whether meta is shown; default true."),
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
    const { meta, ...shown } = showJob(job);
    return {
      job: { ...shown, ...(include_meta && meta !== undefined && { meta }) },
      ...(include_prompt && { prompt: job.prompt }),
      events: events.map((event) => showJobEvent(id, event)),
      has_more_events: hasMore,
    };
  },
});
