import * as z from "zod";
import { stages } from "../../../domain/stages/stages.ts";
import { defineOperation } from "../../pipeline/define.ts";

export const sessionDelete = defineOperation({
  name: "session.delete",
  family: "ledger",
  title: "Delete a session",
  summary: "Moves a session to the trash; session.restore brings it back. Needs confirm: true.",
  toolset: "full",
  stage: "init_complete",
  effect: "destroy",
  scope: "session",
  input: { confirm: z.boolean().default(false).describe("true, to show that it is meant; default false.") },
  output: z.strictObject({ sessionId: z.string(), deleted: z.literal(true), restorable: z.literal(true) }),
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "confirmed", given: "a session with thoughts", input: { sessionId: "$session", confirm: true } },
  ],

  async handle({ confirm }, { standing, ledger, clock, caller, fail }) {
    const sessionId = standing.sessionId;
    if (!confirm) {
      const { title, thoughtCount, branchCount } = standing.session;
      return fail(
        "INVALID_PAYLOAD",
        `This would move “${title}” (thoughts: ${thoughtCount}, branches: ${branchCount}) to the trash; it needs confirm.`,
        {
          recovery: {
            hint: "Look at the session first; call session.delete again with confirm only if its owner wants that.",
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
    // Whoever stood there stands nowhere now, and learns what opens from there.
    if (binding?.sessionId === undefined) standing.stage = stages.entry;
    return { sessionId, deleted: true as const, restorable: true as const };
  },
});
