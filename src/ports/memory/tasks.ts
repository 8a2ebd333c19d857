import type { StoredTaskEvent } from "../../domain/memory/steps/outcomes.ts";
import type { Item, ItemKind, Step } from "../../domain/tasks/item.ts";
import type { Job, JobEvent, JobStatus, Runner } from "../../domain/tasks/job.ts";

export type StoredJobEvent = JobEvent & { seq: number; ts_ms: number };

export type ItemPage = {
  kind: ItemKind;
  parent?: string | undefined;
  status?: string | undefined;
  /** Selects only items with at least one of these tags. */
  tags?: readonly string[] | undefined;
  /** The number of the last item that the caller already has. */
  after: number;
  limit: number;
};

/** A plan or task with its context. */
export type TaskOverview = {
  item: Item;
  /** The task's steps, in outline order. Empty for a plan. */
  steps: readonly Step[];
  /** The plan that a task is part of. */
  plan: Item | undefined;
  /** The first tasks of a plan, by number. */
  tasks: readonly Item[];
  /** The newest events, oldest first. */
  events: readonly StoredTaskEvent[];
};

export type OverviewLimits = { tasks: number; events: number };

export type TaskReads = {
  readItem(workspace: string, id: string): Promise<Item | undefined>;
  /** Returns a plan or task with its context, all from one snapshot. */
  readOverview(workspace: string, target: string, limits: OverviewLimits): Promise<TaskOverview | undefined>;
  /** Returns the task's steps in outline order. */
  readSteps(workspace: string, task: string): Promise<Step[]>;
  /** Returns the step with that ID, in any task. */
  findStepById(workspace: string, stepId: string): Promise<Step | undefined>;
  /** Lists plans or tasks in the order of their numbers. */
  listItems(workspace: string, page: ItemPage): Promise<{ items: Item[]; hasMore: boolean }>;
  /** Returns the events with a higher number than `after`, in ascending order. */
  readTaskEvents(
    workspace: string,
    page: { after: number; limit: number },
  ): Promise<{ events: StoredTaskEvent[]; hasMore: boolean }>;
  readJob(workspace: string, id: string): Promise<Job | undefined>;
  /** Lists jobs, newest first. */
  listJobs(
    workspace: string,
    page: {
      status?: JobStatus | undefined;
      task?: string | undefined;
      /** Selects only jobs with at least one of these anchors. */
      anchors?: readonly string[] | undefined;
      runner?: string | undefined;
      before?: number | undefined;
      limit: number;
    },
  ): Promise<{ jobs: Job[]; hasMore: boolean }>;
  /** Returns the newest events before `before`, oldest first. */
  readJobEvents(
    workspace: string,
    job: string,
    before: number | undefined,
    limit: number,
  ): Promise<{ events: StoredJobEvent[]; hasMore: boolean }>;
  readRunner(workspace: string, runnerId: string): Promise<Runner | undefined>;
};
