import * as z from "zod";
import type { OperationContext } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { project, sessionId } from "../../pipeline/fields.ts";
import {
  completeSessionId,
  describeWriter,
  findLastWriter,
  findLatestSession,
  latestWord,
  readSession,
  unknownSession,
} from "../../pipeline/find-session.ts";
import { chooseProject } from "../open-session.ts";
import { lookElsewhere } from "../project-scope.ts";
import { restoreContext, restoredFit, restoredSchema } from "./restore-context.ts";

export const loadContext = defineOperation({
  name: "load_context",
  family: "ledger",
  title: "Resume a session",
  summary:
    "Resumes your session, the project's latest or one by ID. Returns last thoughts, conclusions, open questions, dead ends.",
  advice: "Call it first to continue earlier work, then record with thought.",
  toolset: "core",
  stage: "entry",
  effect: "write",
  scope: "own",
  input: {
    sessionId: sessionId.optional().describe("Session, or the first 8 or more characters of its ID."),
    latest: z.boolean().optional().describe("true loads the project's latest session."),
    project: project.optional(),
  },
  output: restoredSchema,
  fit: restoredFit,
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "by ID", given: "a session with thoughts", input: { sessionId: "$session" } },
    { title: "your session, or the project's latest", given: "a session with thoughts", input: {} },
    { title: "the project's latest", given: "a session with thoughts", input: { latest: true } },
  ],

  async handle({ sessionId, latest, project }, context) {
    const { callerState, fail } = context;
    const isLatest = latest || sessionId === latestWord || (sessionId ?? callerState.sessionId) === undefined;
    if (isLatest || (sessionId === undefined && project !== undefined)) return loadLatest(context, project);
    const id =
      sessionId === undefined
        ? String(callerState.sessionId)
        : await completeSessionId({ ...context, project: chooseProject(context, project) }, sessionId);
    const record = await readSession(context.ledger, context.settings, id);
    return record ? restoreContext(context, record) : unknownSession(fail, id);
  },
});

/**
 * The latest session of the project. If another agent may still be writing to it, it is shown but not joined.
 */
async function loadLatest(
  context: OperationContext<"SESSION_NOT_FOUND" | "INVALID_PAYLOAD">,
  project: string | undefined,
) {
  const { ledger, settings, caller, callerState } = context;
  const latest = await findLatestSession(context, chooseProject(context, project));
  const record = latest && (await readSession(ledger, settings, latest.id));
  if (!record) return refuseEmptyProject(context, project);
  const { id } = record.session;
  // A person at the command line knows which session they mean.
  if (id === callerState.sessionId || caller.client === undefined) return restoreContext(context, record);
  const writer = await findLastWriter(context, caller, record.session);
  const joining = writer.isRunning ? ", possibly still at work. Pass its sessionId to join" : "";
  context.warn({ code: "LATEST_SESSION", message: `${describeWriter(writer)}${joining}.` });
  return restoreContext(context, record, { joins: !writer.isRunning });
}

async function refuseEmptyProject(
  context: OperationContext<"SESSION_NOT_FOUND" | "INVALID_PAYLOAD">,
  asked: string | undefined,
): Promise<never> {
  const project = chooseProject(context, asked);
  const elsewhere = asked === undefined ? await lookElsewhere(context, project) : undefined;
  return context.fail("SESSION_NOT_FOUND", elsewhere?.hint ?? `Project ${project} has no session yet.`, {
    recovery: elsewhere
      ? {
          hint: "If you mean that project, load its latest session.",
          operation: "load_context",
          args: { latest: true, project: elsewhere.fullest },
        }
      : {
          hint: "Record a thought, which opens a session. Or start one with your own title.",
          operation: "start_new",
          args: {},
        },
  });
}
