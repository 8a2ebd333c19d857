import * as z from "zod";
import { cipherGraphOf } from "../../../domain/analysis/cipher-graph.ts";
import { digestOf, digestSchema } from "../../../domain/analysis/digest.ts";
import { closingsIn } from "../../../domain/ledger/branch-closing.ts";
import { describeStructure, structureSchema } from "../../../domain/ledger/chain/structure.ts";
import { type SessionRecord, sessionSchema } from "../../../domain/ledger/session.ts";
import { stages } from "../../../domain/stages/stages.ts";
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
import { fittedFields } from "../../pipeline/fit/budget.ts";
import type { Fit } from "../../pipeline/fit/fit.ts";
import { degradationSchema } from "../../pipeline/fit/pack.ts";
import { findTranscriptOf, placedSchema, readRecorded } from "../linked-sessions.ts";
import { chooseProject, lookElsewhere } from "../open-session.ts";
import { readBack, readBackSchema } from "../thought/read-thoughts.ts";
import { readRemarks, thoughtRemarksSchema } from "../thought/remark.ts";

/** The maximum number of branches or revisions in the answer. get_structure shows more of them. */
const listed = 50;
const shown = 5;
const longestAnswer = 16_000;
/** The maximum number of thoughts in the digest. read_thoughts with a range shows older thoughts. */
const summedUp = 2_000;

export const restoredSchema = z.strictObject({
  sessionId: z.string(),
  session: sessionSchema.omit({ partitionPath: true, lastAccessedAt: true, createdAt: true }),
  stage: z.int(),
  lastThoughts: z.array(readBackSchema),
  /**
   * Set for a captured session: the thoughts that its agent recorded in another session, each with the call that
   * recorded it.
   */
  recorded: z.array(placedSchema).optional(),
  /** The session captured from the conversation that recorded this session. */
  transcript: z.string().optional(),
  /** People's remarks on thoughts, newest last. */
  remarks: z.array(thoughtRemarksSchema).optional(),
  digest: digestSchema,
  structure: structureSchema,
  nextThoughtNumber: z.int(),
  branches: z.array(z.strictObject({ branchId: z.string(), nextThoughtNumber: z.int() })),
  /** How many older branches are not in `branches`. get_structure lists them. */
  branchesOmitted: z.int().optional(),
  truncated: z.literal(true).optional(),
  degradation: degradationSchema.optional(),
  suggestions: fittedFields.suggestions,
});

/** Long text is shortened before anything is omitted. */
export const restoredFit: Fit = {
  plan: {
    pack: {
      lists: [
        { path: "lastThoughts", oldest: "first", least: shown },
        { path: "recorded", oldest: "first" },
        { path: "remarks", oldest: "first" },
        ...["conclusions", "openQuestions", "rejected", "branches"].map((name) => ({
          path: `digest.${name}`,
          oldest: "first" as const,
        })),
        { path: "structure.revisions", oldest: "first" },
        { path: "branches", oldest: "first" },
      ],
      blocks: [],
    },
    goesOn: (_, { sessionId }) => [
      { operation: "open", args: { id: sessionId }, shows: "the last thoughts in full" },
    ],
  },
  defaultChars: longestAnswer,
};

