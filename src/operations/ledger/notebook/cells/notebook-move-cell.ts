import { moveCell } from "../../../../domain/notebook/change-cells.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { changeCells } from "../find-notebook.ts";
import { afterCellId, cellId, notebookId, position } from "../notebook-fields.ts";
import { changedCell } from "./cell-answer.ts";

export const notebookMoveCell = defineOperation({
  name: "notebook.move_cell",
  family: "ledger",
  title: "Move a cell",
  summary: "Puts a cell after another one, or at a position counted from 0.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    notebookId,
    cellId,
    afterCellId: afterCellId.optional().describe("Cell to stand after."),
    position: position.optional(),
  },
  output: changedCell,
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "to the beginning",
      given: "a notebook",
      input: { sessionId: "$session", notebookId: "$notebook", cellId: "add.ts", position: 0 },
    },
  ],

  handle: ({ notebookId, cellId, ...place }, context) =>
    changeCells(context, notebookId, (notebook) => moveCell(notebook, cellId, place)),
});
