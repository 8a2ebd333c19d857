import * as z from "zod";
import { toSliceEntry } from "../../../domain/memory/views/selection.ts";
import { defineMemory } from "../define-memory.ts";
import { count, engineFields, traceDoc } from "../think/fields.ts";
import { clipBytes } from "../trace/trace-hydrate.ts";
import { engineFor } from "./describe-slice.ts";
import { readShown } from "./read-context.ts";
import { createPackView, packEntrySchema } from "./show-pack.ts";
import {
  describePack,
  loadPack,
  packAdvanced,
  packChars,
  packInput,
  packOutput,
  thinkPackPlan,
} from "./think-pack.ts";
import { entriesAt, showsLeftOut } from "./trim-packs.ts";

export const thinkWatch = defineMemory({
  name: "think_watch",
  title: "Watch the thinking",
  summary: "Shows the open frontier, candidates and the newest trace in one view, with what to do next.",
  effect: "read",
  defaultChars: packChars,
  input: {
    ...packInput,
    trace_doc: traceDoc,
    trace_limit_steps: count(20, "trace entries", 200),
    trace_statement_max_bytes: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1_000)
      .describe("Maximum length of an entry in bytes. Default: 1000."),
    ...engineFields(6, 2),
  },
  advanced: [...packAdvanced, "trace_doc", "trace_limit_steps", "trace_statement_max_bytes"],
  output: { ...packOutput, trace: z.strictObject({ entries: z.array(packEntrySchema) }).optional() },
  trim: {
    pack: {
      ...thinkPackPlan,
      lists: [...thinkPackPlan.lists, entriesAt("trace.entries")],
      blocks: ["trace", ...thinkPackPlan.blocks],
    },
    goesOn: showsLeftOut,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: {} }],

  async handle(input, memory) {
    const slice = await loadPack(memory, input);
    const wanted = input.trace_limit_steps;
    const { place } = slice.scope;
    const { entries, newest } = await readShown(memory, slice.scope, place.trace_doc, wanted);
    const trace = newest.map(toSliceEntry);
    const engine = engineFor(memory, slice, { trace, drafts: slice.board.drafts }, input);
    const view = createPackView(slice.board);
    const shown = new Set(slice.candidates.map(({ id }) => id));
    return {
      ...describePack(memory, slice, engine, "watch_capsule", input),
      trace: {
        entries: entries.map((entry) => {
          const content = clipBytes(entry.content, input.trace_statement_max_bytes);
          return view.entry({ ...entry, content }, shown);
        }),
      },
    };
  },
});
