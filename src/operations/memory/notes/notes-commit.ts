import { agentId, longTitle } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, content, doc, format, meta, target } from "../fields.ts";
import { resolveWritableDoc } from "../scope.ts";
import { entrySchema } from "./entry-schema.ts";

export const notesCommit = defineMemory({
  name: "notes_commit",
  title: "Write a note",
  summary:
    "Keeps what should outlive the session: decisions, reasons and links to evidence. Notes are never rewritten. session_search and context_pack find them.",
  toolset: "daily",
  effect: "write",
  input: {
    content: content.describe("Text of the note."),
    title: longTitle.optional(),
    format: format.optional(),
    meta: meta.optional(),
    target: target.optional(),
    branch: branch.optional(),
    doc: doc.optional(),
    agent_id: agentId.optional(),
  },
  advanced: ["format", "meta", "branch", "doc", "agent_id"],
  output: { entry: entrySchema },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "on the checkout",
      input: { content: "We keep SQLite: one file, many readers.", title: "Decision" },
    },
    {
      title: "on a branch",
      given: "a workspace with a branch",
      input: { branch: "try/cache", content: "Cached reads cut p99 to 20 ms.", format: "text" },
    },
  ],

  async handle({ content, title, format, meta, agent_id, ...asked }, memory) {
    const scope = await resolveWritableDoc(memory, asked, "notes");
    const [entry] = await memory.commit([
      {
        do: "append",
        ...scope,
        entry: { kind: "note", content, title, format, meta, agent_id: agent_id ?? memory.settings.agentId },
      },
    ]);
    return { entry };
  },
});
