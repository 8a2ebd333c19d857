import { renewLease } from "../../../domain/tasks/lease.ts";
import { defineLease } from "./tasks-step-lease.ts";

export const tasksStepLeaseRenew = defineLease({
  name: "tasks_step_lease_renew",
  title: "Renew a lease",
  summary: "Lets a lease that the caller holds last longer, counted from now.",
  takes: ["ttl_seq"],
  errors: ["STEP_LEASE_NOT_HELD"],
  examples: [{ title: "one's own", given: "a leased step", input: { path: "s:0", agent_id: "ada" } }],
  decide: renewLease,
});
