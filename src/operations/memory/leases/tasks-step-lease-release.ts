import { releaseLease } from "../../../domain/tasks/lease.ts";
import { defineLease } from "./tasks-step-lease.ts";

export const tasksStepLeaseRelease = defineLease({
  name: "tasks_step_lease_release",
  title: "Release a lease",
  summary: "Gives up the lease of a step, so that others can work on it.",
  takes: [],
  errors: ["STEP_LEASE_NOT_HELD"],
  examples: [{ title: "one's own", given: "a leased step", input: { path: "s:0", agent_id: "ada" } }],
  decide: releaseLease,
});
