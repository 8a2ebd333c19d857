import { messageJob } from "../../../domain/tasks/job-changes.ts";
import { defineMemory } from "../define-memory.ts";
import { jobField } from "../tasks/fields.ts";
import { changedJob, fmt, message, refs, showJobChange } from "./job-fields.ts";

export const tasksJobsMessage = defineMemory({
  name: "tasks_jobs_message",
  title: "Write to a job",
  summary: "Leaves a message for whoever runs a job.",
  effect: "write",
  input: { job: jobField, message, refs, fmt },
  advanced: ["fmt", "refs"],
  output: changedJob,
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
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
