import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { itemSchema, showItem, stubItem } from "./fields.ts";

export const tasksFocusGet = defineMemory({
  name: "tasks_focus_get",
  title: "See the focus",
  summary: "Shows the plan or task that calls without a target mean.",
  effect: "read",
  input: {},
  output: { focus: z.string().nullable(), target: itemSchema.optional() },
  trim: { item: { key: "target", stub: stubItem } },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "of a workspace", given: "a task in focus", input: {} }],

  async handle(_input, { state, memory, workspace }) {
    const focus = state?.focus;
    const item = focus === undefined ? undefined : await memory.readItem(workspace, focus);
    return { focus: focus ?? null, ...(item && { target: showItem(item) }) };
  },
});
