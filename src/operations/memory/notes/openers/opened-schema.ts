import * as z from "zod";
import type { MemoryContext } from "../../../pipeline/context.ts";
import { degradationSchema } from "../../../pipeline/fit/pack.ts";
import { anchorView } from "../../anchors/read-anchor.ts";
import { conflictSchema } from "../../graph/conflict-schema.ts";
import { edgeSchema, nodeSchema } from "../../graph/graph-schemas.ts";
import { groundShape } from "../../ground/read-ground.ts";
import { jobEventSchema, jobSchema } from "../../jobs/job-fields.ts";
import { capsuleSchema, stepFocusSchema } from "../../packs/card-schema.ts";
import { eventSchema, itemSchema, refSchema, stepSchema } from "../../tasks/fields.ts";
import { tagSchema } from "../../vcs/ref-schemas.ts";
import { entrySchema } from "../entry-schema.ts";
import type { OpenId } from "../open-id.ts";

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

/** Everything that can be opened. `kind` determines which fields exist. */
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
  /** Reversed decisions that it relies on. */
  rests_on_reversed: z.array(z.strictObject({ id: z.string(), title: z.string().optional() })).optional(),
  node: nodeSchema.partial().optional(),
  edge: edgeSchema.partial().optional(),
  edges: others,
  incoming: others,
  edges_total: z.int().optional(),
  /** Links to and from cards in other tasks. */
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

/** `undefined` if nothing has the ID. */
export type Opener<Kind extends OpenId["kind"]> = (
  memory: OpenMemory,
  id: Extract<OpenId, { kind: Kind }>,
  asked: Asked,
) => Promise<Opened | undefined>;
