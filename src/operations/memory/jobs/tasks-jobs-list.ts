import * as z from "zod";
import { jobStatuses } from "../../../domain/tasks/job.ts";
import { defineMemory } from "../define-memory.ts";
import { limit } from "../fields.ts";
import { clampLimit } from "../paging.ts";
import { target, targetAliases } from "../tasks/fields.ts";
import { fmt, jobSchema, showJob, stubJob } from "./job-fields.ts";

export const tasksJobsList = defineMemory({
  name: "tasks_jobs_list",
  title: "Jobs",
  summary: "Lists jobs, newest first.",
  effect: "read",
  input: {
    status: z.enum(jobStatuses).optional().describe("Only jobs of this status."),
    anchor: z.string().min(1).max(66).optional().describe("Only jobs of this anchor."),
    target: target.describe("Only jobs of this task."),
    limit: limit(20),
    fmt,
  },
  advanced: ["fmt", "anchor"],
  aliases: targetAliases,
  output: { jobs: z.array(jobSchema), has_more: z.boolean() },
  trim: {
    list: { key: "jobs", oldest: "last", stub: stubJob },
    settle: (result) => ({ ...result, has_more: true }),
  },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "what waits", given: "a job", input: { status: "QUEUED" } }],

  async handle({ status, anchor, target, limit }, memory) {
    const { jobs, hasMore } = await memory.memory.listJobs(memory.workspace, {
      status,
      anchor,
      task: target,
      limit: clampLimit(memory, limit),
    });
    return { jobs: jobs.map(showJob), has_more: hasMore };
  },
});
