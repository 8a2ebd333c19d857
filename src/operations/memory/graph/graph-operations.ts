import type { Operation } from "../../pipeline/operation.ts";
import { graphApply } from "./graph-apply.ts";
import { graphConflictResolve } from "./graph-conflict-resolve.ts";
import { graphConflictShow } from "./graph-conflict-show.ts";
import { graphConflicts } from "./graph-conflicts.ts";
import { graphDiff } from "./graph-diff.ts";
import { graphMerge } from "./graph-merge.ts";
import { graphQuery } from "./graph-query.ts";
import { graphValidate } from "./graph-validate.ts";

/** In the order in which help and docs show them. */
export const graphOperations: readonly Operation[] = [
  graphApply,
  graphQuery,
  graphValidate,
  graphDiff,
  graphMerge,
  graphConflicts,
  graphConflictShow,
  graphConflictResolve,
];
