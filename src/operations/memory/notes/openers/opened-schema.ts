import * as z from "zod";
import { sessionIdPattern } from "../../../../domain/ledger/limits.ts";
import { parseRef } from "../../../../domain/memory/entry.ts";
import { isAnchorId } from "../../../../domain/memory/meaning-map/meaning-anchor.ts";
import { eventIdPattern, jobPattern, stepIdPattern, targetPattern } from "../../../../domain/tasks/item.ts";
import type { MemoryContext } from "../../../pipeline/context.ts";
import { degradationSchema } from "../../../pipeline/fit/pack.ts";
import { anchorView } from "../../anchors/anchor-fields.ts";
import { conflictSchema, edgeSchema, nodeSchema } from "../../graph/graph-schemas.ts";
import { groundShape } from "../../ground/read-ground.ts";
import { jobEventSchema, jobSchema } from "../../jobs/job-fields.ts";
import { capsuleSchema, stepFocusSchema } from "../../packs/show-pack.ts";
import { eventSchema, itemSchema, refSchema, stepSchema } from "../../tasks/fields.ts";
import { tagSchema } from "../../vcs/ref-schemas.ts";
import { entrySchema } from "../entry-schema.ts";

const others = z.record(z.string(), z.array(z.string())).optional();
const events = z.array(jobEventSchema).optional();

const kinds = [
  "session",
  "thought",
  "doc_entry",
  "card",
  "node",
  "graph_version",
  "task",
  "plan",
  "step",
  "task_event",
  "job",
  "job_event",
  "runner",
  "anchor",
  "conflict",
  "branch",
  "tag",
] as const;

/** `kind` determines which fields are present. */
export const openedShape = {
  kind: z.enum(kinds),
  id: z.string().optional(),
  ref: z.string().optional(),
  head: z
    .strictObject({ seq: z.int(), ts: z.string(), ts_ms: z.int(), branch: z.string(), doc: z.string() })
    .optional(),
  also_in: z
    .array(
      z.strictObject({
        branch: z.string(),
        doc: z.string(),
        type: z.string(),
        title: z.string().optional(),
        ref: z.string(),
      }),
    )
    .optional(),
  card: nodeSchema.partial().optional(),
  ...groundShape,
  rests_on_reversed: z.array(z.strictObject({ id: z.string(), title: z.string().optional() })).optional(),
  node: nodeSchema.partial().optional(),
  edge: edgeSchema.partial().optional(),
  edges: others,
  incoming: others,
  edges_total: z.int().optional(),
  links: z
    .array(
      z.strictObject({
        rel: z.string(),
        to: z.string().optional(),
        from: z.string().optional(),
        branch: z.string(),
        doc: z.string(),
        title: z.string().optional(),
        status: z.string().optional(),
        deleted: z.boolean().optional(),
      }),
    )
    .optional(),
  entry: entrySchema.optional(),
  content_chars: z.int().optional(),
  offset: z.int().optional(),
  next_offset: z.int().optional(),
  session: z.record(z.string(), z.unknown()).optional(),
  branch: z.string().optional(),
  doc: z.string().optional(),
  entries: z.array(entrySchema).optional(),
  anchor: anchorView.anchor.optional(),
  stats: anchorView.stats,
  cards: anchorView.cards,
  count: anchorView.count,
  tasks: anchorView.tasks,
  target: itemSchema.partial().optional(),
  reasoning_ref: refSchema.optional(),
  capsule: capsuleSchema.optional(),
  step_focus: stepFocusSchema.optional(),
  degradation: z
    .union([
      z.strictObject({
        view: z.enum(["focus_only", "audit"]),
        left_out: z.array(z.string()),
        full: z.strictObject({ operation: z.string(), args: z.record(z.string(), z.unknown()) }),
      }),
      degradationSchema,
    ])
    .optional(),
  step: stepSchema.partial().optional(),
  event: z.union([eventSchema.partial(), jobEventSchema.partial()]).optional(),
  job: jobSchema.partial().optional(),
  prompt: z.string().optional(),
  events,
  has_more_events: z.boolean().optional(),
  context: z.strictObject({ events: z.array(jobEventSchema), has_more_events: z.boolean() }).optional(),
  status: z.string().optional(),
  lease: z
    .strictObject({
      runner_id: z.string(),
      status: z.enum(["idle", "live"]).optional(),
      active_job_id: z.string().optional(),
      lease_expires_at_ms: z.int().optional(),
      created_at_ms: z.int().optional(),
      updated_at_ms: z.int().optional(),
      lease_active: z.boolean().optional(),
      expires_in_ms: z.int().optional(),
    })
    .optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  conflict: conflictSchema.optional(),
  tag: tagSchema.optional(),
  base_branch: z.string().nullable().optional(),
  base_seq: z.int().nullable().optional(),
  created_at_ms: z.int().optional(),
  deleted_at_ms: z.int().optional(),
  checked_out: z.boolean().optional(),
  docs: z
    .array(
      z.strictObject({
        doc: z.string(),
        form: z.string(),
        last_seq: z.int(),
        last_ts_ms: z.int().optional(),
      }),
    )
    .optional(),
};

