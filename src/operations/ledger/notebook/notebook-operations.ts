import type { Operation } from "../../pipeline/operation.ts";
import { notebookAddCell } from "./notebook-add-cell.ts";
import { notebookCreate } from "./notebook-create.ts";
import { notebookDelete } from "./notebook-delete.ts";
import { notebookDeleteCell } from "./notebook-delete-cell.ts";
import { notebookExport } from "./notebook-export.ts";
import { notebookGetCell } from "./notebook-get-cell.ts";
import { notebookInstallDeps } from "./notebook-install-deps.ts";
import { notebookList } from "./notebook-list.ts";
import { notebookListCells } from "./notebook-list-cells.ts";
import { notebookLoad } from "./notebook-load.ts";
import { notebookMoveCell } from "./notebook-move-cell.ts";
import { notebookRestore } from "./notebook-restore.ts";
import { notebookRestoreCell } from "./notebook-restore-cell.ts";
import { notebookRunAll } from "./notebook-run-all.ts";
import { notebookRunCell } from "./notebook-run-cell.ts";
import { notebookUpdateCell } from "./notebook-update-cell.ts";

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
