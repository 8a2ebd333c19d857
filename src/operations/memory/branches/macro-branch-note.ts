import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import type { MemoryStep } from "../../../domain/memory/steps/step.ts";
import { agentId, longTitle } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, content, doc, format, meta } from "../fields.ts";
import { entrySchema } from "../notes/entry-schema.ts";
import { checkoutOrDefault, refuseLedger } from "../scope.ts";

const noteTemplates = {
  initiative: (goal: string) =>
    [
      "# Initiative",
      "",
      `Goal: ${goal}`,
      "",
      "Why now:",
      "",
      "Done when:",
      "",
      "First step:",
      "",
      "Risks:",
    ].join("\n"),
  decision: (goal: string) =>
    [
      "# Decision",
      "",
      `Question: ${goal}`,
      "",
      "Options:",
      "",
      "Chosen:",
      "",
      "Because:",
      "",
      "Would change our mind:",
    ].join("\n"),
} as const;

type NoteTemplate = keyof typeof noteTemplates;
const noteTemplateNames = Object.keys(noteTemplates) as [NoteTemplate, ...NoteTemplate[]];

export const macroBranchNote = defineMemory({
  name: "macro_branch_note",
  title: "Note on a branch",
  summary:
    "Creates the branch if necessary, switches to it and appends a note, in one step. Either everything succeeds or nothing does.",
  effect: "write",
  input: {
    name: branchName
      .optional()
      .describe("Branch to write to. A new one is created from `from` or the checkout."),
    from: branchName
      .optional()
      .describe("Base of a new branch. If name is omitted, the branch to switch to."),
    content: content.optional().describe("Text of the note, if you use no template."),
    template: z
      .enum(noteTemplateNames)
      .optional()
      .describe("Template for the note, filled in with the goal."),
    goal: z.string().min(1).max(1_000).optional().describe("Goal to write into the template."),
    title: longTitle.optional(),
    doc: doc.optional(),
    format: format.optional(),
    meta: meta.optional(),
    agent_id: agentId.optional(),
  },
  advanced: ["doc", "format", "meta", "agent_id"],
  output: {
    workspace: z.string(),
    branch: z.strictObject({ name: z.string(), created: z.boolean() }),
    checkout: z.strictObject({ previous: z.string(), current: z.string() }),
    note: entrySchema,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "a new line of thought",
      input: { name: "try/queue", content: "What if writes went through a queue?" },
    },
    { title: "a decision to fill in", input: { template: "decision", goal: "SQLite or PostgreSQL?" } },
  ],

  async handle({ name, from, content, template, goal, doc, ...note }, memory) {
    const text = template === undefined ? content : noteTemplates[template](goal ?? "");
    if (text === undefined || (content !== undefined && template !== undefined)) {
      return memory.fail("INVALID_PAYLOAD", "macro_branch_note: pass either content or template.", {
        details: { hints: [{ kind: "choose_one", fields: ["content", "template"] }] },
        recovery: {
          hint: "See the fields of macro_branch_note and an example.",
          operation: "help",
          args: { topic: "macro_branch_note" },
        },
      });
    }
    for (const branch of [name, from]) if (branch !== undefined) refuseLedger(memory, branch);
    const steps: MemoryStep[] = [];
    if (name !== undefined)
      steps.push({ do: "create_branch", name, from: from ?? checkoutOrDefault(memory), ifMissing: true });
    const ref = name ?? from;
    if (ref !== undefined) steps.push({ do: "checkout", ref });
    const agent_id = note.agent_id ?? memory.settings.agentId;
    steps.push({
      do: "append",
      branch: ref ?? checkoutOrDefault(memory),
      doc: doc ?? defaultDocs.notes,
      entry: { kind: "note", ...note, content: text, agent_id },
    });
    return describe(memory.workspace, steps, await memory.commit(steps), memory.state?.checkout);
  },
});

function describe(workspace: string, steps: MemoryStep[], outcomes: unknown[], before: string | undefined) {
  const outcomeOf = (step: MemoryStep["do"]) => outcomes[steps.findIndex(({ do: name }) => name === step)];
  const note = outcomeOf("append") as z.input<typeof entrySchema>;
  const created = (outcomeOf("create_branch") as { created: boolean } | undefined)?.created ?? false;
  const current = String(note.branch);
  const checkout = (outcomeOf("checkout") as { previous: string; current: string } | undefined) ?? {
    previous: before ?? current,
    current,
  };
  return { workspace, branch: { name: current, created }, checkout, note };
}
