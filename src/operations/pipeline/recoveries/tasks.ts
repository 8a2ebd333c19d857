import type { TaskFailures } from "../../../domain/tasks/failures.ts";
import type { Recovery } from "../../../kernel/errors.ts";
import { count } from "../../../kernel/numbers.ts";
import { quote } from "../../../kernel/text.ts";
import type { WordsFor } from "./words.ts";

const seeTask = (workspace: string, target: string, hint = `See the state of ${target}.`): Recovery => ({
  hint,
  operation: "tasks_radar",
  args: { workspace, target },
});

const seeAll = (workspace: string): Recovery => ({
  hint: "List the existing plans and tasks.",
  operation: "tasks_context",
  args: { workspace, include_all: true },
});

const seeJob = (workspace: string, job: string): Recovery => ({
  hint: `See ${job} and its reports.`,
  operation: "tasks_jobs_open",
  args: { workspace, job },
});

const seeJobs = (workspace: string): Recovery => ({
  hint: "List the existing jobs.",
  operation: "tasks_jobs_list",
  args: { workspace },
});

const topics: Record<TaskFailures["invalid_task"]["doing"], string> = {
  creating: "tasks_create",
  editing: "tasks_edit",
  completing: "tasks_complete",
  decomposing: "tasks_decompose",
};

type TaskProblem = Omit<TaskFailures["invalid_task"], "doing"> & { expected?: readonly string[] };

export const wordTaskProblem = ({ problem, ...hint }: TaskProblem, topic: string) => ({
  message: problem,
  details: { hints: [hint] },
  recovery: { hint: `See the fields of ${topic} and an example.`, operation: "help", args: { topic } },
});

