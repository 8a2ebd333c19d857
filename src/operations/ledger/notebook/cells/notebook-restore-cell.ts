import * as z from "zod";
import { restoreCell } from "../../../../domain/notebook/change-cells.ts";
import { filenameOf, type Notebook } from "../../../../domain/notebook/notebook.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { changeCells } from "../find-notebook.ts";
import { cellId, notebookId } from "../notebook-fields.ts";
import { changedCell } from "./cell-answer.ts";

export const notebookRestoreCell = defineOperation({
  name: "notebook.restore_cell",
  family: "ledger",
  title: "Restore a cell",
  summary:
    "Brings a deleted cell back to its place, or a changed one to an earlier version, as a new version.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    notebookId,
    cellId: cellId.describe("Id of the cell; of one that is still there also its filename."),
    version: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe("Version to bring back; by default the last one before the change or deletion."),
  },
  advanced: ["version"],
  output: changedCell,
  errors: ["UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "what it said first",
      given: "a notebook with a changed cell",
      input: { sessionId: "$session", notebookId: "$notebook", cellId: "add.ts", version: 1 },
    },
  ],

  handle: ({ notebookId, cellId, version }, context) =>
    changeCells(
      context,
      notebookId,
      (notebook, history) => restoreCell(notebook, idOf(notebook, cellId), history, version),
      (notebook) => idOf(notebook, cellId),
    ),
});

const idOf = ({ cells }: Notebook, named: string): string =>
  cells.find((cell) => filenameOf(cell) === named)?.id ?? named;
