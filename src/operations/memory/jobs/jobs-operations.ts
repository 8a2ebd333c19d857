import type { Operation } from "../../pipeline/operation.ts";
import { tasksJobsCreate } from "./tasks-jobs.ts";
import { tasksJobsClaim } from "./tasks-jobs-claim.ts";
import { tasksJobsComplete } from "./tasks-jobs-complete.ts";
import { tasksJobsList } from "./tasks-jobs-list.ts";
import { tasksJobsMessage } from "./tasks-jobs-message.ts";
import { tasksJobsOpen } from "./tasks-jobs-open.ts";
import { tasksJobsReport } from "./tasks-jobs-report.ts";
import { tasksJobsRequeue } from "./tasks-jobs-requeue.ts";
import { tasksRunnerHeartbeat } from "./tasks-runner-heartbeat.ts";

/** In the order in which help and docs show them. */
export const jobsOperations: readonly Operation[] = [
  tasksJobsCreate,
  tasksJobsList,
  tasksJobsOpen,
  tasksJobsClaim,
  tasksJobsReport,
  tasksJobsComplete,
  tasksJobsMessage,
  tasksJobsRequeue,
  tasksRunnerHeartbeat,
];
