import * as z from "zod";
import { titleOf } from "../../../domain/notebook/notebook.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { findNotebook } from "./find-notebook.ts";
import { notebookId } from "./notebook-fields.ts";

export const notebookDelete = defineOperation({
  name: "notebook.delete",
  family: "ledger",
  title: "Delete a notebook",
  summary: "Moves a notebook to the trash; notebook.restore brings it back. Needs confirm: true.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  scope: "caller",
  input: {
    notebookId,
    confirm: z.boolean().default(false).describe("true, to show that it is meant; default false."),
  },
  output: z.strictObject({ notebookId: z.string(), deleted: z.literal(true), restorable: z.literal(true) }),
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "confirmed",
      given: "a notebook",
      input: { sessionId: "$session", notebookId: "$notebook", confirm: true },
    },
  ],

  async handle({ notebookId, confirm }, context) {
    const notebook = await findNotebook(context, notebookId);
    if (!confirm) {
      return context.fail("INVALID_PAYLOAD", `Deleting “${titleOf(notebook)}” needs confirm: true.`, {
        details: { cells: notebook.cells.length },
        recovery: { hint: "Say that you mean it, by confirm: true; it can be restored." },
      });
    }
    await context.notebooks.trashNotebook(context.standing.project, notebookId, context.clock().getTime());
    return { notebookId, deleted: true as const, restorable: true as const };
  },
});
