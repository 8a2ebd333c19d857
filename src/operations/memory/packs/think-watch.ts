import * as z from "zod";
import { summariseLanes } from "../../../domain/memory/views/lane-summary.ts";
import { assembleCards, countCards, frontierOf } from "../../../domain/memory/views/selection.ts";
import { toSliceEntry } from "../../../domain/memory/views/step-scope.ts";
import { defineMemory } from "../define-memory.ts";
import { entrySchema } from "../notes/entry-schema.ts";
import { clampLimit } from "../paging.ts";
import { count, engineFields, traceDoc } from "../think/fields.ts";
import { clipBytes } from "../trace/clip-bytes.ts";
import { cardList, showCard } from "./card-schema.ts";
import { capsuleFor, engineFor, keepCapsule } from "./describe-slice.ts";
import { frontierLimits, loadSlice, resolveView } from "./load-slice.ts";
import { otherCards } from "./other-cards.ts";
import { readShown } from "./read-trace.ts";
import { packAdvanced, packChars, packInput, packOutput } from "./think-pack.ts";

export const thinkWatch = defineMemory({
  name: "think_watch",
  title: "Watch the thinking",
  summary: "The open frontier, candidates and the newest trace in one view, with what to do next.",
  effect: "read",
  defaultChars: packChars,
  input: {
    ...packInput,
    trace_doc: traceDoc,
    trace_limit_steps: count(20, "entries of the trace", 200),
    trace_statement_max_bytes: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1_000)
      .describe("Longest text of one entry in bytes; default 1000."),
    ...engineFields(6, 2),
  },
  advanced: [...packAdvanced, "trace_doc", "trace_limit_steps", "trace_statement_max_bytes"],
  output: { ...packOutput, trace: z.strictObject({ entries: z.array(entrySchema) }).optional() },
  trim: {
    optional: ["lane_summary", "stats", "trace", "engine", "frontier", "step_focus"],
    list: cardList("candidates"),
    shrink: [keepCapsule],
    goesOn: otherCards,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: {} }],

  async handle(input, memory) {
    const scope = await resolveView(memory, input);
    const limit = clampLimit(memory, input.limit_candidates, 100, 0);
    const frontier = frontierLimits(memory, input);
    const slice = await loadSlice(memory, scope, { limit: limit + 24, frontier, highlights: 3 });
    const wanted = clampLimit(memory, input.trace_limit_steps, 200, 0);
    const { entries } = await readShown(memory, scope, scope.place.trace_doc, wanted);
    const engine = engineFor(memory, scope, slice, entries.map(toSliceEntry), input);
    const cards = assembleCards(slice.selected, limit);
    const { hypotheses, questions, subgoals, tests } = frontierOf(slice.selected);
    const { branch, graph_doc, trace_doc } = scope.place;
    return {
      capsule: capsuleFor("watch_capsule", memory, scope, slice, engine),
      branch,
      graph_doc,
      trace_doc,
      ...(scope.step && { step_focus: scope.step }),
      stats: countCards(slice.cards),
      frontier: {
        hypotheses: hypotheses.map(showCard),
        questions: questions.map(showCard),
        subgoals: subgoals.map(showCard),
        tests: tests.map(showCard),
      },
      candidates: cards.map(showCard),
      trace: {
        entries: entries.map((entry) => ({
          ...entry,
          content: clipBytes(entry.content, input.trace_statement_max_bytes),
        })),
      },
      ...(input.engine_signals_limit + input.engine_actions_limit > 0 && { engine }),
      ...(scope.drafts && { lane_summary: summariseLanes(slice.cards) }),
    };
  },
});
