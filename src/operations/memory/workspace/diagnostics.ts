import * as z from "zod";
import { quote } from "../../../kernel/text.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { unknownTarget } from "../scope.ts";
import { goldenPath, goldenPathSchema } from "./golden-path.ts";
import { lastEntrySchema, showLastEntry } from "./status.ts";

/** Only its code is left of an issue that was cut to fit a budget. */
const issueSchema = z.strictObject({
  code: z.string(),
  severity: z.enum(["error", "info"]).optional(),
  message: z.string().optional(),
  recovery: z
    .strictObject({
      hint: z.string(),
      operation: z.string(),
      args: z.record(z.string(), z.unknown()),
    })
    .optional(),
});

type Issue = z.infer<typeof issueSchema>;

export const diagnostics = defineMemory({
  name: "diagnostics",
  title: "Check the memory",
  summary: "Checks a workspace in one call: what is missing, what is unhealthy, and the call that mends it.",
  effect: "read",
  input: { target: target.optional() },
  aliases: { task: "target", plan: "target" },
  output: {
    workspace: z.string(),
    checkout: z.string().nullable(),
    focus: z.null(),
    target: z.null(),
    context_health: z
      .strictObject({
        status: z.enum(["missing", "empty", "ok"]),
        docs: z.int(),
        last_doc_entry: lastEntrySchema.optional(),
      })
      .optional(),
    issues: z.array(issueSchema),
    golden_path: goldenPathSchema.optional(),
  },
  trim: {
    optional: ["golden_path", "context_health"],
    list: { key: "issues", oldest: "last", stub: ({ code }) => ({ code }) },
  },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "before anything was written", input: {} },
    { title: "of a workspace in use", given: "a workspace with a branch", input: {} },
  ],

  async handle({ target }, memory) {
    if (target !== undefined) return unknownTarget(memory, target);
    const { workspace, state } = memory;
    return {
      workspace,
      checkout: state?.checkout ?? null,
      focus: null,
      target: null,
      context_health: await checkHealth(memory),
      issues: [...(state ? [] : unused(workspace)), noTarget(workspace)],
      golden_path: [...goldenPath],
    };
  },
});

async function checkHealth({ workspace, state, memory }: MemoryContext) {
  if (!state) return { status: "missing" as const, docs: 0 };
  const docs = await memory.listDocs(workspace, state.checkout);
  return {
    status: docs.length > 0 ? ("ok" as const) : ("empty" as const),
    docs: docs.length,
    ...(state.lastEntry && { last_doc_entry: showLastEntry(state.lastEntry) }),
  };
}

function unused(workspace: string): Issue[] {
  const recovery = { hint: "Create it with its branch main.", operation: "init", args: { workspace } };
  return [
    {
      code: "WORKSPACE_MISSING",
      severity: "error",
      message: `The workspace ${quote(workspace)} has not been used yet.`,
      recovery,
    },
    { code: "NO_CHECKOUT", severity: "error", message: "Nothing is checked out.", recovery },
  ];
}

const noTarget = (workspace: string): Issue => ({
  code: "NO_TARGET",
  severity: "info",
  message: "No plan or task is named or in focus; reads and writes go to the checkout.",
  recovery: { hint: "See which branches there are.", operation: "branch_list", args: { workspace } },
});
