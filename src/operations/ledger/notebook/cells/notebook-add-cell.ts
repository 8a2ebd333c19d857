import { addCell } from "../../../../domain/notebook/change-cells.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { changeCells } from "../find-notebook.ts";
import {
  afterCellId,
  cellType,
  content,
  draftSpellings,
  filename,
  language,
  notebookId,
  position,
} from "../notebook-fields.ts";
import { changedCell } from "./cell-answer.ts";

export const notebookAddCell = defineOperation({
  name: "notebook.add_cell",
  family: "ledger",
  title: "Add a cell",
  summary: "Adds prose or code to a notebook. Code cells are files that import each other.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    notebookId,
    type: cellType,
    content,
    filename: filename.optional(),
    language: language.optional().describe("Language of a code cell without a filename."),
    afterCellId: afterCellId.optional(),
    position: position.optional(),
  },
  spellings: { aliases: draftSpellings },
  output: changedCell,
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "code",
      given: "a notebook",
      input: {
        sessionId: "$session",
        notebookId: "$notebook",
        type: "code",
        filename: "double.ts",
        content: "export const double = (n: number): number => n * 2;\ndouble(21)",
      },
    },
    {
      title: "prose after a cell",
      given: "a notebook",
      input: {
        sessionId: "$session",
        notebookId: "$notebook",
        type: "markdown",
        afterCellId: "add.ts",
        content: "The sum is right for **whole** numbers only.",
      },
    },
  ],

  handle: ({ notebookId, afterCellId, position, ...draft }, context) =>
    changeCells(context, notebookId, (notebook) =>
      addCell(notebook, context.newId(), draft, { afterCellId, position }),
    ),
});