export const taskWords: WordsFor<TaskFailures> = {
  unknown_target: ({ workspace, target }) => ({
    message: `There is no plan or task ${quote(target, 60)}.`,
    details: { target },
    recovery: seeAll(workspace),
  }),
  no_target: ({ workspace, cleared }) => ({
    message: `${cleared === undefined ? "" : `${cleared} is closed, so it is no longer your focus. `}Pass a plan or task as target, or set the focus first.`,
    details: { hints: [{ kind: "missing", field: "target" }] },
    recovery: seeAll(workspace),
  }),
  wrong_target: ({ workspace, target, wanted, field }) => ({
    message: `${field} must be a ${wanted}, but ${quote(target, 60)} is not one.`,
    details: { hints: [{ kind: "type", field, expected: wanted }] },
    recovery: seeAll(workspace),
  }),
  unknown_step: ({ workspace, task, step }) => ({
    message: `${task} has no step ${quote(step, 60)}.`,
    details: { task, step },
    recovery: seeTask(workspace, task, "See the steps of the task."),
  }),
  invalid_task: ({ doing, ...problem }) => wordTaskProblem(problem, topics[doing]),
  no_step_named: ({ workspace, task }) => ({
    message: "Pass the step as path or step_id.",
    details: { hints: [{ kind: "missing", field: "path", expected: "path or step_id" }] },
    recovery: seeTask(workspace, task, "See which step is open."),
  }),
  no_open_step: ({ workspace, task }) => ({
    message: `${task} has no open step.`,
    details: { task },
    recovery: seeTask(workspace, task),
  }),
  stale_revision: ({ workspace, target, expected, current }) => ({
    message: `${target} has changed since you read it. The current revision is ${current}, not ${expected}.`,
    details: { target, expected, current },
    recovery: seeTask(workspace, target, `See the current state of ${target}, then decide again.`),
  }),
  checkpoints_open: ({ workspace, task, path, criteria, tests }) => ({
    message: `Step ${path} of ${task} has ${[...(criteria ? ["criteria"] : []), ...(tests ? ["tests"] : [])].join(" and ")} that are not confirmed yet.`,
    details: { path, criteria, tests },
    recovery: seeTask(
      workspace,
      task,
      'Confirm criteria and tests with tasks_verify or tasks_close_step, with checkpoints "gate". This call shows what to verify.',
    ),
  }),
  steps_open: ({ workspace, target, open, path }) => ({
    message: `${target} has ${count(open, "open step")}. The first is ${path}.`,
    details: { open, path },
    recovery: seeTask(workspace, target, "See the open step and its criteria."),
  }),
  tasks_open: ({ workspace, plan, open }) => ({
    message: `${plan} has ${count(open, "open task")}.`,
    details: { open },
    recovery: {
      hint: "See the tasks of the plan.",
      operation: "tasks_context",
      args: { workspace, tasks_parent: plan },
    },
  }),
  dependency_open: ({ workspace, target, waits_for }) => ({
    message: `${target} waits for ${waits_for}, which is not done.`,
    details: { target, waits_for },
    recovery: seeTask(
      workspace,
      waits_for,
      `Finish ${waits_for} first, or change depends_on with tasks_edit. This call shows the state of ${waits_for}.`,
    ),
  }),
  depends_in_circle: ({ workspace, target, cycle }) => ({
    message: `${target} would wait for itself: ${cycle.join(" → ")}.`,
    details: { cycle, hints: [{ kind: "choose_one", field: "depends_on" }] },
    recovery: seeTask(workspace, cycle[1] ?? target, `See what ${cycle[1] ?? target} waits for.`),
  }),
  substeps_open: ({ workspace, task, path, below }) => ({
    message: `Step ${below}, below ${path} of ${task}, is still open.`,
    details: { path, below },
    recovery: seeTask(workspace, task, "Close the substeps first. This call shows the state of the task."),
  }),
  step_completed: ({ workspace, task, path }) => ({
    message: `Step ${path} of ${task} is already done.`,
    details: { path },
    recovery: seeTask(workspace, task),
  }),
  lease_held: ({ workspace, task, path, holder, expires_event, event }) => ({
    message: `Step ${path} of ${task} is leased by ${quote(holder, 64)} for ${count(expires_event - event + 1, "more event")}.`,
    details: { path, holder, expires_event },
    recovery: {
      hint: "Work on another step, or claim this one with force if its holder is gone. This call shows the lease.",
      operation: "tasks_step_lease_get",
      args: { workspace, target: task, path },
    },
  }),
  lease_not_held: ({ workspace, task, path, holder }) => ({
    message: `You do not hold the lease on step ${path} of ${task}${holder === undefined ? "" : `. ${quote(holder, 64)} holds it`}.`,
    details: { path, ...(holder !== undefined && { holder }) },
    recovery: {
      hint: "See the lease.",
      operation: "tasks_step_lease_get",
      args: { workspace, target: task, path },
    },
  }),
  too_many_steps: ({ workspace, task, max }) => ({
    message: `${task} would have more than ${max} steps.`,
    details: { hints: [{ kind: "length", field: "steps", expected: max }] },
    recovery: seeTask(
      workspace,
      task,
      `Create another task for the other steps. This call shows the state of ${task}.`,
    ),
  }),
  unknown_job: ({ workspace, job }) => ({
    message: `There is no job ${quote(job, 60)}.`,
    details: { job },
    recovery: seeJobs(workspace),
  }),
  no_job_queued: ({ workspace }) => ({
    message: "No job is waiting to be claimed.",
    recovery: seeJobs(workspace),
  }),
  job_not_claimable: ({ workspace, job, status, takeOverAs }) => ({
    message:
      takeOverAs === undefined
        ? `${job} is ${status} and cannot be claimed.`
        : `${job} is ${status}, but its runner has gone silent. Take it over with allow_stale.`,
    details: { job, status, ...(takeOverAs !== undefined && { stale: true }) },
    recovery:
      takeOverAs === undefined
        ? seeJob(workspace, job)
        : {
            hint: "Take the job over from the runner that has gone silent.",
            operation: "tasks_jobs_claim",
            args: { workspace, job, runner_id: takeOverAs, allow_stale: true },
          },
  }),
  job_not_running: ({ workspace, job, status }) => ({
    message: `${job} is ${status}. Only a claimed job accepts reports.`,
    details: { job, status },
    recovery: seeJob(workspace, job),
  }),
  job_ended: ({ workspace, job, status }) => ({
    message: `${job} is ${status}, so no runner would read your message.`,
    details: { job, status },
    recovery: {
      hint: "Queue the job again, then send the message.",
      operation: "tasks_jobs_requeue",
      args: { workspace, job },
    },
  }),
  stale_claim: ({ workspace, job, expected, current }) => ({
    message: `Your claim on ${job} (revision ${expected}) is no longer valid. The job is now at revision ${current}.`,
    details: { job, expected, current },
    recovery: seeJob(workspace, job),
  }),
  not_the_runner: ({ workspace, job, runner }) => ({
    message:
      runner === undefined
        ? `No runner has claimed ${job}.`
        : `${job} is claimed by ${quote(runner, 64)}, not by you.`,
    details: { job, ...(runner !== undefined && { runner }) },
    recovery: seeJob(workspace, job),
  }),
};
