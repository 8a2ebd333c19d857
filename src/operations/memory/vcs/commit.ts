import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { longTitle } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { content, doc, meta } from "../fields.ts";
import { checkoutOrDefault } from "../scope.ts";
import { commitSchema, pointerSchema, showCommit, showPointer } from "./ref-schemas.ts";

export const commit = defineMemory({
  name: "commit",
  title: "Commit a note",
  summary:
    "Appends a note to one or several documents of the checkout and moves their refs to it. Either every document gets the note or none does.",
  effect: "write",
  input: {
    artifact: content.describe("The content of the note."),
    message: longTitle.describe("The title of the note, in one line."),
    docs: z
      .array(doc)
      .min(1)
      .max(16)
      .default([defaultDocs.notes])
      .describe("Document or documents to append the note to. Default: notes."),
    meta: meta.optional(),
  },
  output: {
    workspace: z.string(),
    branch: z.string(),
    entries: z.array(commitSchema),
    refs: z.array(pointerSchema),
  },
  errors: ["STORAGE_ERROR"],
  examples: [
    {
      title: "a decision",
      input: { artifact: "We keep SQLite: one file, many readers.", message: "Keep SQLite" },
    },
    {
      title: "the same in two documents",
      input: { artifact: "Ship behind a flag first.", message: "Rollout", docs: ["notes", "plan"] },
    },
  ],

  async handle({ artifact, message, docs, meta }, memory) {
    const entry = {
      kind: "note" as const,
      title: message,
      content: artifact,
      meta,
      agent_id: memory.settings.agentId,
    };
    const branch = checkoutOrDefault(memory);
    const steps = [...new Set(docs)].map((doc) => ({ do: "commit" as const, branch, doc, entry }));
    const commits = await memory.commit(steps);
    return {
      workspace: memory.workspace,
      branch: commits[0]?.branch ?? "",
      entries: commits.map(showCommit),
      refs: commits.map(showPointer),
    };
  },
});