export type Opened = z.input<z.ZodObject<typeof openedShape>>;

export type OpenMemory = MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">;

type Asked = { limit: number; drafts: boolean };

/** Returns `undefined` if nothing has the ID. */
export type Opener<Kind extends OpenId["kind"]> = (
  memory: OpenMemory,
  id: Extract<OpenId, { kind: Kind }>,
  asked: Asked,
) => Promise<Opened | undefined>;

/** Determined only by the form of the ID. */
export type OpenId =
  | { kind: "entry"; doc: string | undefined; seq: number }
  | { kind: "thought"; sessionId: string; branchId?: string | undefined; thoughtNumber: number }
  | { kind: "session"; sessionId: string }
  | Whole<"anchor">
  | Whole<"item">
  | Whole<"step">
  | Whole<"task_event">
  | Whole<"job">
  | Whole<"conflict">
  | { kind: "job_event"; job: string; seq: number }
  | { kind: "runner"; runnerId: string }
  /** The name of a node, branch or tag, or the bare seq of an entry. */
  | Whole<"name">;

type Whole<Kind extends string> = { kind: Kind; id: string };

/** One example of each form that `open` reads. Any other text is looked up as the ID of a node, a branch or a tag. */
export const idForms: readonly string[] = [
  ...[
    "CARD-1",
    "PLAN-001",
    "TASK-001",
    "STEP-0000000A",
    "JOB-001",
    "JOB-001@12",
    "runner:r1",
    "evt_0000000000000012",
  ],
  ...["notes@12", "12", "a:storage", `CONFLICT-${"0".repeat(32)}`],
  ...["<sessionId>", "<sessionId>:3", "<sessionId>:<branchId>:3", "latest"],
];

const conflictPattern = /^CONFLICT-[0-9a-f]{32}$/;
const jobEventForm = /^(?<job>JOB-\d{3,9})@(?<seq>\d{1,15})$/;
const runnerForm = /^runner:(?<runner>[A-Za-z0-9][A-Za-z0-9._-]{0,63})$/;
const thoughtForm = /^(?<session>[^:]+):(?:(?<branch>[a-z0-9-]{1,64}):)?(?<number>\d{1,9})$/;

export function readOpenId(id: string): OpenId {
  if (isAnchorId(id)) return { kind: "anchor", id };
  if (targetPattern.test(id)) return { kind: "item", id };
  if (stepIdPattern.test(id)) return { kind: "step", id };
  if (eventIdPattern.test(id)) return { kind: "task_event", id };
  if (jobPattern.test(id)) return { kind: "job", id };
  if (conflictPattern.test(id)) return { kind: "conflict", id };
  const { job, seq } = jobEventForm.exec(id)?.groups ?? {};
  if (job !== undefined) return { kind: "job_event", job, seq: Number(seq) };
  const { runner } = runnerForm.exec(id)?.groups ?? {};
  if (runner !== undefined) return { kind: "runner", runnerId: runner };
  const entry = parseRef(id);
  if (entry) return { kind: "entry", ...entry };
  return readLedgerId(id.replace(/^session\//, "")) ?? { kind: "name", id };
}

function readLedgerId(bare: string): OpenId | undefined {
  if (sessionIdPattern.test(bare)) return { kind: "session", sessionId: bare };
  const { session = "", branch, number } = thoughtForm.exec(bare)?.groups ?? {};
  if (!sessionIdPattern.test(session)) return undefined;
  return { kind: "thought", sessionId: session, branchId: branch, thoughtNumber: Number(number) };
}
