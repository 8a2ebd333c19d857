import * as z from "zod";
import { reportJob } from "../../../domain/tasks/job-changes.ts";
import { defineMemory } from "../define-memory.ts";
import { meta } from "../fields.ts";
import { jobField } from "../tasks/fields.ts";
import { changedJob, claimRevision, leaseTtl, message, refs, runnerId, showJobChange } from "./job-fields.ts";

export const tasksJobsReport = defineMemory({
  name: "tasks_jobs_report",
  title: "Report on a job",
  summary: "Tells how far a claimed job is, and keeps the claim alive.",
  effect: "write",
  input: {
    job: jobField,
    claim_revision: claimRevision,
    runner_id: runnerId,
    message,
    kind: z.string().min(1).max(64).optional().describe("What sort of report; default progress."),
    percent: z.int().min(0).max(100).optional().describe("How much is done."),
    lease_ttl_ms: leaseTtl,
    refs,
    meta: meta.optional(),
  },
  advanced: ["kind", "lease_ttl_ms", "refs", "meta"],
  output: changedJob,
  errors: ["UNKNOWN_ID", "CONFLICT", "REVISION_MISMATCH", "STORAGE_ERROR"],
  examples: [
    {
      title: "half way",
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
