import * as z from "zod";
import { describeStructure, structureSchema } from "../../../domain/ledger/chain/structure.ts";
import { sessionSchema } from "../../../domain/ledger/session.ts";
import { stageName } from "../../../domain/stages/stages.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { unknownSession } from "../../pipeline/standing.ts";

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
  }),
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [{ title: "one session", given: "a session with a branch", input: { sessionId: "$session" } }],

  async handle(_input, { standing, ledger, tree, clock, fail }) {
    const sessionId = standing.sessionId;
    ledger.touch(sessionId, clock().toISOString());
    await tree?.flush(sessionId);
    const record = await ledger.readSession(sessionId);
    if (!record) return unknownSession(fail, sessionId);
    const head = await ledger.readHead(sessionId);
    const { stage } = record.state;
    return {
      sessionId,
      session: record.session,
      stage,
      stageName: stageName(stage),
      structure: describeStructure(await ledger.loadIndex(sessionId)),
      chain: { length: head?.length ?? 0, headHash: head?.hash ?? "" },
    };
  },
});
