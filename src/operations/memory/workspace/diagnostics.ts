import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { type Item, reasoningRef } from "../../../domain/tasks/item.ts";
import { lintTask } from "../../../domain/tasks/radar.ts";
import { quote } from "../../../kernel/text.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { requireTarget } from "../scope.ts";
import { goldenPath, goldenPathSchema, lastEntrySchema, showLastEntry } from "./status.ts";

/** An issue that was shortened to fit a budget keeps only its code. */
const issueSchema = z.strictObject({
  code: z.string(),
  severity: z.enum(["error", "warning", "info"]).optional(),
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
  summary: "Checks a workspace in one call: what is missing, what is unhealthy, and the call that fixes it.",
  effect: "read",
  anywhere: true,
  input: { target: target.optional() },
  aliases: { task: "target", plan: "target" },
  output: {
    workspace: z.string(),
    checkout: z.string().nullable(),
    focus: z.string().nullable(),
    target: z.string().nullable(),
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
    const { workspace, state } = memory;
    const id = target ?? state?.focus;
    const item = id === undefined ? undefined : await requireTarget(memory, id);
    return {
      workspace,
      checkout: state?.checkout ?? null,
      focus: state?.focus ?? null,
      target: item?.id ?? null,
      context_health: await checkHealth(memory, item ? reasoningRef(item.id).branch : state?.checkout),
      issues: [
        ...(state ? [] : unused(workspace)),
        ...(await graphIssues(memory)),
        ...(item ? await lintItem(memory, item) : [noTarget(workspace)]),
      ],
      golden_path: goldenPath(workspace),
    };
  },
});

/** Finds a plan's or task's issues. Each issue includes the call that fixes it. */
async function lintItem({ memory, workspace }: MemoryContext, item: Item): Promise<Issue[]> {
  const steps = item.kind === "task" ? await memory.readSteps(workspace, item.id) : [];
  return lintTask(item, steps).map(({ code, message, path }) => ({
    code,
    severity: "info",
    message,
    recovery: {
      hint:
        path === undefined
          ? "See the state of the task."
          : "Define the step with tasks_define. This call shows the step.",
      operation: "tasks_radar",
      args: { workspace, target: item.id },
    },
  }));
}

async function checkHealth({ workspace, state, memory }: MemoryContext, branch: string | undefined) {
  if (!state || branch === undefined) return { status: "missing" as const, docs: 0 };
  const docs = await memory.listDocs(workspace, branch);
  const { lastEntry } = await memory.readActivity(workspace);
  return {
    status: docs.length > 0 ? ("ok" as const) : ("empty" as const),
    docs: docs.length,
    ...(lastEntry && { last_doc_entry: showLastEntry(lastEntry) }),
  };
}

/** Finds open conflicts, and edges with a missing end, in the checkout's graph. */
async function graphIssues({ workspace, state, memory, signal }: MemoryContext): Promise<Issue[]> {
  if (!state) return [];
  const place = { branch: state.checkout, doc: defaultDocs.graph };
  const [conflicts, { danglingTotal }] = await Promise.all([
    memory.countOpenConflicts(workspace),
    memory.checkGraph(workspace, place, 1, signal),
  ]);
  return [
    ...conflicts.map(
      ({ into, doc, open }): Issue => ({
        code: "OPEN_CONFLICTS",
        severity: "warning",
        message: `${open} ${open === 1 ? "conflict needs" : "conflicts need"} a decision in ${quote(doc)} on ${quote(into)}.`,
        recovery: {
          hint: "Resolve each conflict with graph_conflict_resolve. This call lists the conflicts.",
          operation: "graph_conflicts",
          args: { workspace, into, doc },
        },
      }),
    ),
    ...(danglingTotal === 0
      ? []
      : [
          {
            code: "GRAPH_INVALID" as const,
            severity: "warning" as const,
            message: `${danglingTotal} ${danglingTotal === 1 ? "edge" : "edges"} on ${quote(place.branch)} ${danglingTotal === 1 ? "leads" : "lead"} to a missing node.`,
            recovery: {
              hint: "See the edges that lead to a missing node.",
              operation: "graph_validate",
              args: { workspace, ...place },
            },
          },
        ]),
  ];
}

function unused(workspace: string): Issue[] {
  const recovery = {
    hint: "Create the workspace and its main branch.",
    operation: "init",
    args: { workspace },
  };
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
  message: "The call has no target and no plan or task is in focus, so reads and writes use the checkout.",
  recovery: {
    hint: "List the existing plans and tasks.",
    operation: "tasks_context",
    args: { workspace, include_all: true },
  },
});
