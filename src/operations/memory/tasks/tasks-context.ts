import * as z from "zod";
import { isAnchorId, namesFor } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { type Item, isClosed, itemStatuses, numberOf } from "../../../domain/tasks/item.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { loadAnchors } from "../anchors/read-anchor.ts";
import { defineMemory } from "../define-memory.ts";
import { describePage, forwardCursor, pagination } from "../fields.ts";
import { targetOf } from "./change-task.ts";
import { agent, itemSchema, showItem, stubItem, target, targetAliases } from "./fields.ts";
import { listMessages, listWork, messageSchema, workLineSchema } from "./ready-work.ts";

const status = z.enum(itemStatuses).optional();

export const tasksContext = defineMemory({
  name: "tasks_context",
  title: "List plans and tasks",
  summary: "Lists plans and tasks by number. By default only open ones.",
  effect: "read",
  input: {
    tasks_parent: z.string().min(1).max(64).optional().describe("Only tasks in this plan."),
    tasks_status: status.describe("Only tasks with this status."),
    plans_status: status.describe("Only plans with this status."),
    include_all: z
      .boolean()
      .default(false)
      .describe("Include done and canceled plans and tasks. Default: false."),
    domain: z.string().min(1).max(128).optional().describe("Only plans and tasks in this domain."),
    tags: z
      .array(z.string().max(128))
      .max(16)
      .optional()
      .describe("Only plans and tasks with all of these tags. Earlier names of an anchor count too."),
    target: target.describe("Same as tasks_parent."),
    ready: z
      .boolean()
      .default(false)
      .describe("Lists the tasks that are ready, and what the others wait for. Default: false."),
    mine: z
      .boolean()
      .default(false)
      .describe("Shows your inbox: tasks assigned to you and messages to you. Default: false."),
    agent_id: agent,
    plans_cursor: forwardCursor.optional(),
    plans_limit: clampedLimit(20),
    tasks_cursor: forwardCursor.optional(),
    tasks_limit: clampedLimit(50),
  },
  advanced: ["domain", "tags", "plans_cursor", "plans_limit", "tasks_cursor", "tasks_limit", "plans_status"],
  aliases: { ...targetAliases, cursor: "tasks_cursor" },
  output: {
    focus: z.string().nullable().optional(),
    plans: z.array(itemSchema).optional(),
    plans_pagination: pagination.optional(),
    tasks: z.array(itemSchema),
    pagination,
    ready: z.array(workLineSchema).optional(),
    waiting: z.array(workLineSchema).optional(),
    messages: z.array(messageSchema).optional(),
  },
  trim: {
    optional: ["plans", "plans_pagination", "waiting", "messages"],
    list: { key: "tasks", oldest: "last", cursor: ({ id }) => numberOf(String(id)), stub: stubItem },
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "what is open", given: "a task in focus", input: {} },
    { title: "ready tasks", given: "a task in focus", input: { ready: true } },
    { title: "your inbox", given: "a task in focus", input: { mine: true, agent_id: "ann" } },
  ],

  async handle(input, { memory, workspace, state, ...context }) {
    const asked =
      input.target === undefined
        ? undefined
        : targetOf({ memory, workspace, state, ...context }, input.target);
    const parent = input.tasks_parent ?? (asked?.startsWith("PLAN-") ? asked : undefined);
    const me = input.mine ? (input.agent_id ?? context.settings.agentId) : undefined;
    if (input.mine && me === undefined) return refuseAnonymous({ workspace, fail: context.fail });
    const messages = me === undefined ? [] : await listMessages({ memory, workspace }, me);
    const inbox = messages.length > 0 ? { messages } : {};
    if (input.ready) {
      const work = await listWork({ ...context, memory, workspace, state }, parent, ({ assignee }) =>
        me === undefined ? true : assignee === me,
      );
      return {
        focus: state?.focus ?? null,
        tasks: [],
        pagination: noPage(work.ready.length),
        ...work,
        ...inbox,
      };
    }
    const anchors = input.tags?.some(isAnchorId) ? await loadAnchors({ memory, workspace }) : new Map();
    const tags = (input.tags ?? []).map((tag) => (isAnchorId(tag) ? namesFor(anchors, tag) : [tag]));
    const shown = (item: Item): boolean =>
      (input.include_all || input.tasks_status !== undefined || !isClosed(item)) &&
      (input.domain === undefined || item.domain === input.domain) &&
      (me === undefined || item.kind === "plan" || item.assignee === me) &&
      tags.every((names) => names.some((name) => item.tags?.includes(name)));
    const list = async (kind: "plan" | "task", after: number, limit: number) => {
      const own = kind === "task" ? { parent, status: input.tasks_status } : { status: input.plans_status };
      const found: Item[] = [];
      let [at, more] = [after, true];
      while (more && found.length <= limit) {
        const page = await memory.listItems(workspace, { kind, ...own, after: at, limit: 200 });
        found.push(...page.items.filter(shown));
        at = numberOf(page.items.at(-1)?.id ?? "0");
        more = page.hasMore;
      }
      return { items: found.slice(0, limit), hasMore: found.length > limit };
    };
    const limits = {
      plans: input.plans_limit,
      tasks: input.tasks_limit,
    };
    const plans = await list("plan", input.plans_cursor ?? 0, limits.plans);
    const tasks = await list("task", input.tasks_cursor ?? 0, limits.tasks);
    const page = ({ items, hasMore }: typeof plans, cursor: number | undefined, limit: number) =>
      describePage({ cursor, limit, count: items.length, hasMore, next: numberOf(items.at(-1)?.id ?? "0") });
    return {
      focus: state?.focus ?? null,
      plans: plans.items.map(showItem),
      plans_pagination: page(plans, input.plans_cursor, limits.plans),
      tasks: tasks.items.map(showItem),
      pagination: page(tasks, input.tasks_cursor, limits.tasks),
      ...inbox,
    };
  },
});

const noPage = (limit: number) =>
  describePage({ cursor: undefined, limit, count: 0, hasMore: false, next: 0 });

const refuseAnonymous = ({
  workspace,
  fail,
}: Pick<MemoryContext<"INVALID_PAYLOAD">, "workspace" | "fail">): never =>
  fail("INVALID_PAYLOAD", "Pass agent_id. It identifies the agent that the tasks are assigned to.", {
    details: { hints: [{ kind: "missing", field: "agent_id" }] },
    recovery: { hint: "See all open tasks.", operation: "tasks_context", args: { workspace } },
  });
