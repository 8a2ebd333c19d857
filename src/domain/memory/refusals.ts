import type { ThoughtboxError } from "../../kernel/errors.ts";
import { memoryFailure } from "./failures.ts";
import { memoryLimits } from "./limits.ts";

export const unknownBranch = (branch: string, workspace: string): ThoughtboxError =>
  memoryFailure("unknown_branch", { branch, workspace });

export const branchTaken = (branch: string, workspace: string): ThoughtboxError =>
  memoryFailure("branch_taken", { branch, workspace });

export const reservedBranch = (branch: string, workspace: string): ThoughtboxError =>
  memoryFailure("reserved_branch", { branch, workspace });

export const tooDeep = (branch: string, workspace: string): ThoughtboxError =>
  memoryFailure("branch_too_deep", { branch, workspace, depth: memoryLimits.depth });

export const noCheckout = (workspace: string): ThoughtboxError => memoryFailure("no_checkout", { workspace });

export const unknownConflict = (workspace: string, conflict_id: string): ThoughtboxError =>
  memoryFailure("unknown_conflict", { workspace, conflict_id });
