import * as z from "zod";
import { titleOf } from "../../../../domain/notebook/notebook.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { offsetPage, offsetPageSchema } from "../../../pipeline/fields.ts";
import { pages } from "../../../pipeline/fit/fit.ts";
import { findNotebook } from "../find-notebook.ts";
import { notebookId } from "../notebook-fields.ts";
import { cellSchema, shownOfMany, toCellAnswer } from "./cell-answer.ts";

export const notebookListCells = defineOperation({
  name: "notebook.list_cells",
  family: "ledger",
  title: "List cells",
  summary: "Returns the cells of a notebook in order, with the beginning of what they printed.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: {
    notebookId,
    offset: z.int().min(0).max(500).default(0).describe("How many cells to skip; default 0."),
  },
  output: z.strictObject({
    notebookId: z.string(),
    title: z.string(),
    cells: z.array(cellSchema),
    ...offsetPageSchema,
  }),
  fit: pages("cells"),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "all", given: "a notebook", input: { sessionId: "$session", notebookId: "$notebook" } },
  ],

  async handle({ notebookId, offset }, context) {
    const notebook = await findNotebook(context, notebookId);
    const { cells, runs } = notebook;
    const shown = cells.slice(offset);
    return {
      notebookId,
      title: titleOf(notebook),
      cells: shown.map((cell) => toCellAnswer(cell, runs.get(cell.id), shownOfMany)),
      ...offsetPage(offset, shown.length, cells.length),
    };
  },
});
