import { defineMemory } from "../define-memory.ts";
import { contextAdvanced, contextInput, contextOutput, contextTrim } from "./context-pack-parts.ts";
import { findContext, readContext } from "./read-context.ts";
import { packChars } from "./think-pack.ts";

export const contextPack = defineMemory({
  name: "context_pack",
  title: "Resume work",
  summary:
    "To resume: notes, trace and cards of a task, branch or session in one page, with what to do next.",
  toolset: "daily",
  effect: "read",
  defaultChars: packChars,
  input: contextInput,
  advanced: contextAdvanced,
  output: contextOutput,
  trim: contextTrim,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    { title: "of the checkout", given: "a workspace with cards", input: { context_budget: 4000 } },
    { title: "of a task", given: "a task in focus", input: { target: "TASK-001" } },
  ],

  async handle(input, memory) {
    const plan = await findContext(memory, input);
    return (await readContext(memory, plan, input, "context_pack_capsule")).result;
  },
});
