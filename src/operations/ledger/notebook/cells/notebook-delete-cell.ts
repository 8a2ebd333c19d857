import { deleteCell } from "../../../../domain/notebook/change-cells.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { changeCells } from "../find-notebook.ts";
import { cellId, notebookId } from "../notebook-fields.ts";
import { changedCell } from "./cell-answer.ts";

export const notebookDeleteCell = defineOperation({
  name: "notebook.delete_cell",
  family: "ledger",
  title: "Delete a cell",
  summary: "Takes a cell out of a notebook; notebook.restore_cell brings it back.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  scope: "caller",
  input: { notebookId, cellId },
  output: changedCell,
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "by its filename",
      given: "a notebook",
      input: { sessionId: "$session", notebookId: "$notebook", cellId: "add.ts" },
    },
  ],

  handle: ({ notebookId, cellId }, context) =>
    changeCells(context, notebookId, (notebook) => deleteCell(notebook, cellId)),
});
