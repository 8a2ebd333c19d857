import type { Operation } from "../../pipeline/operation.ts";
import { tasksStepLeaseClaim } from "./tasks-step-lease-claim.ts";
import { tasksStepLeaseGet } from "./tasks-step-lease-get.ts";
import { tasksStepLeaseRelease } from "./tasks-step-lease-release.ts";
import { tasksStepLeaseRenew } from "./tasks-step-lease-renew.ts";

/** In the order in which help and docs show them. */
export const leasesOperations: readonly Operation[] = [
  tasksStepLeaseClaim,
  tasksStepLeaseGet,
  tasksStepLeaseRenew,
  tasksStepLeaseRelease,
];
