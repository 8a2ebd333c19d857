import * as z from "zod";
import { sessionSchema } from "../../../domain/ledger/session.ts";
import { stageName, stages } from "../../../domain/stages/stages.ts";
import { sandboxLevels } from "../../../ports/notebook/cell-runner.ts";
import { defineOperation } from "../../pipeline/define.ts";

export const getState = defineOperation({
  name: "get_state",
  family: "ledger",
  title: "Show the current state",
  summary: "Shows the stage, the active session and project, and which operations are available now.",
  toolset: "full",
  stage: "entry",
  effect: "read",
  scope: "caller",
  input: {},
  output: z.strictObject({
    stage: z.int().min(0).max(3),
    stageName: z.string(),
    sessionId: z.string().nullable(),
    session: sessionSchema.optional(),
    project: z.string(),
    activeDomain: z.string().nullable(),
    boundRoot: z.string().nullable(),
    navigation: z.strictObject({
      project: z.string().nullable(),
      task: z.string().nullable(),
      aspect: z.string().nullable(),
    }),
    /** Absent until the caller may run cells. */
    sandbox: z.enum([...sandboxLevels, "missing"]).optional(),
    availableOperations: z.array(z.string()),
  }),
  errors: [],
  examples: [
    { title: "before anything else", input: {} },
    { title: "of one session", given: "a session with thoughts", input: { sessionId: "$session" } },
  ],

  async handle(_input, { callerState, catalogue, settings, cells }) {
    const { stage, sessionId, session, project, domain, boundRoot, navigation } = callerState;
    const open = catalogue.filter((operation) => !settings.staged || stages[operation.stage] <= stage);
    return {
      stage,
      stageName: stageName(stage),
      sessionId: sessionId ?? null,
      ...(session && { session }),
      project,
      activeDomain: domain ?? null,
      boundRoot: boundRoot ?? null,
      navigation: {
        project: navigation.project ?? null,
        task: navigation.task ?? null,
        aspect: navigation.aspect ?? null,
      },
      ...((!settings.staged || stage >= stages.cipher_loaded) && {
        sandbox: (await cells.sandbox()).level ?? ("missing" as const),
      }),
      availableOperations: open.map(({ name }) => name),
    };
  },
});
