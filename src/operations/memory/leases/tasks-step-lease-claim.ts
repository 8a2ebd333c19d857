import { claimLease } from "../../../domain/tasks/lease.ts";
import { defineLease } from "./tasks-step-lease.ts";

export const tasksStepLeaseClaim = defineLease({
  name: "tasks_step_lease_claim",
  title: "Claim a step",
  summary: "Claims a step for one agent: others cannot change it until the lease is released or runs out.",
  takes: ["ttl_seq", "force"],
  errors: ["CONFLICT", "STEP_LEASE_HELD"],
  examples: [{ title: "a step", given: "a task in focus", input: { path: "s:0", agent_id: "ada" } }],
  decide: claimLease,
});
