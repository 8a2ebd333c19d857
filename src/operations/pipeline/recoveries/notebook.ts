import type { NotebookFacts } from "../../../domain/notebook/failures.ts";
import { quote } from "../../../kernel/text.ts";
import type { WordsFor } from "./words.ts";

export const notebookWords: WordsFor<NotebookFacts> = {
  unknown_notebook: ({ notebookId }) => ({
    message: `There is no notebook ${quote(notebookId)} in this project.`,
    details: { notebookId },
    recovery: { hint: "See which notebooks there are.", operation: "notebook.list", args: {} },
  }),
  unknown_cell: ({ notebookId, cell, cells }) => ({
    message: `The notebook has no cell ${quote(cell)}.`,
    details: { cells },
    recovery: {
      hint: "See its cells; a deleted one comes back by notebook.restore_cell.",
      operation: "notebook.list_cells",
      args: { notebookId },
    },
  }),
  unknown_cell_version: ({ notebookId, cellId, versions }) => ({
    message: `There is no such version of cell ${quote(cellId)} to go back to.`,
    details: { versions },
    recovery: {
      hint:
        versions.length > 0
          ? "Name one of details.versions."
          : "The notebook never had such a cell; see its cells.",
      operation: "notebook.list_cells",
      args: { notebookId },
    },
  }),
};
