import { analyzeSession, sessionAnalysisSchema } from "../../../domain/analysis/session-analysis.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { readWorkingSession } from "./read-session.ts";

export const sessionAnalyze = defineOperation({
  name: "session.analyze",
  family: "ledger",
  title: "Analyse a session",
  summary: "Computes objective figures of a session: linearity, density, completion, revisions, convergence.",
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
