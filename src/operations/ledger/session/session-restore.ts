import * as z from "zod";
import { sessionSchema } from "../../../domain/ledger/session.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { sessionId } from "../../pipeline/fields.ts";
import { onlyProject } from "../../pipeline/settings.ts";
import { readSession, unknownSession } from "../../pipeline/standing.ts";

export const sessionRestore = defineOperation({
  name: "session.restore",
  family: "ledger",
  title: "Restore a session",
  summary: "Brings a deleted session back from the trash, complete.",
  toolset: "full",
  stage: "entry",
  effect: "write",
  scope: "own",
  input: { sessionId },
  output: z.strictObject({ sessionId: z.string(), session: sessionSchema }),
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [{ title: "a deleted one", given: "a deleted session", input: { sessionId: "$session" } }],

  async handle({ sessionId }, { ledger, settings, clock, tree, fail }) {
    await ledger.restoreSession(sessionId, clock().toISOString(), onlyProject(settings));
    const record = await readSession(ledger, settings, sessionId);
    if (!record) return unknownSession(fail, sessionId);
    // Its files come back from the trash too, so that whoever verifies next finds them.
    await tree?.flush(sessionId);
    return { sessionId, session: record.session };
  },
});
