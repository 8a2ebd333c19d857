import * as z from "zod";
import { agentId } from "../../pipeline/fields.ts";
import { degradationSchema, type PackPlan } from "../../pipeline/fit/pack.ts";
import type { TrimPlan } from "../../pipeline/fit/trim.ts";
import { pagination, target } from "../fields.ts";
import { sequentialSchema } from "../notes/entry-schema.ts";
import { stubStep } from "../tasks/fields.ts";
import { count, engineFields, graphDoc, notesDoc, ref, step, traceDoc, viewFields } from "../think/fields.ts";
import { boardLists, boardSchema } from "./read-board.ts";
import {
  capsuleSchema,
  engineSchema,
  laneSummarySchema,
  packCardSchema,
  packEntrySchema,
  packStepSchema,
  statsSchema,
  stepFocusSchema,
} from "./show-pack.ts";
import {
  cardsAt,
  engineLists,
  entriesAt,
  keepCapsule,
  listAt,
  showsLeftOut,
  signalLists,
} from "./trim-packs.ts";

export const contextInput = {
  target: target.optional().describe('Plan or task, "TASK-001" or {id, kind}, or the ID of a session.'),
  since: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Shows only what is newer than a seq, an ISO time or, with "me", your last write.'),
  ref,
  notes_doc: notesDoc,
  graph_doc: graphDoc,
  trace_doc: traceDoc,
  step,
  notes_limit: count(20, "notes", 200),
  trace_limit: count(50, "trace entries", 200),
  limit_cards: count(30, "cards", 200),
  decisions_limit: count(5, "decisions"),
  evidence_limit: count(5, "pieces of evidence"),
  blockers_limit: count(5, "blockers"),
  ...viewFields,
  ...engineFields(6, 2),
  read_only: z.boolean().optional().describe("Ignored. A pack never writes."),
  agent_id: agentId.optional(),
};

export const contextAdvanced = [
  ...([
    "ref",
    "notes_doc",
    "graph_doc",
    "trace_doc",
    "read_only",
    "agent_id",
    "all_lanes",
    "include_drafts",
    "view",
    "step",
    "context_budget",
  ] as const),
  ...([
    "notes_limit",
    "trace_limit",
    "limit_cards",
    "decisions_limit",
    "evidence_limit",
    "blockers_limit",
  ] as const),
  ...(["engine_signals_limit", "engine_actions_limit", "stale_after_days"] as const),
] as const;

const cards = z.array(packCardSchema);

const lines = z.array(z.string()).optional();
const sessionHalf = z.strictObject({
  sessionId: z.string(),
  title: z.string(),
  thoughts: lines,
  conclusions: lines,
  open_questions: lines,
  given_up: lines,
});
/** Each line begins with the number of its thought. */
export type SessionHalf = z.input<typeof sessionHalf>;

export const contextOutput = {
  requested: z.strictObject({ target: z.string().optional(), ref: z.string().optional() }).optional(),
  capsule: capsuleSchema,
  branch: z.string().optional(),
  docs: z.strictObject({ notes: z.string(), trace: z.string(), graph: z.string() }).optional(),
  step_focus: stepFocusSchema.optional(),
  board: boardSchema.optional(),
  session: sessionHalf.optional(),
  conflicts_open: z.int().optional(),
  open_steps: z.array(packStepSchema).optional(),
  notes: z.strictObject({ entries: z.array(packEntrySchema), pagination }).optional(),
  trace: z
    .strictObject({
      entries: z.array(packEntrySchema),
      sequential: sequentialSchema.optional(),
      pagination,
    })
    .optional(),
  cards: cards.optional(),
  signals: z
    .strictObject({
      blockers: cards.optional(),
      decisions: cards.optional(),
      evidence: cards.optional(),
      stats: z.strictObject({ blockers: z.int(), decisions: z.int(), evidence: z.int() }).optional(),
    })
    .optional(),
  stats: statsSchema.optional(),
  engine: engineSchema.optional(),
  lane_summary: laneSummarySchema.optional(),
  bridge: z
    .strictObject({
      checkout: z.string(),
      docs: z.strictObject({ notes: z.string(), trace: z.string(), graph: z.string() }),
      has: z.strictObject({ notes: z.boolean(), cards: z.boolean() }),
    })
    .optional(),
  /** Pass it in the next call to get only what is new. */
  since: z.int().optional(),
  degradation: degradationSchema.optional(),
};

export const contextLists = [
  { path: "session.thoughts", oldest: "first" as const },
  ...["session.given_up", "session.conclusions", "session.open_questions"].map(listAt),
  ...boardLists,
  { path: "open_steps", oldest: "last" as const, stub: stubStep },
  ...signalLists,
  cardsAt("cards"),
  entriesAt("notes.entries"),
  entriesAt("trace.entries"),
  ...engineLists,
  listAt("lane_summary"),
];

export const contextRepeats = ["requested", "stats", "signals.stats", "trace.sequential", "docs"];

/**
 * The chronology is dropped first. The newest decisions and their evidence are dropped late. The capsule is never
 * dropped.
 */
export const contextPackPlan: PackPlan = {
  repeats: contextRepeats,
  lists: contextLists,
  blocks: [
    "lane_summary",
    "trace",
    "notes",
    "engine",
    "bridge",
    "step_focus",
    "cards",
    "open_steps",
    "session",
    "signals",
    "branch",
    "conflicts_open",
    "board",
  ],
  core: keepCapsule,
};

export const contextTrim: TrimPlan = { pack: contextPackPlan, goesOn: showsLeftOut };
