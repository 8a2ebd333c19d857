import * as z from "zod";
import { sessionSchema } from "../../domain/ledger/session.ts";
import { describeStructure, structureSchema } from "../../domain/ledger/structure.ts";
import { thoughtSchema } from "../../domain/ledger/thought.ts";
import { stages } from "../../domain/stages/stages.ts";
import { defineOperation, type OperationContext } from "../define.ts";
import { project, sessionId } from "../fields.ts";
import { readSession, sessionNotFound } from "../handle.ts";
import { chooseProject } from "../open-session.ts";
import { fitThoughts } from "../thought/fit-thoughts.ts";

export const loadContext = defineOperation({
  name: "load_context",
  family: "ledger",
  title: "Resume a session",
  summary: "Restores a session by its id (or the latest): chain, branches, revisions, and where to go on.",
  toolset: "core",
  stage: "entry",
  effect: "write",
  session: "own",
  input: {
    sessionId: sessionId.optional(),
    latest: z.boolean().optional().describe("The most recently updated session of the project."),
    project: project.optional(),
  },
  output: z.strictObject({
    sessionId: z.string(),
    session: sessionSchema,
    stage: z.int(),
    lastThoughts: z.array(thoughtSchema),
    structure: structureSchema,
    nextThoughtNumber: z.int(),
    branches: z.array(z.strictObject({ branchId: z.string(), nextThoughtNumber: z.int() })),
    truncated: z.literal(true).optional(),
  }),
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "by id", given: "a session with thoughts", input: { sessionId: "$session" } },
    { title: "the latest of the project", given: "a session with thoughts", input: { latest: true } },
  ],

  async handle(input, context, fail) {
    const { ledger, clock } = context;
    if (input.sessionId === undefined && !input.latest) {
      return fail("INVALID_PAYLOAD", "load_context needs sessionId, or latest: true.", {
        recovery: {
          hint: "Take the most recent session.",
          operation: "load_context",
          args: { latest: true },
        },
      });
    }
    const id = input.sessionId ?? (await latestSession(context, input.project));
    const record = id === undefined ? undefined : await readSession(ledger, context.settings, id);
    if (!record) {
      if (id !== undefined) throw sessionNotFound(id);
      return fail("SESSION_NOT_FOUND", "There is no session in this project yet.", {
        recovery: { hint: "Start one.", operation: "start_new", args: {} },
      });
    }
    await context.moveHandle({
      ...record.state,
      stage: reachedStage(context, record.session.id, record.state.stage),
      sessionId: record.session.id,
      project: record.session.project,
    });
    const now = clock().toISOString();
    ledger.touch(record.session.id, now);
    const index = await ledger.loadIndex(record.session.id);
    const last = await ledger.readThoughts(record.session.id, { select: "last", count: 5 });
    const { thoughts, truncated } = fitThoughts(
      last.map(({ data }) => data),
      40_000,
    );
    context.emit({
      type: "session_loaded",
      timestamp: now,
      sessionId: record.session.id,
      data: { title: record.session.title, thoughtCount: record.session.thoughtCount },
    });
    return {
      sessionId: record.session.id,
      session: { ...record.session, lastAccessedAt: now },
      stage: context.handle.stage,
      lastThoughts: thoughts,
      structure: describeStructure(index),
      nextThoughtNumber: (index.chain().at(-1) ?? 0) + 1,
      branches: index
        .branches()
        .slice(-200)
        .map(({ branchId, numbers }) => ({ branchId, nextThoughtNumber: (numbers.at(-1) ?? 0) + 1 })),
      ...(truncated && { truncated }),
    };
  },
});

async function latestSession(
  context: OperationContext,
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

/** A new legacy client has not read the cipher, whoever read it before; a modern handle keeps what it reached. */
function reachedStage({ caller, handle }: OperationContext, sessionId: string, stored: 0 | 1 | 2 | 3) {
  const current = caller.binding
    ? caller.binding.sessionId === sessionId
      ? handle.stage
      : stages.entry
    : stored;
  return current === stages.entry ? stages.init_complete : current;
}
