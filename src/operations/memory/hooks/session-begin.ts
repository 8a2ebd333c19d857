import { answerWith } from "../../../domain/recall/hook-answer.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { defineMemory } from "../define-memory.ts";
import { gatherRecall, ownSessions } from "./gather-recall.ts";
import { hookAnswer, hookFields, projectOf } from "./hook-fields.ts";

export const sessionBegin = defineMemory({
  name: "session_begin",
  title: "Brief a new session",
  summary:
    "Called by a client's hook when a session starts. Returns recent decisions, dead ends, corrections, open questions and tasks of this project, in at most 1,200 characters.",
  effect: "read",
  input: hookFields,
  output: hookAnswer.shape,
  errors: [],
  examples: [
    { title: "at the start of a session", given: "a session with thoughts", input: { source: "startup" } },
    {
      title: "after a compaction",
      given: "a session with thoughts",
      input: { client: "claude-code", source: "compact", session_id: "b7a1" },
    },
  ],

  async handle({ client = "", event, source, session_id, transcript_path }, context) {
    const { settings, caller, workspace, warn } = context;
    const project = projectOf(settings, caller);
    try {
      const asked = { project, client, conversation: session_id, transcript: transcript_path };
      const own = source === "compact" ? await ownSessions(context.conversations, asked) : [];
      const recall = await gatherRecall(context, { project, workspace, own });
      return answerWith(client, event || "SessionStart", recall);
    } catch (thrown) {
      // Returns no error, because clients show a failing hook to their users, who cannot fix it.
      if (!(thrown instanceof ThoughtboxError)) throw thrown;
      warn({ code: "NOTHING_RECALLED", message: thrown.message });
      return {};
    }
  },
});
