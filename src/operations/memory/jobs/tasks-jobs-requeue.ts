import * as z from "zod";
import { jobLimits } from "../../../domain/tasks/job.ts";
import { requeueJob } from "../../../domain/tasks/job-changes.ts";
import { defineMemory } from "../define-memory.ts";
import { meta } from "../fields.ts";
import { jobField } from "../tasks/fields.ts";
import { changedJob, refs, showJobChange } from "./job-fields.ts";

export const tasksJobsRequeue = defineMemory({
  name: "tasks_jobs_requeue",
  title: "Queue a job again",
  summary: "Puts a job back into the queue, whatever its status; a claim on it lapses.",
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
    { title: "once more", given: "a claimed job", input: { job: "JOB-001", reason: "The runner is gone." } },
  ],

  async handle({ job, ...asked }, memory) {
    const [outcome] = await memory.commit([
      { do: "change_job", job, decide: (facts) => requeueJob(facts, asked) },
    ]);
    return showJobChange(outcome);
  },
});
