import * as z from "zod";
import { jobLimits } from "../../../domain/tasks/job.ts";
import { completeJob } from "../../../domain/tasks/job-changes.ts";
import { defineMemory } from "../define-memory.ts";
import { meta } from "../fields.ts";
import { jobField } from "../tasks/fields.ts";
import { changedJob, claimRevision, refs, runnerId, showJobChange } from "./job-fields.ts";

export const tasksJobsComplete = defineMemory({
  name: "tasks_jobs_complete",
  title: "Finish a job",
  summary: "Ends a claimed job as DONE, FAILED or CANCELED, with a summary.",
  effect: "write",
  input: {
    job: jobField,
    claim_revision: claimRevision,
    runner_id: runnerId,
    status: z.enum(["DONE", "FAILED", "CANCELED"]).describe("How it ended."),
    summary: z.string().min(1).max(jobLimits.message).optional().describe("What came out."),
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
      input: { job: "JOB-001", claim_revision: 2, runner_id: "r1", status: "DONE", summary: "No way found." },
    },
  ],

  async handle({ job, ...asked }, memory) {
    const [outcome] = await memory.commit([
      { do: "change_job", job, decide: (facts) => completeJob(facts, asked) },
    ]);
    return showJobChange(outcome);
  },
});
