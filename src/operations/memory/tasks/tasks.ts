import * as z from "zod";
import type { TaskOutcome } from "../../../domain/memory/steps/outcomes.ts";
import type { MemoryStep } from "../../../domain/memory/steps/step.ts";
import { itemStatuses, numberOf, taskLimits } from "../../../domain/tasks/item.ts";
import { type Creation, completeItem, editItem } from "../../../domain/tasks/item-changes.ts";
import { noteStep } from "../../../domain/tasks/step-changes.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { agentId, clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { describePage, meta, pagination } from "../fields.ts";
import { changedTask, changeTask, showChange, suggestNext, targetOf } from "./change-task.ts";
import {
  agent,
  eventField,
  eventSchema,
  expectedRevision,
  newSteps,
  showEvent,
  stubEvent,
  target,
  targetAliases,
  text,
  workFields,
} from "./fields.ts";
import { checkDependencies, requireDependencies } from "./ready-work.ts";
import { defineStepChange } from "./steps/define-step-change.ts";

export const tasksCreate = defineMemory({
  name: "tasks_create",
  title: "Create a task",
  summary: "Creates a plan, or a task with steps in a plan. Both have their own notes, trace and cards.",
  advice:
    "Use it for work with several steps that outlives this conversation. A title alone creates a plan. A title with steps creates a task in the plan in focus, in the newest open plan if none is in focus, or in a new plan if none is open. Close each step with tasks_close_step.",
  toolset: "daily",
  effect: "write",
  input: {
    title: z.string().min(1).max(taskLimits.title).describe("Goal, at most 500 characters."),
    kind: z
      .enum(["plan", "task"])
      .optional()
      .describe("Default: task if there are steps or a parent, otherwise plan."),
    parent: z.string().min(1).max(64).optional().describe("Plan of the task, such as PLAN-001."),
    description: text("What the plan or task is about, and why."),
    steps: newSteps.optional().describe("Steps of a task, in order."),
    ...workFields,
    contract: text("The contract, as text."),
    contract_data: meta.optional().describe("The contract, as an object."),
    agent_id: agent,
  },
  advanced: [
    ...(["contract", "contract_data", "agent_id", "kind"] as const),
    ...(["depends_on", "priority", "assignee", "discovered_from"] as const),
  ],
  wire: { steps: { type: "array", items: { type: "string" } } },
  output: changedTask,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "a plan", input: { title: "Logins below 200 ms" } },
    {
      title: "a task with steps, in a plan that Thoughtbox chooses",
      input: {
        title: "Find the slow query",
        steps: [{ title: "Log the queries" }, { title: "Explain the slowest" }],
      },
    },
    {
      title: "a task with steps, in a given plan",
      given: "a task in focus",
      input: {
        parent: "PLAN-001",
        title: "Find what holds the connections",
        steps: [{ title: "Count the waiting ones", success_criteria: ["a number per host"] }],
      },
    },
  ],

  async handle({ agent_id, ...creation }, memory) {
    const agent = agent_id ?? memory.settings.agentId;
    await checkDependencies(memory, undefined, creation);
    const outcome = await createItem(memory, creation, agent);
    suggestNext(memory, outcome);
    return showChange(outcome);
  },
});

/**
 * Steps need a task, and a task needs a plan. If the caller specifies no plan, finds one or creates it in the same
 * commit.
 */
async function createItem(
  memory: MemoryContext,
  creation: Creation,
  agent_id: string | undefined,
): Promise<TaskOutcome> {
  const create = { do: "create_task", agent_id } as const;
  const outcomes = await memory.commit(await steps());
  // A repeated call returns the outcomes of the first call, including the plan it created.
  return outcomes.at(-1) as TaskOutcome;

  async function steps(): Promise<Extract<MemoryStep, { do: "create_task" }>[]> {
    if (creation.kind !== undefined || creation.parent !== undefined || creation.steps === undefined)
      return [{ ...create, creation }];
    const task: Creation = { ...creation, kind: "task" };
    const parent = (await planInFocus(memory)) ?? (await newestOpenPlan(memory));
    if (parent !== undefined) return [{ ...create, creation: { ...task, parent } }];
    const plan: Creation = { kind: "plan", title: creation.title };
    return [
      { ...create, creation: plan },
      { ...create, creation: task, inNewPlan: true },
    ];
  }
}

async function planInFocus({ memory, workspace, state }: MemoryContext): Promise<string | undefined> {
  if (state?.focus === undefined || state.foreign.focus) return undefined;
  const item = await memory.readItem(workspace, state.focus);
  return item?.kind === "plan" ? item.id : item?.parent;
}

async function newestOpenPlan({ memory, workspace, state }: MemoryContext): Promise<string | undefined> {
  let newest: string | undefined;
  for (let after = 0; state; ) {
    const page = { kind: "plan", after, limit: plansAtOnce } as const;
    const { items, hasMore } = await memory.listItems(workspace, page);
    newest = items.findLast(({ status }) => status === "TODO" || status === "ACTIVE")?.id ?? newest;
    const last = items.at(-1);
    if (!hasMore || !last) break;
    after = numberOf(last.id);
  }
  return newest;
}

