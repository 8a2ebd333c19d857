import * as z from "zod";
import { agentId } from "../../pipeline/fields.ts";
import { degradationSchema, type PackPlan } from "../../pipeline/fit/pack.ts";
import type { TrimPlan } from "../../pipeline/fit/trim.ts";
import { pagination, target } from "../fields.ts";
import { entrySchema } from "../notes/entry-schema.ts";
import { sequentialSchema } from "../notes/sequential-schema.ts";
import { count, engineFields, graphDoc, notesDoc, ref, step, traceDoc, viewFields } from "../think/fields.ts";
import {
  capsuleSchema,
  cardSchema,
  engineSchema,
  laneSummarySchema,
  statsSchema,
  stepFocusSchema,
} from "./card-schema.ts";
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
  target: target.optional().describe('Plan or task, "TASK-001" or {id, kind}; or the id of a session.'),
  ref,
  notes_doc: notesDoc,
  graph_doc: graphDoc,
  trace_doc: traceDoc,
  step,
  notes_limit: count(20, "notes", 200),
  trace_limit: count(50, "entries of the trace", 200),
  limit_cards: count(30, "cards", 200),
  decisions_limit: count(5, "decisions"),
  evidence_limit: count(5, "pieces of evidence"),
  blockers_limit: count(5, "blockers"),
  ...viewFields,
  ...engineFields(6, 2),
  read_only: z.boolean().optional().describe("Accepted for compatibility: a pack never writes."),
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

const cards = z.array(cardSchema);

export const contextOutput = {
  requested: z.strictObject({ target: z.string().nullable(), ref: z.string().nullable() }).optional(),
  capsule: capsuleSchema,
  branch: z.string().optional(),
  docs: z.strictObject({ notes: z.string(), trace: z.string(), graph: z.string() }).optional(),
  step_focus: stepFocusSchema.optional(),
  notes: z.strictObject({ entries: z.array(entrySchema), pagination }).optional(),
  trace: z
    .strictObject({
      entries: z.array(entrySchema),
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
  degradation: degradationSchema.optional(),
};

export const contextLists = [
  ...signalLists,
  cardsAt("cards"),
  entriesAt("notes.entries"),
  entriesAt("trace.entries"),
  ...engineLists,
  listAt("lane_summary"),
];

export const contextRepeats = ["requested", "stats", "signals.stats", "trace.sequential"];

/** The chronology goes first, the newest decisions and their evidence late, the capsule never. */
export const contextPackPlan: PackPlan = {
  repeats: contextRepeats,
  lists: contextLists,
  blocks: [
    "lane_summary",
    "trace",
    "notes",
    "engine",
    "bridge",
    "docs",
    "step_focus",
    "cards",
    "signals",
    "branch",
  ],
  core: keepCapsule,
};

export const contextTrim: TrimPlan = { pack: contextPackPlan, goesOn: showsLeftOut };
