import * as z from "zod";
import { analyzeSession, sessionAnalysisSchema } from "../../../domain/analysis/session-analysis.ts";
import { describeStructure, structureSchema } from "../../../domain/ledger/chain/structure.ts";
import { keepNavigationTags, sessionSchema } from "../../../domain/ledger/session.ts";
import { stageName, stages } from "../../../domain/stages/stages.ts";
import { onlyProject } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { description, project, sessionId, tags, title } from "../../pipeline/fields.ts";
import { readSession, unknownSession } from "../../pipeline/find-session.ts";
import { restoreContext, restoredFit, restoredSchema } from "../init/load-context.ts";
import { chooseProject } from "../open-session.ts";
import { readRemarks, thoughtRemarksSchema } from "../thought/remark.ts";
import { readWorkingSession } from "./read-session.ts";

export const sessionGet = defineOperation({
  name: "session.get",
  family: "ledger",
  title: "Show a session",
  summary: "Returns a session with its metadata, structure, stage and the head of its hash chain.",
  toolset: "full",
  stage: "init_complete",
  effect: "read",
  scope: "session",
  input: {},
  output: z.strictObject({
    sessionId: z.string(),
    session: sessionSchema,
    stage: z.int(),
    stageName: z.string(),
    structure: structureSchema,
    chain: z.strictObject({ length: z.int(), headHash: z.string() }),
    remarks: z.array(thoughtRemarksSchema).optional(),
  }),
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [{ title: "one session", given: "a session with a branch", input: { sessionId: "$session" } }],

  async handle(_input, { callerState, ledger, remarks: kept, tree, clock, fail }) {
    const sessionId = callerState.sessionId;
    ledger.touch(sessionId, clock().toISOString());
    await tree?.flush(sessionId);
    const record = await ledger.readSession(sessionId);
    if (!record) return unknownSession(fail, sessionId);
    const head = await ledger.readHead(sessionId);
    const { stage } = record.state;
    const remarks = await readRemarks(kept, sessionId);
    return {
      sessionId,
      session: record.session,
      stage,
      stageName: stageName(stage),
      structure: describeStructure(await ledger.loadIndex(sessionId)),
      chain: { length: head?.length ?? 0, headHash: head?.hash ?? "" },
      ...(remarks.length > 0 && { remarks }),
    };
  },
});

export const sessionUpdate = defineOperation({
  name: "session.update",
  family: "ledger",
  title: "Rename, retag or move a session",
  summary: "Changes the title, description, tags or project of a session. Its thoughts do not change.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "session",
  input: {
    title: title.optional(),
    description: description.optional(),
    tags: tags
      .optional()
      .describe(
        "Replaces the session's tags. Task and aspect tags stay unless you pass new ones. To change the project tag, pass project.",
      ),
    project: project.optional().describe("Project to move the session and its files to."),
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
    const { callerState, ledger, clock, caller, tree, fail } = context;
    if ((title ?? description ?? tags ?? asked) === undefined) {
      return fail("INVALID_PAYLOAD", "Nothing to change: pass title, description, tags or project.", {
        recovery: { hint: "See the session's current title.", operation: "session.get", args: {} },
      });
    }
    const sessionId = callerState.sessionId;
    const project = asked === undefined ? undefined : chooseProject(context, asked);
    const kept = tags && keepNavigationTags(callerState.session.tags, tags);
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

export const sessionResume = defineOperation({
  name: "session.resume",
  family: "ledger",
  title: "Switch to a session",
  summary:
    "Makes another session the active one, like load_context. Resuming the active session changes nothing.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "session",
  input: { sessionId },
  output: restoredSchema,
  fit: restoredFit,
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [{ title: "by ID", given: "a session with thoughts", input: { sessionId: "$session" } }],

  async handle({ sessionId }, context) {
    const record = await readSession(context.ledger, context.settings, sessionId);
    if (!record) return unknownSession(context.fail, sessionId);
    return restoreContext(context, record);
  },
});

export const sessionAnalyze = defineOperation({
  name: "session.analyze",
  family: "ledger",
  title: "Analyse a session",
  summary: "Computes metrics for a session: linearity, density, completion, revisions and convergence.",
  toolset: "full",
  stage: "init_complete",
  effect: "read",
  scope: "session",
  input: {},
  output: sessionAnalysisSchema,
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [{ title: "one session", given: "a session with a branch", input: { sessionId: "$session" } }],

  async handle(_input, context) {
    const { session, shape } = await readWorkingSession(context);
    return analyzeSession(session, shape, await context.ledger.countCritiqueRequests(session.id));
  },
});

export const sessionDelete = defineOperation({
  name: "session.delete",
  family: "ledger",
  title: "Delete a session",
  summary: "Moves a session to the trash. session.restore restores it. Needs confirm: true.",
  toolset: "full",
  stage: "init_complete",
  effect: "destroy",
  scope: "session",
  input: { confirm: z.boolean().default(false).describe("Must be true. Default: false.") },
  output: z.strictObject({ sessionId: z.string(), deleted: z.literal(true), restorable: z.literal(true) }),
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "confirmed", given: "a session with thoughts", input: { sessionId: "$session", confirm: true } },
  ],

  async handle({ confirm }, { callerState, ledger, clock, caller, fail }) {
    const sessionId = callerState.sessionId;
    if (!confirm) {
      const { title, thoughtCount, branchCount } = callerState.session;
      return fail(
        "INVALID_PAYLOAD",
        `This would move “${title}” (thoughts: ${thoughtCount}, branches: ${branchCount}) to the trash. Deleting a session needs an explicit confirmation.`,
        {
          recovery: {
            hint: "Confirm only if the session's owner wants to delete it. This call shows the session.",
            operation: "session.get",
            args: { sessionId },
          },
        },
      );
    }
    await ledger.deleteSession(sessionId, clock().toISOString());
    const { binding } = caller;
    if (binding?.sessionId === sessionId)
      Object.assign(binding, { sessionId: undefined, stage: stages.entry });
    // Callers that were bound to this session no longer have a session. These callers are notified of the
    // operations that are still available.
    if (binding?.sessionId === undefined) callerState.stage = stages.entry;
    return { sessionId, deleted: true as const, restorable: true as const };
  },
});

export const sessionRestore = defineOperation({
  name: "session.restore",
  family: "ledger",
  title: "Restore a session",
  summary: "Restores a deleted session from the trash, with everything in it.",
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
    // Also restores the session's files from the trash, so that the next verification finds them.
    await tree?.flush(sessionId);
    return { sessionId, session: record.session };
  },
});
