import * as z from "zod";
import { sessionSchema } from "../../../domain/ledger/session.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { description, tags, title } from "../../pipeline/fields.ts";
import { guardFields } from "../../pipeline/guard-secrets.ts";
import { sessionNotFound } from "../../pipeline/handle.ts";

export const sessionUpdate = defineOperation({
  name: "session.update",
  family: "ledger",
  title: "Rename or retag a session",
  summary: "Changes title, description or tags of a session; its thoughts stay as they are.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  session: "required",
  input: { title: title.optional(), description: description.optional(), tags: tags.optional() },
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

  async handle(input, context, fail) {
    const { handle, ledger, clock } = context;
    const { title, description, tags } = guardFields(input, context);
    if (title === undefined && description === undefined && tags === undefined) {
      return fail("INVALID_PAYLOAD", "Nothing to change: give title, description or tags.");
    }
    const sessionId = handle.sessionId ?? "";
    await ledger.updateSession(sessionId, { title, description, tags }, clock().toISOString());
    const record = await ledger.readSession(sessionId);
    if (!record) throw sessionNotFound(sessionId);
    return { sessionId, session: record.session };
  },
});
