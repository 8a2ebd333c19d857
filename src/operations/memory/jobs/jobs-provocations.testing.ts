import { atOnce, brokenStore, given, type Provocations } from "../../../../tests/catalogue/provoke.ts";

const none = { job: "JOB-999" };
const claim = { claim_revision: 2, runner_id: "r1" };
const claimed = (args: Record<string, unknown>) =>
  given("a claimed job", { job: "JOB-001", ...claim, ...args });

export const provocations: Provocations = {
  tasks_jobs_create: {
    UNKNOWN_ID: atOnce({ title: "x", prompt: "y", target: "TASK-999" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_jobs_list: { STORAGE_ERROR: brokenStore },
  tasks_jobs_open: { UNKNOWN_ID: atOnce(none), STORAGE_ERROR: brokenStore },
  tasks_jobs_claim: {
    UNKNOWN_ID: atOnce({ runner_id: "r1" }),
    CONFLICT: given("a claimed job", { job: "JOB-001", runner_id: "r2" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_jobs_report: {
    UNKNOWN_ID: atOnce({ ...none, ...claim, message: "x" }),
    CONFLICT: claimed({ runner_id: "r2", message: "x" }),
    REVISION_MISMATCH: claimed({ claim_revision: 9, message: "x" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_jobs_complete: {
    UNKNOWN_ID: atOnce({ ...none, ...claim, status: "DONE" }),
    CONFLICT: claimed({ runner_id: "r2", status: "DONE" }),
    REVISION_MISMATCH: claimed({ claim_revision: 9, status: "DONE" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_jobs_message: {
    UNKNOWN_ID: atOnce({ ...none, message: "x" }),
    CONFLICT: given("a finished job", { job: "JOB-001", message: "x" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_jobs_requeue: { UNKNOWN_ID: atOnce(none), STORAGE_ERROR: brokenStore },
  tasks_runner_heartbeat: { STORAGE_ERROR: brokenStore },
};
