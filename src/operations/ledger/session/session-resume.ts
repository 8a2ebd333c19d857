import { defineOperation } from "../../pipeline/define.ts";
import { sessionId } from "../../pipeline/fields.ts";
import { readSession, unknownSession } from "../../pipeline/standing.ts";
import { restoreContext, restoredFit, restoredSchema } from "../init/restore-context.ts";

export const sessionResume = defineOperation({
  name: "session.resume",
  family: "ledger",
  title: "Switch to a session",
  summary:
    "Makes another session the working one, as load_context does; resuming the active one changes nothing.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "session",
  input: { sessionId },
  output: restoredSchema,
  fit: restoredFit,
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [{ title: "by id", given: "a session with thoughts", input: { sessionId: "$session" } }],

  async handle({ sessionId }, context) {
    const record = await readSession(context.ledger, context.settings, sessionId);
    if (!record) return unknownSession(context.fail, sessionId);
    return restoreContext(context, record);
  },
});
