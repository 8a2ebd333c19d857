import * as z from "zod";
import { sessionSchema } from "../../../domain/ledger/session.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { aspect, description, domain, project, tags, task, title } from "../../pipeline/fields.ts";
import { openSession } from "../open-session.ts";

export const startNew = defineOperation({
  name: "start_new",
  family: "ledger",
  title: "Start a session",
  summary: "Creates a session with a title, tags or a project, and makes it active.",
  advice: "Optional, because the first thought also starts a session. Record your steps with thought.",
  toolset: "full",
  stage: "entry",
  effect: "write",
  scope: "caller",
  input: {
    sessionTitle: title.optional(),
    description: description.optional(),
    tags: tags.optional(),
    project: project.optional(),
    task: task.optional(),
    aspect: aspect.optional(),
    domain: domain.optional(),
  },
  advanced: ["description", "task", "aspect", "domain"],
  spellings: { aliases: { title: "sessionTitle", sessionTags: "tags" }, envelopes: ["newWork"] },
  output: z.strictObject({
    sessionId: z.string(),
    session: sessionSchema.omit({ lastAccessedAt: true }),
    stage: z.int(),
    next: z.string(),
  }),
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "a title and a tag", input: { sessionTitle: "Why do logins time out?", tags: ["auth"] } },
    {
      title: "in a project, for a task",
      input: { sessionTitle: "Index choice", project: "shop", task: "speed" },
    },
  ],

  async handle({ sessionTitle, description, tags, project, task, aspect, domain }, context) {
    const session = await openSession(context, {
      title: sessionTitle,
      description,
      tags,
      domain,
      navigation: {
        ...(project !== undefined && { project }),
        ...(task !== undefined && { task }),
        ...(aspect !== undefined && { aspect }),
      },
    });
    const next = "Pass this sessionId in every later call.";
    const { lastAccessedAt: _now, ...shown } = session;
    return { sessionId: session.id, session: shown, stage: context.callerState.stage, next };
  },
});
