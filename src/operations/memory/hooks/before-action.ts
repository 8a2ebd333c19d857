import { defineMemory } from "../define-memory.ts";
import { hookAnswer, hookFields } from "./hook-fields.ts";

export const beforeAction = defineMemory({
  name: "before_action",
  title: "Before an agent acts",
  summary: "Answers a client's hook before an edit or a command. It says nothing yet.",
  effect: "read",
  input: hookFields,
  output: hookAnswer.shape,
  errors: [],
  examples: [{ title: "before a command", input: { client: "claude-code", event: "PreToolUse" } }],

  handle: async () => ({}),
});
