import { defineFailures, type ThoughtboxError } from "../../kernel/errors.ts";
import { memoryLimits } from "./limits.ts";

type InWorkspace = { workspace: string };

/** Why the memory refuses a request, with the facts for the message. */
export type MemoryFacts = {
  unknown_branch: InWorkspace & { branch: string };
  branch_taken: InWorkspace & { branch: string };
  reserved_branch: InWorkspace & { branch: string };
  branch_too_deep: InWorkspace & { branch: string; depth: number };
  /** `other` is a branch that the caller can check out instead. */
  branch_checked_out: InWorkspace & { branch: string; other?: string | undefined };
  branch_has_children: InWorkspace & { branch: string; child: string };
  no_checkout: InWorkspace;
  /** The caller has not set a focus. Another agent set the focus on `target`. */
  foreign_focus: InWorkspace & { target: string };
  foreign_checkout: InWorkspace & { branch: string };
  unknown_workspace: InWorkspace & { known: readonly string[] };
  unknown_conflict: InWorkspace & { conflict_id: string };
  conflict_resolved: InWorkspace & { conflict_id: string; resolution: string };
  /** One side changed after the conflict was found. */
  conflict_stale: InWorkspace & { conflict_id: string; from: string; into: string; doc: string };
  /** The source also deleted a node of the incoming edge. */
  edge_without_end: InWorkspace & { conflict_id: string; from: string };
  /** There are more keys than one merge accepts. */
  merge_too_large: InWorkspace & { from: string; into: string; doc: string; keys: number; max: number };
  /** The branches changed faster than they could be merged, or other merges kept running. */
  merge_outrun: InWorkspace & { from: string; into: string; doc: string };
  branch_not_deleted: InWorkspace & { branch: string };
  base_is_deleted: InWorkspace & { branch: string; base: string };
  /** Branches and tags share one namespace. */
  name_is_tag: InWorkspace & { name: string };
  /** `based` is true if `from` has a base. */
  not_its_base: InWorkspace & { from: string; into: string; based: boolean };
  /** `op` is the index in the list of operations. */
  unknown_node: InWorkspace & { branch: string; doc: string; id: string; because: string; op: number };
  unknown_commit: InWorkspace & { ref: string };
  commit_not_visible: InWorkspace & { ref: string; doc: string; branch: string; found_on: string };
  tag_taken: InWorkspace & { name: string; doc: string; seq: number };
  /** The tag was deleted with its branch. Restoring the branch restores the tag. */
  tag_hidden: InWorkspace & { name: string; branch: string };
  unknown_tag: InWorkspace & { name: string };
  /** `problem` is a sentence about `field`, such as `ops[2].id is required.` */
  invalid_graph_op: { problem: string; kind: string; field: string };
};

/** The only error type that rules and stores of the memory throw to refuse a request. */
export const memoryFailure = defineFailures<MemoryFacts>({
  unknown_branch: "UNKNOWN_ID",
  branch_taken: "CONFLICT",
  reserved_branch: "INVALID_PAYLOAD",
  branch_too_deep: "INVALID_PAYLOAD",
  branch_checked_out: "CONFLICT",
  branch_has_children: "CONFLICT",
  no_checkout: "NO_CHECKOUT",
  foreign_focus: "INVALID_PAYLOAD",
  foreign_checkout: "INVALID_PAYLOAD",
  unknown_workspace: "UNKNOWN_ID",
  unknown_conflict: "UNKNOWN_ID",
  conflict_resolved: "CONFLICT",
  conflict_stale: "CONFLICT",
  edge_without_end: "CONFLICT",
  merge_too_large: "INVALID_PAYLOAD",
  merge_outrun: "CONFLICT",
  branch_not_deleted: "UNKNOWN_ID",
  base_is_deleted: "CONFLICT",
  name_is_tag: "CONFLICT",
  not_its_base: "MERGE_NOT_SUPPORTED",
  unknown_node: "UNKNOWN_ID",
  unknown_commit: "UNKNOWN_ID",
  commit_not_visible: "UNKNOWN_ID",
  tag_taken: "CONFLICT",
  tag_hidden: "CONFLICT",
  unknown_tag: "UNKNOWN_ID",
  invalid_graph_op: "INVALID_PAYLOAD",
});

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

export const tagHidden = (workspace: string, { name, branch }: { name: string; branch: string }) =>
  memoryFailure("tag_hidden", { workspace, name, branch });
