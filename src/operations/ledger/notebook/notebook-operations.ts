import type { Operation } from "../../pipeline/operation.ts";
import { notebookAddCell } from "./cells/notebook-add-cell.ts";
import { notebookDeleteCell } from "./cells/notebook-delete-cell.ts";
import { notebookGetCell } from "./cells/notebook-get-cell.ts";
import { notebookListCells } from "./cells/notebook-list-cells.ts";
import { notebookMoveCell } from "./cells/notebook-move-cell.ts";
import { notebookRestoreCell } from "./cells/notebook-restore-cell.ts";
import { notebookUpdateCell } from "./cells/notebook-update-cell.ts";
import { notebookCreate } from "./notebook.ts";
import { notebookDelete } from "./notebook-delete.ts";
import { notebookExport } from "./notebook-export.ts";
import { notebookList } from "./notebook-list.ts";
import { notebookLoad } from "./notebook-load.ts";
import { notebookRestore } from "./notebook-restore.ts";
import { notebookInstallDeps } from "./running/notebook-install-deps.ts";
import { notebookRunAll } from "./running/notebook-run-all.ts";
import { notebookRunCell } from "./running/notebook-run-cell.ts";

/** In the order in which help and docs show them. */
export const notebookOperations: readonly Operation[] = [
  notebookCreate,
  notebookList,
  notebookLoad,
  notebookAddCell,
  notebookUpdateCell,
  notebookMoveCell,
  notebookDeleteCell,
  notebookRestoreCell,
  notebookGetCell,
  notebookListCells,
  notebookRunCell,
  notebookRunAll,
  notebookInstallDeps,
  notebookExport,
  notebookDelete,
  notebookRestore,
];