/** Returns the context of a session. Also binds the session to the caller, if `joins` is true. */
export async function restoreContext(
  context: OperationContext,
  record: SessionRecord,
  { joins = true } = {},
): Promise<z.input<typeof restoredSchema>> {
  const { ledger, clock } = context;
  const { domain, boundRoot, navigation } = record.state;
  // A modern client has no binding. Its stage is the stored session's, so no change of stage is announced.
  if (!context.caller.binding) context.callerState.stage = record.state.stage;
  if (joins)
    await context.changeCallerState({
      domain,
      boundRoot,
      navigation,
      stage: reachedStage(context, record.session.id, record.state.stage),
      sessionId: record.session.id,
      project: record.session.project,
    });
  const now = clock().toISOString();
  ledger.touch(record.session.id, now);
  const index = await ledger.loadIndex(record.session.id);
  const newest = await ledger.readLatest(record.session.id, undefined, summedUp);
  const graph = cipherGraphOf(newest);
  const lastThoughts = newest.slice(-shown).map(({ data }) => ({
    ...readBack(data),
    ...(graph.isRejected(data) && { rejected: true as const }),
  }));
  const recorded = await readRecorded(context, record.session, shown);
  const branches = index.branches();
  const transcript = await findTranscriptOf(context, record.session);
  const remarks = (await readRemarks(context.remarks, record.session.id)).slice(-listed);
  context.emit({
    type: "session_loaded",
    timestamp: now,
    sessionId: record.session.id,
    data: { title: record.session.title, thoughtCount: record.session.thoughtCount },
  });
  const { partitionPath: _folder, lastAccessedAt: _now, createdAt: _before, ...session } = record.session;
  return {
    sessionId: session.id,
    session,
    stage: context.callerState.stage,
    lastThoughts,
    ...(recorded.length > 0 && { recorded }),
    ...(transcript !== undefined && { transcript }),
    ...(remarks.length > 0 && { remarks }),
    digest: digestOf(newest, graph),
    structure: describeStructure(index, listed, { closings: closingsIn(newest) }),
    nextThoughtNumber: (index.chain().at(-1) ?? 0) + 1,
    branches: branches
      .slice(-listed)
      .map(({ branchId, numbers }) => ({ branchId, nextThoughtNumber: (numbers.at(-1) ?? 0) + 1 })),
    ...(branches.length > listed && { branchesOmitted: branches.length - listed }),
  };
}

/**
 * Returns the new stage. A new legacy client has not read the cipher, even if other clients of the session
 * have. A modern client keeps the stage of its session.
 */
function reachedStage({ caller, callerState }: OperationContext, sessionId: string, stored: 0 | 1 | 2 | 3) {
  const current = caller.binding
    ? caller.binding.sessionId === sessionId
      ? callerState.stage
      : stages.entry
    : stored;
  return current === stages.entry ? stages.init_complete : current;
}

export const loadContext = defineOperation({
  name: "load_context",
  family: "ledger",
  title: "Resume a session",
  summary:
    "Resumes your session, the project's latest or one by ID. Returns last thoughts, conclusions, open questions and dead ends.",
  advice: "Call it first to continue earlier work, then record with thought.",
  toolset: "core",
  stage: "entry",
  effect: "write",
  scope: "own",
  input: {
    sessionId: sessionId.optional().describe("ID of the session, or at least its first 8 characters."),
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

/** Loads the latest session. If another agent may still be writing to it, shows it without joining it. */
async function loadLatest(
  context: OperationContext<"SESSION_NOT_FOUND" | "INVALID_PAYLOAD">,
  project: string | undefined,
) {
  const { ledger, settings, caller, callerState } = context;
  const latest = await findLatestSession(context, caller, chooseProject(context, project));
  const record = latest && (await readSession(ledger, settings, latest.id));
  if (!record) return refuseEmptyProject(context, project);
  const { id } = record.session;
  // A person at the command line knows which session they mean.
  if (id === callerState.sessionId || caller.client === undefined) return restoreContext(context, record);
  const writer = await findLastWriter(context, caller, record.session);
  const joining = writer.isRunning ? ". Its agent may still be working. Pass its sessionId to join" : "";
  context.warn({ code: "LATEST_SESSION", message: `${describeWriter(writer)}${joining}.` });
  return restoreContext(context, record, { joins: !writer.isRunning });
}

async function refuseEmptyProject(
  context: OperationContext<"SESSION_NOT_FOUND" | "INVALID_PAYLOAD">,
  asked: string | undefined,
): Promise<never> {
  const project = chooseProject(context, asked);
  const elsewhere = asked === undefined ? await lookElsewhere(context, project) : undefined;
  return context.fail("SESSION_NOT_FOUND", elsewhere?.hint ?? `Project ${project} has no sessions yet.`, {
    recovery: elsewhere
      ? {
          hint: `If you mean project ${elsewhere.fullest}, load its latest session.`,
          operation: "load_context",
          args: { latest: true, project: elsewhere.fullest },
        }
      : {
          hint: "Record a thought, which opens a session, or start a session with your own title.",
          operation: "start_new",
          args: {},
        },
  });
}
