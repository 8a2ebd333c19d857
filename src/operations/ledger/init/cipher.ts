import * as z from "zod";
import { stageAfterCipher, stages } from "../../../domain/stages/stages.ts";
import { defineOperation } from "../../pipeline/define.ts";

export const cipher = defineOperation({
  name: "cipher",
  family: "ledger",
  title: "Read the cipher",
  summary:
    "Returns the compact notation for reasoning steps and opens thought and the other stage-2 operations.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "caller",
  input: {},
  output: z.strictObject({ stage: z.int(), markdown: z.string() }),
  prose: true,
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [{ title: "after start_new", given: "a new session", input: { sessionId: "$session" } }],

  async handle(_input, context) {
    const { handle } = context;
    const markdown = await context.content.read("cipher.md");
    // Before a session is open the notation can be read, and opens nothing.
    if (handle.stage >= stages.init_complete) {
      const reached = stageAfterCipher(handle.domain);
      await context.moveHandle({ stage: Math.max(handle.stage, reached) as typeof reached });
    }
    const timestamp = context.clock().toISOString();
    if (handle.sessionId)
      context.emit({ type: "cipher_loaded", timestamp, sessionId: handle.sessionId, data: {} });
    return { stage: handle.stage, markdown };
  },
});
