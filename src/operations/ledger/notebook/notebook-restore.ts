import * as z from "zod";
import { notebookFailure } from "../../../domain/notebook/failures.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { notebookSchema, shownOfMany, toNotebookAnswer } from "./cells/cell-answer.ts";
import { notebookId } from "./notebook-fields.ts";

export const notebookRestore = defineOperation({
  name: "notebook.restore",
  family: "ledger",
  title: "Restore a notebook",
  summary: "Brings a notebook back from the trash, with all its cells, versions and runs.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: { notebookId },
  output: z.strictObject({ notebookId: z.string(), notebook: notebookSchema }),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "a deleted one",
      given: "a deleted notebook",
      input: { sessionId: "$session", notebookId: "$notebook" },
    },
  ],

  async handle({ notebookId }, { notebooks, standing, clock }) {
    const restored = await notebooks.restoreNotebook(standing.project, notebookId, clock().getTime());
    if (!restored) throw notebookFailure("unknown_notebook", { notebookId });
    return { notebookId, notebook: toNotebookAnswer(restored, shownOfMany) };
  },
});
