import { notebookFailure } from "../../../domain/notebook/failures.ts";
import type { Decide, StoredNotebook } from "../../../ports/notebook-store.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { shownOfOne, toCellAnswer } from "./cell-answer.ts";

/** A notebook of the caller's project; others are not found, whatever their id. */
export async function findNotebook(
  { notebooks, handle }: OperationContext<"UNKNOWN_ID">,
  notebookId: string,
): Promise<StoredNotebook> {
  const notebook = await notebooks.readNotebook(handle.project, notebookId);
  if (!notebook) throw notebookFailure("unknown_notebook", { notebookId });
  return notebook;
}

/** Changes the cells of a notebook by a rule and returns the cell that was changed. */
export async function changeCells(
  { notebooks, handle, clock, once }: OperationContext<"UNKNOWN_ID">,
  notebookId: string,
  decide: Decide,
) {
  const change = { project: handle.project, notebookId, at: clock().getTime(), once };
  const changed = await notebooks.changeCells(change, decide);
  if (!changed) throw notebookFailure("unknown_notebook", { notebookId });
  const { notebook, cellId } = changed;
  const position = notebook.cells.findIndex(({ id }) => id === cellId);
  const cell = notebook.cells[position];
  return {
    notebookId,
    cellId,
    ...(cell && { position, cell: toCellAnswer(cell, notebook.runs.get(cellId), shownOfOne) }),
  };
}
