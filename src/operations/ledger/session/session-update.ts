import * as z from "zod";
import { keepNavigationTags, sessionSchema } from "../../../domain/ledger/session.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { description, project, tags, title } from "../../pipeline/fields.ts";
import { unknownSession } from "../../pipeline/standing.ts";
import { chooseProject } from "../open-session.ts";

export const sessionUpdate = defineOperation({
  name: "session.update",
  family: "ledger",
  title: "Rename, retag or move a session",
  summary: "Changes title, description, tags or project of a session; its thoughts stay as they are.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "session",
  input: {
    title: title.optional(),
    description: description.optional(),
    tags: tags
      .optional()
      .describe("New tags; those of project, task and aspect stay unless new ones are given."),
    project: project.optional().describe("Project to move it to, with its files."),
  },
  spellings: { aliases: { sessionTitle: "title", sessionTags: "tags" } },
  output: z.strictObject({ sessionId: z.string(), session: sessionSchema }),
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "a better title",
      given: "a session with thoughts",
      input: { sessionId: "$session", title: "Pool exhaustion" },
    },
    {
      title: "into its project",
      given: "a session with thoughts",
      input: { sessionId: "$session", project: "shop" },
    },
  ],

  async handle({ title, description, tags, project: asked }, context) {
    const { standing, ledger, clock, caller, tree, fail } = context;
    if ((title ?? description ?? tags ?? asked) === undefined) {
      return fail("INVALID_PAYLOAD", "Nothing to change: give title, description, tags or project.", {
        recovery: { hint: "See what it is called now.", operation: "session.get", args: {} },
      });
    }
    const sessionId = standing.sessionId;
    const project = asked === undefined ? undefined : chooseProject(context, asked);
    const kept = tags && keepNavigationTags(standing.session.tags, tags);
    await ledger.updateSession(sessionId, { title, description, tags: kept, project }, clock().toISOString());
    if (project !== undefined) {
      const { binding } = caller;
      if (binding?.sessionId === sessionId)
        Object.assign(binding, { project, navigation: { ...binding.navigation, project } });
      await tree?.flush(sessionId);
    }
    const record = await ledger.readSession(sessionId);
    if (!record) return unknownSession(fail, sessionId);
    return { sessionId, session: record.session };
  },
});
