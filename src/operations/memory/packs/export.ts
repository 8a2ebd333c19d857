import * as z from "zod";
import { deriveSequential } from "../../../domain/memory/sequential.ts";
import { reasoningRef } from "../../../domain/tasks/item.ts";
import { degradationSchema } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import { describePage, pagination } from "../fields.ts";
import { readDocument } from "../ledger-view.ts";
import { sequentialSchema } from "../notes/entry-schema.ts";
import { docsOfTarget } from "../scope.ts";
import { findTargetItem } from "../tasks/change-task.ts";
import { itemSchema, refSchema, showItem, stubItem, target, targetAliases } from "../tasks/fields.ts";
import { count } from "../think/fields.ts";
import { boardLists, boardSchema, readBoard } from "./read-board.ts";
import { createPackView, packEntrySchema } from "./show-pack.ts";
import { entriesAt, showsDocuments } from "./trim-packs.ts";

const page = { entries: z.array(packEntrySchema), pagination };

export const exportOperation = defineMemory({
  name: "export",
  title: "Export a task",
  summary: "Returns a plan or task with its latest notes and trace, so that you can resume it.",
  effect: "read",
  input: {
    target,
    notes_limit: count(20, "notes", 200),
    trace_limit: count(50, "trace entries", 200),
  },
  aliases: targetAliases,
  output: {
    target: itemSchema.optional(),
    reasoning_ref: refSchema.optional(),
    board: boardSchema.optional(),
    notes: z.strictObject(page).optional(),
    trace: z.strictObject({ ...page, sequential: sequentialSchema.nullable().optional() }).optional(),
    degradation: degradationSchema.optional(),
  },
  trim: {
    pack: {
      repeats: ["trace.sequential"],
      lists: [...boardLists, entriesAt("notes.entries"), entriesAt("trace.entries")],
      blocks: ["reasoning_ref", "trace", "notes", "board"],
      core: { key: "target", forms: (item) => [item, stubItem(item)] },
    },
    goesOn: showsDocuments,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the focus", given: "a task in focus", input: {} }],

  async handle({ target, notes_limit, trace_limit }, memory) {
    const item = await findTargetItem(memory, target);
    if (!item) return { notes: emptyPage(notes_limit), trace: emptyPage(trace_limit) };
    const ref = reasoningRef(item.id);
    const read = async (doc: string, limit: number) => {
      const { entries, hasMore } =
        limit === 0
          ? { entries: [], hasMore: false }
          : await readDocument(memory, { branch: ref.branch, doc }, undefined, limit);
      const next = entries[0]?.seq;
      const count = entries.length;
      const { cursor: _first, ...page } = describePage({ cursor: undefined, limit, count, hasMore, next });
      return { entries, pagination: page };
    };
    const notes = await read(ref.notes_doc, notes_limit);
    const trace = await read(ref.trace_doc, trace_limit);
    const board = await readBoard(memory, docsOfTarget(item), []);
    const view = createPackView(board);
    const show = ({ entries, ...page }: typeof notes) => ({
      entries: entries.map((entry) => view.entry(entry, new Set())),
      ...page,
    });
    return {
      target: showItem(item),
      reasoning_ref: ref,
      board: board.shown,
      notes: show(notes),
      trace: { ...show(trace), sequential: deriveSequential(trace.entries) ?? null },
    };
  },
});

const emptyPage = (limit: number) => ({
  entries: [],
  pagination: { limit, count: 0, has_more: false },
});
