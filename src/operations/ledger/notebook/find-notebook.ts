import { statusOf } from "../../../domain/notebook/cell-status.ts";
import { notebookFailure } from "../../../domain/notebook/failures.ts";
import { type Cell, filenameOf, findCell } from "../../../domain/notebook/notebook.ts";
import type { CellChangeRequest, Decide, StoredNotebook } from "../../../ports/notebook/notebook-store.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { shownOfOne, toCellAnswer } from "./cells/cell-answer.ts";

/** Finds a notebook. Treats notebooks in other projects as not found. */
export async function findNotebook(
  { notebooks, callerState }: OperationContext<"UNKNOWN_ID">,
  notebookId: string,
): Promise<StoredNotebook> {
  const notebook = await notebooks.readNotebook(callerState.project, notebookId);
  if (!notebook) throw notebookFailure("unknown_notebook", { notebookId });
  return notebook;
}

/** Finds the cell by its ID or current filename, even if it was deleted. */
export async function findVersion(
  { notebooks }: OperationContext,
  notebook: StoredNotebook,
  named: string,
  version: number,
): Promise<{ cell: Cell; index: number }> {
  const index = notebook.cells.findIndex((cell) => cell.id === named || filenameOf(cell) === named);
  const cellId = notebook.cells[index]?.id ?? named;
  const history = await notebooks.readHistory(notebook.id, cellId);
  if (history.length === 0) return findCell(notebook, named);
  const wanted = history.find((one) => one.version === version);
  if (!wanted?.content) {
    const versions = history.flatMap((one) => (one.content ? [one.version] : [])).slice(-50);
    throw notebookFailure("unknown_cell_version", { notebookId: notebook.id, cellId, versions });
  }
  return { cell: { ...wanted.content, id: cellId, version }, index: index === -1 ? wanted.position : index };
}

export async function changeCells(
  { notebooks, callerState, clock, once }: OperationContext<"UNKNOWN_ID">,
  notebookId: string,
  decide: Decide,
  historyOf?: CellChangeRequest["historyOf"],
) {
  const change = { project: callerState.project, notebookId, at: clock().getTime(), once, historyOf };
  const changed = await notebooks.changeCells(change, decide);
  if (!changed) throw notebookFailure("unknown_notebook", { notebookId });
  const { notebook, cellId } = changed;
  const position = notebook.cells.findIndex(({ id }) => id === cellId);
  const cell = notebook.cells[position];
  return {
    notebookId,
    cellId,
    ...(cell && {
      position,
      cell: toCellAnswer(cell, notebook.runs.get(cellId), shownOfOne, statusOf(cell, notebook)),
    }),
  };
}
