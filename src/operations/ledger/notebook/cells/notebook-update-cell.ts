import { updateCell } from "../../../../domain/notebook/change-cells.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { changeCells } from "../find-notebook.ts";
import { cellId, content, contentSpellings, filename, notebookId } from "../notebook-fields.ts";
import { changedCell } from "./cell-answer.ts";

export const notebookUpdateCell = defineOperation({
  name: "notebook.update_cell",
  family: "ledger",
  title: "Change a cell",
  summary:
    "Gives a cell other content or another filename; notebook.restore_cell brings back what it said before.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: { notebookId, cellId, content: content.optional(), filename: filename.optional() },
  spellings: { aliases: contentSpellings },
  output: changedCell,
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "other code",
      given: "a notebook",
      input: { sessionId: "$session", notebookId: "$notebook", cellId: "add.ts", content: "3 + 4" },
    },
  ],

  handle: async ({ notebookId, cellId, ...draft }, context) => {
    if (draft.content === undefined && draft.filename === undefined)
      return context.fail("INVALID_PAYLOAD", "Nothing to change: give content or filename.");
    return changeCells(context, notebookId, (notebook) => updateCell(notebook, cellId, draft));
  },
});
