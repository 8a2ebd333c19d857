import * as z from "zod";
import { claimJob } from "../../../domain/tasks/job-changes.ts";
import { defineMemory } from "../define-memory.ts";
import { jobField } from "../tasks/fields.ts";
import { changedJob, leaseTtl, runnerId, showJobChange } from "./job-fields.ts";

export const tasksJobsClaim = defineMemory({
  name: "tasks_jobs_claim",
  title: "Claim a job",
  summary: "Takes a job, or the next one that waits; claim_revision proves the claim in reports.",
  effect: "write",
  input: {
    job: jobField.optional().describe("The job; without, the oldest of the highest priority."),
    runner_id: runnerId,
    lease_ttl_ms: leaseTtl,
    allow_stale: z
      .boolean()
      .optional()
      .describe("Whether one may be taken over whose runner has gone silent."),
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
