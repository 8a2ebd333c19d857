import * as z from "zod";
import { statusOf } from "../../../../domain/notebook/cell-status.ts";
import {
  addCell,
  deleteCell,
  moveCell,
  restoreCell,
  updateCell,
} from "../../../../domain/notebook/change-cells.ts";
import { filenameOf, type Notebook, titleOf } from "../../../../domain/notebook/notebook.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { offsetPage, offsetPageSchema } from "../../../pipeline/fields.ts";
import { pages } from "../../../pipeline/fit/fit.ts";
import { changeCells, findNotebook } from "../find-notebook.ts";
import {
  afterCellId,
  cellId,
  cellType,
  content,
  contentSpellings,
  draftSpellings,
  filename,
  language,
  notebookId,
  position,
} from "../notebook-fields.ts";
import { cellSchema, changedCell, shownOfMany, toCellAnswer } from "./cell-answer.ts";

export const notebookAddCell = defineOperation({
  name: "notebook.add_cell",
  family: "ledger",
  title: "Add a cell",
  summary: "Adds prose or code to a notebook. Code cells are files that can import each other.",
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

export const notebookListCells = defineOperation({
  name: "notebook.list_cells",
  family: "ledger",
  title: "List cells",
  summary: "Returns the cells of a notebook in order, with the beginning of their output.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: {
    notebookId,
    offset: z.int().min(0).max(500).default(0).describe("How many cells to skip. Default: 0."),
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
      cells: shown.map((cell) =>
        toCellAnswer(cell, runs.get(cell.id), shownOfMany, statusOf(cell, notebook)),
      ),
      ...offsetPage(offset, shown.length, cells.length),
    };
  },
});

export const notebookUpdateCell = defineOperation({
  name: "notebook.update_cell",
  family: "ledger",
  title: "Change a cell",
  summary: "Changes the content or filename of a cell. notebook.restore_cell restores an earlier version.",
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
      return context.fail("INVALID_PAYLOAD", "Nothing to change: pass content or filename.");
    return changeCells(context, notebookId, (notebook) => updateCell(notebook, cellId, draft));
  },
});

export const notebookMoveCell = defineOperation({
  name: "notebook.move_cell",
  family: "ledger",
  title: "Move a cell",
  summary: "Moves a cell after another one, or to a position counted from 0.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    notebookId,
    cellId,
    afterCellId: afterCellId.optional().describe("Cell after which to place the moved cell."),
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

export const notebookDeleteCell = defineOperation({
  name: "notebook.delete_cell",
  family: "ledger",
  title: "Delete a cell",
  summary: "Deletes a cell from a notebook. notebook.restore_cell restores it.",
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

export const notebookRestoreCell = defineOperation({
  name: "notebook.restore_cell",
  family: "ledger",
  title: "Restore a cell",
  summary:
    "Restores a deleted cell to its old position, or an earlier version of a changed cell as a new version.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    notebookId,
    cellId: cellId.describe("ID of the cell, or its filename if the cell still exists."),
    version: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe("Version to restore. Default: the last version before the change or deletion."),
  },
  advanced: ["version"],
  output: changedCell,
  errors: ["UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "its first version",
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
