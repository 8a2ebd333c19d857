import * as z from "zod";
import { sessionSchema } from "../../../domain/ledger/session.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { description, tags, title } from "../../pipeline/fields.ts";
import { unknownSession } from "../../pipeline/handle.ts";

export const sessionUpdate = defineOperation({
  name: "session.update",
  family: "ledger",
  title: "Rename or retag a session",
  summary: "Changes title, description or tags of a session; its thoughts stay as they are.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "session",
  input: { title: title.optional(), description: description.optional(), tags: tags.optional() },
  secrets: { guard: ["title", "description", "tags"] },
  spellings: { aliases: { sessionTitle: "title", sessionTags: "tags" } },
  output: z.strictObject({ sessionId: z.string(), session: sessionSchema }),
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "a better title",
      given: "a session with thoughts",
      input: { sessionId: "$session", title: "Pool exhaustion" },
    },
  ],

  async handle({ title, description, tags }, { handle, ledger, clock, fail }) {
    if (title === undefined && description === undefined && tags === undefined) {
      return fail("INVALID_PAYLOAD", "Nothing to change: give title, description or tags.");
    }
    const sessionId = handle.sessionId;
    await ledger.updateSession(sessionId, { title, description, tags }, clock().toISOString());
    const record = await ledger.readSession(sessionId);
    if (!record) return unknownSession(fail, sessionId);
    return { sessionId, session: record.session };
  },
});