const plansAtOnce = 200;

const word = (what: string) => z.string().min(1).max(128).optional().describe(what);

export const tasksEdit = defineMemory({
  name: "tasks_edit",
  title: "Edit a plan or task",
  summary: "Changes the title, description and other fields of a plan or task.",
  effect: "write",
  input: {
    title: z.string().min(1).max(taskLimits.title).optional().describe("New title, at most 500 characters."),
    description: text("What the plan or task is about, and why."),
    context: text("Background information."),
    contract: text("The contract, as text."),
    contract_data: meta.optional().describe("The contract, as an object."),
    ...workFields,
    new_domain: word("Domain, such as storage."),
    reasoning_mode: word("Reasoning mode, such as strict."),
    tags: z
      .array(z.string().min(1).max(128))
      .max(64)
      .optional()
      .describe("Tags. Replaces the existing ones."),
    target,
    expected_revision: expectedRevision,
    agent_id: agent,
  },
  advanced: ["expected_revision", "agent_id", "contract", "contract_data", "reasoning_mode", "new_domain"],
  aliases: targetAliases,
  output: changedTask,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "REVISION_MISMATCH", "STORAGE_ERROR"],
  examples: [{ title: "a title", given: "a task in focus", input: { title: "Logins below 150 ms" } }],

  async handle({ target, new_domain, expected_revision, agent_id, ...edit }, memory) {
    const id = targetOf(memory, target);
    await checkDependencies(memory, id, edit);
    const outcome = await changeTask(memory, id, agent_id, (facts, agent) =>
      editItem(facts, { ...edit, domain: new_domain, expected_revision, agent_id: agent }),
    );
    return showChange(outcome);
  },
});

export const tasksNote = defineStepChange({
  name: "tasks_note",
  title: "Note on a task",
  summary: "Adds a note about a step, or the whole task, to the notes and the trace.",
  input: {
    note: z.string().min(1).max(taskLimits.text).describe("Text of the note."),
    to: agentId
      .optional()
      .describe("Agent to notify: the note appears in its inbox. Writing @name in the note does the same."),
  },
  errors: [],
  examples: [
    { title: "on a step", given: "a task in focus", input: { path: "s:0", note: "Fails only above 5 MB." } },
  ],
  decide: (facts, change, { note, to }) => noteStep(facts, { ...change, note, to }),
});

export const tasksComplete = defineMemory({
  name: "tasks_complete",
  title: "Set the status of a task",
  summary:
    "Sets the status of a plan or task. The default is DONE, which requires all of its steps or tasks to be done.",
  effect: "write",
  input: {
    status: z.enum(itemStatuses).optional().describe("New status. Default: DONE."),
    parked_for_s: z.int().min(1).max(maxCount).optional().describe("With PARKED: for how many seconds."),
    parked_until_ts_ms: z
      .int()
      .min(0)
      .max(8_000_000_000_000_000)
      .optional()
      .describe("With PARKED: until when, in milliseconds since 1970."),
    target,
    expected_revision: expectedRevision,
    agent_id: agent,
  },
  advanced: ["expected_revision", "agent_id", "parked_until_ts_ms"],
  aliases: targetAliases,
  output: changedTask,
  errors: [
    ...(["INVALID_PAYLOAD", "UNKNOWN_ID", "CONFLICT", "REVISION_MISMATCH"] as const),
    ...(["CHECKPOINTS_NOT_CONFIRMED", "STORAGE_ERROR"] as const),
  ],
  examples: [
    {
      title: "put aside for a day",
      given: "a task in focus",
      input: { status: "PARKED", parked_for_s: 86_400 },
    },
  ],

  async handle({ target, agent_id, ...completion }, memory) {
    const id = targetOf(memory, target);
    if ((completion.status ?? "DONE") === "DONE") await requireDependencies(memory, id);
    const outcome = await changeTask(memory, id, agent_id, (facts, agent) =>
      completeItem(facts, { ...completion, agent_id: agent }),
    );
    return showChange(outcome);
  },
});

export const tasksDelta = defineMemory({
  name: "tasks_delta",
  title: "List task events",
  summary: "Lists what happened to plans, tasks and their jobs since an event, oldest first.",
  effect: "read",
  input: {
    since: eventField.optional().describe("Last known event. Omit to start at the beginning."),
    cursor: eventField.optional().describe("next_cursor from the previous page, instead of since."),
    limit: clampedLimit(50),
  },
  output: { events: z.array(eventSchema), pagination },
  trim: { list: { key: "events", oldest: "last", cursor: ({ event_id }) => event_id, stub: stubEvent } },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "everything", given: "a task in focus", input: {} }],

  async handle({ since, cursor, limit }, memory) {
    const from = cursor ?? since;
    const { events, hasMore } = await memory.memory.readTaskEvents(memory.workspace, {
      after: from === undefined ? 0 : numberOf(from),
      limit,
    });
    const next = events.at(-1)?.event_id;
    return {
      events: events.map(showEvent),
      pagination: describePage({ cursor: from, limit, count: events.length, hasMore, next }),
    };
  },
});
