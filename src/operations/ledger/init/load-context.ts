import * as z from "zod";
import { completeSessionId } from "../../pipeline/complete-session-id.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { project, sessionId } from "../../pipeline/fields.ts";
import { readSession, unknownSession } from "../../pipeline/standing.ts";
import { chooseProject } from "../open-session.ts";
import { lookElsewhere } from "../project-scope.ts";
import { restoreContext, restoredFit, restoredSchema } from "./restore-context.ts";

export const loadContext = defineOperation({
  name: "load_context",
  family: "ledger",
  title: "Resume a session",
  summary:
    "Resumes a session by id, or the latest: last thoughts, conclusions, open questions, dead ends, branches.",
  toolset: "core",
  stage: "entry",
  effect: "write",
  scope: "own",
  input: {
    sessionId: sessionId.optional().describe("The session, or the first 8 or more characters of its id."),
    latest: z.boolean().optional().describe("The latest session of the project."),
    project: project.optional(),
  },
  output: restoredSchema,
  fit: restoredFit,
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "by id", given: "a session with thoughts", input: { sessionId: "$session" } },
    { title: "the latest of the project", given: "a session with thoughts", input: { latest: true } },
  ],

  async handle(input, context) {
    const { fail } = context;
    if (input.sessionId === undefined && !input.latest) {
      const latest = await latestSession(context, input.project);
      return fail("INVALID_PAYLOAD", "load_context needs sessionId, or latest: true.", {
        recovery: latest
          ? { hint: "Take the most recent session.", operation: "load_context", args: { sessionId: latest } }
          : { hint: "There is none yet: start one.", operation: "start_new", args: {} },
      });
    }
    const id =
      input.sessionId === undefined
        ? await latestSession(context, input.project)
        : await completeSessionId(
            { ...context, project: chooseProject(context, input.project) },
            input.sessionId,
          );
    const record = id === undefined ? undefined : await readSession(context.ledger, context.settings, id);
    if (!record) {
      if (id !== undefined) return unknownSession(fail, id);
      return refuseEmptyProject(context, input.project);
    }
    return restoreContext(context, record);
  },
});

async function refuseEmptyProject(
  context: OperationContext<"SESSION_NOT_FOUND" | "INVALID_PAYLOAD">,
  asked: string | undefined,
): Promise<never> {
  const project = chooseProject(context, asked);
  const elsewhere = asked === undefined ? await lookElsewhere(context, project) : undefined;
  return context.fail(
    "SESSION_NOT_FOUND",
    elsewhere?.hint ?? `There is no session in project ${project} yet.`,
    {
      recovery: elsewhere
        ? {
            hint: "Take the latest of that project, if it is the work you mean.",
            operation: "load_context",
            args: { latest: true, project: elsewhere.fullest },
          }
        : { hint: "Start one.", operation: "start_new", args: {} },
    },
  );
}

async function latestSession(
  context: OperationContext<"INVALID_PAYLOAD">,
  asked: string | undefined,
): Promise<string | undefined> {
  const { sessions } = await context.ledger.listSessions({
    project: chooseProject(context, asked),
    tagMode: "all",
    limit: 1,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  });
  return sessions[0]?.id;
}
