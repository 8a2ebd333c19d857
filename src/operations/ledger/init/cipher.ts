import * as z from "zod";
import { stageAfterCipher, stages } from "../../../domain/stages/stages.ts";
import { defineOperation } from "../../pipeline/define.ts";

/** The summary that is sent on connections that have already received the full text. */
const summary = `\`number|type|references|content\`, such as \`S4|E|S3|Forty of forty connections are taken\`.
Types: H hypothesis, E evidence, C conclusion, Q question, R revision, P plan, O observation, A assumption, X rejected.
References: \`S1,S2\` or \`S1-S3\`. \`^S3\` revises S3. You have already received the full text. \`full: true\` returns it again.
`;

export const cipher = defineOperation({
  name: "cipher",
  family: "ledger",
  title: "Read the cipher",
  summary:
    "Returns the compact notation for reasoning steps and unlocks thought and the other stage-2 operations.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "caller",
  input: {
    full: z
      .boolean()
      .optional()
      .describe("Returns the whole text, even if this connection has already received it."),
  },
  advanced: ["full"],
  output: z.strictObject({ stage: z.int(), markdown: z.string() }),
  prose: "markdown",
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [{ title: "after start_new", given: "a new session", input: { sessionId: "$session" } }],

  async handle({ full }, context) {
    const { callerState } = context;
    const { binding } = context.caller;
    const isKnown = binding?.cipherRead && !full;
    const markdown = isKnown ? summary : await context.content.read("cipher.md");
    if (binding) binding.cipherRead = true;
    // A caller without a session can read the notation, but that unlocks no stage.
    if (callerState.stage >= stages.init_complete) {
      const reached = stageAfterCipher(callerState.domain);
      await context.changeCallerState({ stage: Math.max(callerState.stage, reached) as typeof reached });
    }
    const timestamp = context.clock().toISOString();
    if (callerState.sessionId)
      context.emit({ type: "cipher_loaded", timestamp, sessionId: callerState.sessionId, data: {} });
    return { stage: callerState.stage, markdown };
  },
});
