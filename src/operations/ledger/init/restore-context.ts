import * as z from "zod";
import { cipherGraphOf } from "../../../domain/analysis/cipher-graph.ts";
import { digestOf, digestSchema } from "../../../domain/analysis/digest.ts";
import { closingsIn } from "../../../domain/ledger/branch-closing.ts";
import { describeStructure, structureSchema } from "../../../domain/ledger/chain/structure.ts";
import { type SessionRecord, sessionSchema } from "../../../domain/ledger/session.ts";
import { stages } from "../../../domain/stages/stages.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { fittedFields } from "../../pipeline/fit/budget.ts";
import type { Fit } from "../../pipeline/fit/fit.ts";
import { degradationSchema } from "../../pipeline/fit/pack.ts";
import { findTranscriptOf, placedSchema, readRecorded } from "../linked-sessions.ts";
import { readBack, readBackSchema } from "../thought/read-thoughts.ts";
import { readRemarks, thoughtRemarksSchema } from "../thought/remark.ts";

/** Limits how many branches and revisions are listed, to leave room for the thoughts. get_structure shows more. */
const listed = 50;
const shown = 5;
const longestAnswer = 16_000;
/** Older thoughts are read by range. */
const summedUp = 2_000;

export const restoredSchema = z.strictObject({
  sessionId: z.string(),
  session: sessionSchema.omit({ partitionPath: true, lastAccessedAt: true, createdAt: true }),
  stage: z.int(),
  lastThoughts: z.array(readBackSchema),
  /** What a captured session's agent recorded itself, each at its call. The thoughts are in another session. */
  recorded: z.array(placedSchema).optional(),
  /** The captured session of the conversation that recorded this one. */
  transcript: z.string().optional(),
  /** People's remarks on thoughts, newest last. */
  remarks: z.array(thoughtRemarksSchema).optional(),
  digest: digestSchema,
  structure: structureSchema,
  nextThoughtNumber: z.int(),
  branches: z.array(z.strictObject({ branchId: z.string(), nextThoughtNumber: z.int() })),
  truncated: z.literal(true).optional(),
  degradation: degradationSchema.optional(),
  suggestions: fittedFields.suggestions,
});

/** The order in which packs shrink: long texts are cut before anything is omitted. */
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

/** Binds a session to the caller and shows where to continue: chain, branches and current revisions. */
export async function restoreContext(
  context: OperationContext,
  record: SessionRecord,
  { joins = true } = {},
): Promise<z.input<typeof restoredSchema>> {
  const { ledger, clock } = context;
  const { domain, boundRoot, navigation } = record.state;
  // A modern client is already in the project of its session, so only a move to another one counts as a change.
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
    branches: index
      .branches()
      .slice(-listed)
      .map(({ branchId, numbers }) => ({ branchId, nextThoughtNumber: (numbers.at(-1) ?? 0) + 1 })),
  };
}

/**
 * A new legacy client has not read the cipher, even if others have. A modern one keeps the stage of its
 * session.
 */
function reachedStage({ caller, callerState }: OperationContext, sessionId: string, stored: 0 | 1 | 2 | 3) {
  const current = caller.binding
    ? caller.binding.sessionId === sessionId
      ? callerState.stage
      : stages.entry
    : stored;
  return current === stages.entry ? stages.init_complete : current;
}
