import * as z from "zod";
import type { StoredTaskEvent } from "../../../domain/memory/steps/outcomes.ts";
import { emptyCapsule } from "../../../domain/memory/views/capsule.ts";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { type Item, reasoningRef } from "../../../domain/tasks/item.ts";
import type { GraphChanges, GraphDifference } from "../../../ports/memory/graph.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { agentId } from "../../pipeline/fields.ts";
import type { Json } from "../../pipeline/fit/trim.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, pagination } from "../fields.ts";
import { changeSchema, changeSeq, showChange, stubChange } from "../graph/graph-schemas.ts";
import { contextInput, contextLists, contextOutput, contextRepeats } from "../packs/context-pack-parts.ts";
import { planTargetView } from "../packs/load-slice.ts";
import { readContext } from "../packs/read-context.ts";
import { packChars } from "../packs/think-pack.ts";
import { keepCapsule, showsLeftOut } from "../packs/trim-packs.ts";
import { count, engineFields, viewFields } from "../think/fields.ts";
import { findTargetItem } from "./change-task.ts";
import { eventSchema, showEvent, stubEvent, target, targetAliases } from "./fields.ts";
import { radarLists, radarOutput, showRadar, tasksLookedAt } from "./tasks-radar.ts";

export const tasksResumeSuper = defineMemory({
  name: "tasks_resume_super",
  title: "Resume a task",
  summary:
    "Returns everything you need to continue a task: radar, steps, decisions, evidence, cards, notes and trace.",
  effect: "read",
  defaultChars: packChars,
  input: {
    target,
    since: contextInput.since,
    notes_limit: count(20, "notes", 200),
    trace_limit: count(50, "trace entries", 200),
    cards_limit: count(30, "cards", 200),
    events_limit: count(10, "events", 200),
    decisions_limit: count(5, "decisions"),
    evidence_limit: count(5, "pieces of evidence"),
    blockers_limit: count(5, "blockers"),
    notes_cursor: cursor.optional(),
    trace_cursor: cursor.optional(),
    cards_cursor: cursor
      .optional()
      .describe("next_cursor from the previous page of cards. Omit to start with the most relevant ones."),
    graph_diff: z
      .boolean()
      .default(false)
      .describe("Show how the checkout differs from the target's graph. Default: false."),
    graph_diff_cursor: cursor.optional(),
    graph_diff_limit: count(20, "differences", 200),
    ...engineFields(6, 2),
    ...viewFields,
    read_only: z.boolean().optional().describe("Ignored. tasks_resume_super never writes."),
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
    ...(["all_lanes", "include_drafts", "view", "stale_after_days"] as const),
    ...(["notes_cursor", "trace_cursor", "cards_cursor"] as const),
    ...(["graph_diff", "graph_diff_cursor", "graph_diff_limit"] as const),
  ],
  aliases: { ...targetAliases, cursor: "cards_cursor" },
  output: {
    ...radarOutput,
    ...contextOutput,
    target: radarOutput.target,
    radar: radarOutput.radar.optional(),
    events: z.array(eventSchema).optional(),
    graph_diff: z
      .strictObject({
        from: z.string(),
        to: z.string(),
        doc: z.string(),
        changes: z.array(changeSchema),
        pagination,
      })
      .optional(),
    pagination: pagination.optional(),
  },
  trim: {
    pack: {
      repeats: [
        ...contextRepeats,
        ...["reasoning_ref", "branch", "focus", "steps.first_open"],
        ...["board.id", "board.title", "board.status", "board.step"],
      ],
      lists: [
        ...radarLists,
        ...contextLists.map((list) =>
          list.path === "cards" ? { ...list, cursor: ({ last_seq }: Json) => last_seq } : list,
        ),
        { path: "events", oldest: "first", stub: stubEvent },
        { path: "graph_diff.changes", oldest: "last", cursor: changeSeq, stub: stubChange },
      ],
      blocks: [
        ...[
          "lane_summary",
          "trace",
          "events",
          "notes",
          "engine",
          "bridge",
          "step_focus",
          "graph_diff",
          "cards",
        ],
        ...["open_steps", "signals", "target", "steps", "radar", "conflicts_open", "board"],
      ],
      core: keepCapsule,
    },
    goesOn: showsLeftOut,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "the focus", given: "a task in focus", input: { context_budget: 4000 } }],

  async handle(input, memory) {
    const item = await findTargetItem(memory, input.target);
    if (!item) return nothingToResume(memory);
    const asked = { ...input, target: item.id, limit_cards: input.cards_limit };
    const plan = planTargetView(memory, item, asked);
    const difference = input.graph_diff ? differenceOf(memory, item, input) : undefined;
    const { result, cardsPage, overview, ...found } = await readContext(
      memory,
      plan,
      asked,
      "resume_capsule",
      {
        overview: { target: item.id, limits: { tasks: tasksLookedAt, events: input.events_limit } },
        difference: difference && hasTwoSides(difference) ? difference : undefined,
      },
    );
    if (!overview) throw taskFailure("unknown_target", { workspace: memory.workspace, target: item.id });
    return {
      ...result,
      ...showRadar(memory, overview),
      events: overview.events.map(slimEvent),
      ...(difference && { graph_diff: showDifference(difference, found.difference) }),
      pagination: cardsPage,
      degradation: { left_out: {}, shortened: 0 },
    };
  },
});

function nothingToResume({ workspace }: Pick<MemoryContext, "workspace">) {
  const title = "Nothing to resume yet: create a plan or a task";
  const calls = [{ operation: "tasks_create", args: { workspace, title: "What needs to be done" } }];
  return { capsule: emptyCapsule("resume_capsule", workspace, { title, calls }), focus: null };
}

/** Returns an event without its duplicate time, and without the step and details shown elsewhere. */
const slimEvent = (event: StoredTaskEvent) => {
  const { ts: _ts, step_id: _step, data: _data, ...shown } = showEvent(event);
  return shown;
};

/** Describes how the checkout's graph for the target differs from the graph on the target's own branch. */
function differenceOf(
  { state }: MemoryContext,
  item: Item,
  asked: { graph_diff_cursor?: number | undefined; graph_diff_limit: number },
): GraphDifference {
  const { branch: from, graph_doc: doc } = reasoningRef(item.id);
  const to = state?.checkout ?? from;
  return { from, to, doc, before: asked.graph_diff_cursor, limit: asked.graph_diff_limit };
}

const hasTwoSides = ({ from, to, limit }: GraphDifference): boolean => limit > 0 && from !== to;

function showDifference(
  { from, to, doc, before, limit }: GraphDifference,
  { changes, hasMore }: GraphChanges = { changes: [], hasMore: false },
) {
  return {
    from,
    to,
    doc,
    changes: changes.map(showChange),
    pagination: describePage({
      cursor: before,
      limit,
      count: changes.length,
      hasMore,
      next: changes.at(-1)?.last_seq,
    }),
  };
}
