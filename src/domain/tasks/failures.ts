import { defineFailures } from "../../kernel/errors.ts";

type InWorkspace = { workspace: string };
type OfStep = InWorkspace & { task: string; path: string };

/** Why plans, tasks and jobs refuse a request, with the facts for the message. */
export type TaskFailures = {
  unknown_target: InWorkspace & { target: string };
  /**
   * The caller passed no target and has no focus. `cleared` is the caller's former focus, if another agent
   * closed it.
   */
  no_target: InWorkspace & { cleared?: string | undefined };
  wrong_target: InWorkspace & { target: string; wanted: "plan" | "task"; field: string };
  unknown_step: InWorkspace & { task: string; step: string };
  /** `problem` is a sentence. `doing` is what was attempted. */
  invalid_task: {
    problem: string;
    kind: string;
    field: string;
    doing: "creating" | "editing" | "completing" | "decomposing";
  };
  no_step_named: InWorkspace & { task: string };
  no_open_step: InWorkspace & { task: string };
  stale_revision: InWorkspace & { target: string; expected: number; current: number };
  checkpoints_open: OfStep & { criteria: boolean; tests: boolean };
  steps_open: InWorkspace & { target: string; open: number; path: string };
  tasks_open: InWorkspace & { plan: string; open: number };
  /** The target depends on a plan or task that is not done. */
  dependency_open: InWorkspace & { target: string; waits_for: string };
  /** `cycle` is the path from the item back to itself. */
  depends_in_circle: InWorkspace & { target: string; cycle: readonly string[] };
  substeps_open: OfStep & { below: string };
  step_completed: OfStep;
  lease_held: OfStep & { holder: string; expires_event: number; event: number };
  lease_not_held: OfStep & { holder?: string | undefined };
  too_many_steps: InWorkspace & { task: string; max: number };
  unknown_job: InWorkspace & { job: string };
  no_job_queued: InWorkspace;
  job_not_claimable: InWorkspace & { job: string; status: string; takeOverAs?: string };
  job_not_running: InWorkspace & { job: string; status: string };
  job_ended: InWorkspace & { job: string; status: string };
  stale_claim: InWorkspace & { job: string; expected: number; current: number };
  not_the_runner: InWorkspace & { job: string; runner?: string | undefined };
};

export const taskFailure = defineFailures<TaskFailures>({
  unknown_target: "UNKNOWN_ID",
  no_target: "INVALID_PAYLOAD",
  wrong_target: "INVALID_PAYLOAD",
  unknown_step: "UNKNOWN_ID",
  invalid_task: "INVALID_PAYLOAD",
  no_step_named: "INVALID_PAYLOAD",
  no_open_step: "UNKNOWN_ID",
  stale_revision: "REVISION_MISMATCH",
  checkpoints_open: "CHECKPOINTS_NOT_CONFIRMED",
  steps_open: "CHECKPOINTS_NOT_CONFIRMED",
  tasks_open: "CONFLICT",
  dependency_open: "CONFLICT",
  depends_in_circle: "INVALID_PAYLOAD",
  substeps_open: "CHECKPOINTS_NOT_CONFIRMED",
  step_completed: "CONFLICT",
  lease_held: "STEP_LEASE_HELD",
  lease_not_held: "STEP_LEASE_NOT_HELD",
  too_many_steps: "INVALID_PAYLOAD",
  unknown_job: "UNKNOWN_ID",
  no_job_queued: "UNKNOWN_ID",
  job_not_claimable: "CONFLICT",
  job_not_running: "CONFLICT",
  job_ended: "CONFLICT",
  stale_claim: "REVISION_MISMATCH",
  not_the_runner: "CONFLICT",
});
