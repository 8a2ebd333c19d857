import * as z from "zod";
import { taskLimits } from "../../../domain/tasks/item.ts";
import { jobLimits, jobPriorities } from "../../../domain/tasks/job.ts";
import { anchorId } from "../anchors/anchor-fields.ts";
import { defineMemory } from "../define-memory.ts";
import { meta } from "../fields.ts";
import { target, targetAliases } from "../tasks/fields.ts";
import { changedJob, showJobChange } from "./job-fields.ts";

export const tasksJobsCreate = defineMemory({
  name: "tasks_jobs_create",
  title: "Hand over a job",
  summary: "Queues work for another agent: a title and a prompt. Nothing is executed here.",
  effect: "write",
  input: {
    title: z.string().min(1).max(taskLimits.title).describe("What the job is, at most 500 characters."),
    prompt: z.string().min(1).max(jobLimits.prompt).describe("What whoever takes it needs to know."),
    kind: z.string().min(1).max(64).optional().describe("What sort of job, such as review; default task."),
    priority: z.enum(jobPriorities).optional().describe("HIGH ones are claimed first; default MEDIUM."),
    anchor: anchorId.optional().describe("Anchor that it belongs to, such as a:storage."),
    meta: meta.optional(),
    target: target.describe("Task that it belongs to; by default the focus, if there is one."),
  },
  advanced: ["kind", "anchor", "meta"],
  aliases: targetAliases,
  output: changedJob,
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "a review", input: { title: "Review the fix", prompt: "Read TASK-001 and try to break it." } },
  ],

  async handle({ target, anchor, ...job }, memory) {
    const task_id = target ?? memory.state?.focus;
    const [outcome] = await memory.commit([
      { do: "create_job", job: { ...job, task_id, anchor_id: anchor } },
    ]);
    return showJobChange(outcome);
  },
});
