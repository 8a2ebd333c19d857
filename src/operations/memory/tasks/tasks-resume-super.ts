import * as z from "zod";
import { agentId } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";

import { contextOutput, contextTrim } from "../packs/context-pack-parts.ts";
import { readContext } from "../packs/read-context.ts";
import { packChars } from "../packs/think-pack.ts";
import { clampLimit } from "../paging.ts";
import { count, engineFields, viewFields } from "../think/fields.ts";
import { readTargetItem } from "./change-task.ts";
import { eventSchema, showEvent, showStep, stepSchema, target, targetAliases } from "./fields.ts";
import { radarOutput, readRadar } from "./read-radar.ts";
import { shrinkRadar } from "./shrink-radar.ts";

export const tasksResumeSuper = defineMemory({
  name: "tasks_resume_super",
  title: "Resume a task",
  summary:
    "Everything to go on with a task in one call: radar, steps, decisions and evidence, cards, notes, trace.",
  effect: "read",
  defaultChars: packChars,
  input: {
    target,
    notes_limit: count(20, "notes", 200),
    trace_limit: count(50, "entries of the trace", 200),
    cards_limit: count(30, "cards", 200),
    events_limit: count(10, "events", 200),
    decisions_limit: count(5, "decisions"),
    evidence_limit: count(5, "pieces of evidence"),
    blockers_limit: count(5, "blockers"),
    ...engineFields(6, 2),
    ...viewFields,
    read_only: z.boolean().optional().describe("Accepted for compatibility: it never writes."),
    agent_id: agentId.optional(),
  },
  advanced: [
    ...([
      "notes_limit",
      "trace_limit",
      "cards_limit",
      "events_limit",
      "decisions_limit",
      "evidence_limit",
    ] as const),
    ...(["blockers_limit", "engine_signals_limit", "engine_actions_limit", "read_only", "agent_id"] as const),
    ...(["all_lanes", "include_drafts", "view"] as const),
  ],
  aliases: targetAliases,
  output: {
    ...radarOutput,
    ...contextOutput,
    target: radarOutput.target,
    open_steps: z.array(stepSchema).optional(),
    events: z.array(eventSchema).optional(),
  },
  trim: {
    optional: [
      ...[
        "lane_summary",
        "stats",
        "trace",
        "events",
        "notes",
        "engine",
        "bridge",
        "step_focus",
        "requested",
        "docs",
      ],
      ...["open_steps", "reasoning_ref", "target"],
    ],
    list: contextTrim.list,
    shrink: [
      ...(contextTrim.shrink ?? []).slice(0, -1),
      { key: "radar", forms: shrinkRadar },
      ...(contextTrim.shrink ?? []).slice(-1),
    ],
  } as never,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "the focus", given: "a task in focus", input: { context_budget: 4000 } }],

  async handle(input, memory) {
    const item = await readTargetItem(memory, input.target);
    const { shown, steps } = await readRadar(memory, item);
    const asked = { ...input, target: item.id, limit_cards: input.cards_limit };
    const { result } = await readContext(memory as never, asked, "resume_capsule");
    const events = await memory.memory.readLastTaskEvents(
      memory.workspace,
      item.id,
      clampLimit(memory, input.events_limit, 200, 0),
    );
    return {
      ...result,
      ...shown,
      open_steps: steps
        .filter(({ completed }) => !completed)
        .slice(0, 20)
        .map(showStep),
      events: events.map(showEvent),
    };
  },
});
