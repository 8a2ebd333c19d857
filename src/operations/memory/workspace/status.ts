import * as z from "zod";
import { formatRef } from "../../../domain/memory/entry.ts";
import { defaultBranch, defaultDocs } from "../../../domain/memory/limits.ts";
import type { Activity, Workspace } from "../../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { isLocked, isServed } from "../../pipeline/workspace.ts";
import { defineMemory } from "../define-memory.ts";

/** Callers can send each call unchanged, in any workspace and in any order. */
export const goldenPath = (workspace: string) => [
  {
    operation: "context_pack",
    args: { workspace },
    purpose: "Resume: what was decided and rejected, what is open, what is next.",
  },
  { operation: "changes", args: { workspace, since: "me" }, purpose: "See what others have done since." },
  {
    operation: "notes_commit",
    args: { workspace, content: "Nine of ten reads ask for the same rows." },
    purpose: "Write down what you see.",
  },
  {
    operation: "think_card",
    args: { workspace, card: { type: "decision", title: "Cache the reads for 60 s" } },
    purpose: "Record hypotheses, tests, evidence and decisions as cards.",
  },
  {
    operation: "tasks_create",
    args: { workspace, kind: "plan", title: "Faster reads" },
    purpose: "Plan work for several days or agents.",
  },
];

export const goldenPathSchema = z.array(
  z.strictObject({
    operation: z.string(),
    args: z.record(z.string(), z.unknown()),
    purpose: z.string(),
  }),
);

export const defaultsSchema = z.strictObject({
  branch: z.string(),
  docs: z.strictObject({ notes: z.string(), graph: z.string(), trace: z.string() }),
});

const eventSchema = z.strictObject({ event_id: z.string(), ts: z.string(), ts_ms: z.int() });

export const lastEntrySchema = z.strictObject({
  seq: z.int(),
  ts: z.string(),
  ts_ms: z.int(),
  branch: z.string(),
  doc: z.string(),
  kind: z.string(),
});

export const status = defineMemory({
  name: "status",
  title: "Show the state of the memory",
  summary: "Shows the workspace, its checkout, newest entry and guards, and which calls to start with.",
  effect: "read",
  anywhere: true,
  input: {},
  output: {
    text: z.string(),
    workspace: z.string(),
    schema_version: z.int(),
    workspace_exists: z.boolean(),
    checkout: z.string().nullable(),
    open_conflicts: z.int().optional(),
    focus: z.string().nullable().optional(),
    defaults: defaultsSchema,
    last_task_event: eventSchema.optional(),
    last_event: eventSchema.optional(),
    last_doc_entry: lastEntrySchema.optional(),
    workspace_policy: z
      .strictObject({
        default_workspace: z.string(),
        workspace_lock: z.boolean(),
        workspace_allow: z.array(z.string()).optional(),
        project_guard_configured: z.string().optional(),
        project_guard_stored: z.string().optional(),
        default_agent_id: z.string().optional(),
      })
      .optional(),
    golden_path: goldenPathSchema.optional(),
  },
  trim: { optional: ["golden_path", "defaults", "workspace_policy", "last_doc_entry"] },
  errors: ["STORAGE_ERROR"],
  examples: [
    { title: "before anything was written", input: {} },
    { title: "of a workspace in use", given: "a workspace with commits", input: {} },
  ],

  async handle(_input, memory) {
    const { workspace, state } = memory;
    const { lastTaskEvent, lastEntry } = await memory.memory.readActivity(workspace);
    const conflicts = await memory.memory.countOpenConflicts(workspace);
    for (const { into, doc, open } of conflicts.slice(0, 2))
      memory.suggest({
        operation: "graph_conflicts",
        args: { workspace, into, doc },
        reason: `${open} ${open === 1 ? "conflict needs" : "conflicts need"} a decision.`,
        priority: "high",
      });
    if (!state) await suggestElsewhere(memory);
    return {
      text: describeState(workspace, state, lastEntry),
      workspace,
      schema_version: await memory.memory.schemaVersion(),
      workspace_exists: state !== undefined,
      checkout: state?.checkout ?? null,
      ...(conflicts.length > 0 && { open_conflicts: conflicts.reduce((sum, { open }) => sum + open, 0) }),
      defaults: { branch: defaultBranch, docs: defaultDocs },
      ...(lastTaskEvent && {
        last_task_event: showTaskEvent(lastTaskEvent),
        last_event: showTaskEvent(lastTaskEvent),
      }),
      ...(state && { focus: state.focus ?? null }),
      ...(lastEntry && { last_doc_entry: showLastEntry(lastEntry) }),
      workspace_policy: describePolicy(memory),
      golden_path: goldenPath(workspace),
    };
  },
});

/** Suggests other workspaces to a caller in an empty one. */
async function suggestElsewhere({ memory, settings, suggest }: MemoryContext): Promise<void> {
  if (isLocked(settings) || settings.projectGuard !== undefined) return;
  const other = (await memory.listWorkspaces(looked)).find((name) => isServed(settings, name));
  if (other !== undefined)
    suggest({
      operation: "status",
      args: { workspace: other },
      reason: `This workspace is empty. Workspace ${other} is in use.`,
      priority: "low",
    });
}

const looked = 20;

const showTaskEvent = ({ event_id, ts_ms }: NonNullable<Activity["lastTaskEvent"]>) => ({
  event_id,
  ts: new Date(ts_ms).toISOString(),
  ts_ms,
});

export const showLastEntry = (entry: NonNullable<Activity["lastEntry"]>) => ({
  ...entry,
  ts: new Date(entry.ts_ms).toISOString(),
});

function describeState(
  workspace: string,
  state: Workspace | undefined,
  lastEntry: Activity["lastEntry"],
): string {
  if (!state) return `Workspace ${workspace} has not been used yet. init or the first note creates it.`;
  const newest = lastEntry
    ? `Its newest entry is ${formatRef(lastEntry)} on ${lastEntry.branch}, from ${new Date(lastEntry.ts_ms).toISOString()}`
    : "It has no entries yet";
  return `Workspace ${workspace} is on branch ${state.checkout}. ${newest}.`;
}

const maxAllowed = 20;

function describePolicy(memory: MemoryContext) {
  const { settings, state } = memory;
  return {
    default_workspace: memory.ownWorkspace,
    workspace_lock: isLocked(settings),
    ...(settings.workspaceAllow.length > 0 && {
      workspace_allow: settings.workspaceAllow.slice(0, maxAllowed),
    }),
    ...(settings.projectGuard !== undefined && { project_guard_configured: settings.projectGuard }),
    ...(state?.projectGuard !== undefined && { project_guard_stored: state.projectGuard }),
    ...(settings.agentId !== undefined && { default_agent_id: settings.agentId }),
  };
}
