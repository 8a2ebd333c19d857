import * as z from "zod";
import type { StoredTaskEvent } from "../../../domain/memory/steps/outcomes.ts";
import {
  eventIdPattern,
  type Item,
  itemStatuses,
  jobPattern,
  type Lease,
  type Step,
  stepIdPattern,
  taskLimits,
} from "../../../domain/tasks/item.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import { agentId } from "../../pipeline/fields.ts";
import { target as anyTarget, textOrObject } from "../fields.ts";

/** Fields that the tools for plans and tasks share. */

export const target = anyTarget.optional().describe('"TASK-001" or {id, kind}. Default: the focus.');

export const targetAliases = { task: "target", plan: "target" } as const;

export const agent = agentId
  .optional()
  .describe("Your agent name, which identifies you as the holder of a lease.");

export const path = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe("Path of the step, such as s:0 or s:0.s:1.");
export const stepIdField = z
  .string()
  .regex(stepIdPattern, "STEP- and eight hexadecimal digits")
  .optional()
  .describe("ID of the step, instead of its path.");

export const expectedRevision = z
  .int()
  .min(0)
  .max(maxCount)
  .optional()
  .describe("Revision that you read. The call is refused if there is a newer revision.");

const line = z.string().min(1).max(taskLimits.line);
const lines = (what: string) => z.array(line).max(taskLimits.lines).optional().describe(what);

export const stepLists = {
  success_criteria: lines("What must be true at the end."),
  tests: lines("Tests that must pass at the end."),
  blockers: lines("What blocks the work."),
};

export const stepTitle = z.string().min(1).max(taskLimits.title).describe("What to do.");

export const newSteps = z
  .array(z.strictObject({ title: stepTitle, ...stepLists }))
  .min(1)
  .max(taskLimits.stepsAtOnce);

export const dependsOn = z
  .array(z.string().max(64))
  .max(50)
  .optional()
  .describe("Plans and tasks that must be done first.");
export const workFields = {
  depends_on: dependsOn,
  priority: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("How urgent it is: critical, high, medium, low, or P0 to P4."),
  assignee: agentId.optional().describe("Agent that should do the work."),
  discovered_from: z.string().max(64).optional().describe("Task during which this work was discovered."),
};

export const text = (what: string) => z.string().min(1).max(taskLimits.text).optional().describe(what);

export const checkpoints = textOrObject(
  'What is confirmed: "gate", "all", or {criteria: {confirmed}, tests: {confirmed}}.',
);

export const jobField = z
  .string()
  .regex(jobPattern, "JOB- and a number")
  .describe("The job, such as JOB-001.");

export const eventField = z.string().regex(eventIdPattern, "evt_ and sixteen digits");

const showLease = ({ agent_id, claimed_event, expires_event }: Lease) => ({
  agent_id,
  claimed_event,
  expires_event,
});
const lease = z.strictObject({ agent_id: z.string(), claimed_event: z.int(), expires_event: z.int() });

export const stepSchema = z.strictObject({
  step_id: z.string(),
  path: z.string(),
  title: z.string(),
  success_criteria: z.array(z.string()).optional(),
  tests: z.array(z.string()).optional(),
  blockers: z.array(z.string()).optional(),
  criteria_confirmed: z.boolean().optional(),
  tests_confirmed: z.boolean().optional(),
  completed: z.boolean(),
  completed_at_ms: z.int().optional(),
  lease: lease.optional(),
});

export const showStep = ({
  task: _task,
  success_criteria,
  tests,
  blockers,
  lease,
  ...step
}: Step): z.input<typeof stepSchema> => ({
  ...step,
  ...(success_criteria.length > 0 && { success_criteria: [...success_criteria] }),
  ...(tests.length > 0 && { tests: [...tests] }),
  ...(blockers.length > 0 && { blockers: [...blockers] }),
  ...(lease && { lease: showLease(lease) }),
});

export const stubStep = ({ step_id, path, title, completed }: Record<string, unknown>) => ({
  step_id,
  path,
  title,
  completed,
});

export const itemSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(["plan", "task"]),
  parent: z.string().optional(),
  title: z.string(),
  status: z.enum(itemStatuses),
  revision: z.int(),
  description: z.string().optional(),
  context: z.string().optional(),
  contract: z.string().optional(),
  contract_data: z.record(z.string(), z.unknown()).optional(),
  depends_on: z.array(z.string()).optional(),
  domain: z.string().optional(),
  priority: z.string().optional(),
  assignee: z.string().optional(),
  discovered_from: z.string().optional(),
  reasoning_mode: z.string().optional(),
  tags: z.array(z.string()).optional(),
  parked_until_ts_ms: z.int().optional(),
  created_at_ms: z.int().optional(),
  updated_at_ms: z.int().optional(),
});

export const showItem = ({ depends_on, tags, ...item }: Item): z.input<typeof itemSchema> => ({
  ...item,
  ...(depends_on && { depends_on: [...depends_on] }),
  ...(tags && { tags: [...tags] }),
});

export const stubItem = ({ id, kind, title, status, revision }: Record<string, unknown>) => ({
  id,
  kind,
  title,
  status,
  revision,
});

export const refSchema = z.strictObject({
  branch: z.string(),
  notes_doc: z.string(),
  graph_doc: z.string(),
  trace_doc: z.string(),
});

export const eventSchema = z.strictObject({
  event_id: z.string(),
  seq: z.int(),
  ts: z.string().optional(),
  ts_ms: z.int(),
  target: z.string(),
  kind: z.string(),
  summary: z.string().optional(),
  path: z.string().optional(),
  step_id: z.string().optional(),
  agent_id: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});

export const showEvent = (event: StoredTaskEvent): z.input<typeof eventSchema> => ({
  ...event,
  ts: new Date(event.ts_ms).toISOString(),
});

export const stubEvent = ({ event_id, seq, ts_ms, target, kind }: Record<string, unknown>) => ({
  event_id,
  seq,
  ts_ms,
  target,
  kind,
});

export const stepsSchema = z.strictObject({
  total: z.int(),
  open: z.int(),
  completed: z.int(),
  first_open: z
    .strictObject({ step_id: z.string(), path: z.string(), title: z.string() })
    .nullable()
    .optional(),
});
