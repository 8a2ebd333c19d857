import type { Operation } from "../../pipeline/operation.ts";
import { branchCreate } from "./branch-create.ts";
import { branchDelete } from "./branch-delete.ts";
import { branchList } from "./branch-list.ts";
import { branchRename } from "./branch-rename.ts";
import { branchRestore } from "./branch-restore.ts";
import { checkout } from "./checkout.ts";
import { macroBranchNote } from "./macro-branch-note.ts";

/** In the order in which help and docs show them. */
export const branchesOperations: readonly Operation[] = [
  macroBranchNote,
  branchCreate,
  branchList,
  branchRename,
  branchDelete,
  branchRestore,
  checkout,
];
