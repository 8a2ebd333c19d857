import * as z from "zod";
import { defaultBranch } from "../../../domain/memory/limits.ts";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { defineMemory, reportClearedFocus } from "../define-memory.ts";
import { requireTarget, warnIfUnknown } from "../scope.ts";
import { itemSchema, showItem, stubItem, target, targetAliases } from "./fields.ts";

export const tasksFocusGet = defineMemory({
  name: "tasks_focus_get",
  title: "See the focus",
  summary: "Shows the plan or task used by calls without a target.",
  effect: "read",
  input: {},
  output: { focus: z.string().nullable(), target: itemSchema.optional() },
  trim: { item: { key: "target", stub: stubItem } },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "of a workspace", given: "a task in focus", input: {} }],

  async handle(_input, context) {
    const { state, memory, workspace } = context;
    await reportClearedFocus(context);
    const focus = state?.focus;
    const item = focus === undefined ? undefined : await memory.readItem(workspace, focus);
    return { focus: focus ?? null, ...(item && { target: showItem(item) }) };
  },
});

export const tasksFocusSet = defineMemory({
  name: "tasks_focus_set",
  title: "Set the focus",
  summary: "Sets the plan or task used by calls without a target.",
  effect: "write",
  input: { target: target.describe('Plan or task: "TASK-001" or {id, kind}.') },
  aliases: targetAliases,
  output: { focus: z.string(), target: itemSchema, previous: z.string().nullable() },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "a task", given: "a task in focus", input: { target: "TASK-001" } }],

  async handle({ target }, memory) {
    if (target === undefined) throw taskFailure("no_target", { workspace: memory.workspace });
    const item = await requireTarget(memory, target);
    await memory.commit([{ do: "set_focus", target: item.id }]);
    warnIfUnknown(memory);
    return { focus: item.id, target: showItem(item), previous: memory.state?.focus ?? null };
  },
});

export const tasksFocusClear = defineMemory({
  name: "tasks_focus_clear",
  title: "Clear the focus",
  summary: "Clears the focus. Calls without a target then use the checkout.",
  effect: "write",
  input: {},
  output: { focus: z.null(), previous: z.string().nullable() },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "of a workspace", given: "a task in focus", input: {} }],

  async handle(_input, memory) {
    const { focus, foreign } = memory.state ?? {};
    if (foreign?.focus) {
      memory.warn({
        code: "FOCUS_OF_ANOTHER",
        message: `You have no focus. ${focus} is the focus of another agent, so it was not cleared. To write elsewhere, pass target, or branch: "${defaultBranch}".`,
      });
      return { focus: null, previous: null };
    }
    const was = memory.agent.keys.length > 0 ? focus : undefined;
    await memory.commit([{ do: "set_focus", target: undefined, was }]);
    return { focus: null, previous: focus ?? null };
  },
});
