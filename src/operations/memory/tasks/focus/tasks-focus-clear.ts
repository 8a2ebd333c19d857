import * as z from "zod";
import { defineMemory } from "../../define-memory.ts";

export const tasksFocusClear = defineMemory({
  name: "tasks_focus_clear",
  title: "Clear the focus",
  summary: "Clears the focus: calls without a target mean the checkout again.",
  effect: "write",
  input: {},
  output: { focus: z.null(), previous: z.string().nullable() },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "of a workspace", given: "a task in focus", input: {} }],

  async handle(_input, memory) {
    await memory.commit([{ do: "set_focus", target: undefined }]);
    return { focus: null, previous: memory.state?.focus ?? null };
  },
});
