import { ThoughtboxError } from "../../kernel/errors.ts";
import { quote } from "../../kernel/text.ts";
import { memoryLimits } from "./limits.ts";

/** Refusals that several stores and operations share: one wording, one way out. */

export function unknownBranch(name: string, workspace: string): ThoughtboxError {
  return new ThoughtboxError("UNKNOWN_ID", `There is no branch ${quote(name)}; branches are created first.`, {
    details: { branch: name },
    recovery: { hint: "See which branches there are.", operation: "branch_list", args: { workspace } },
  });
}

export function branchTaken(name: string, workspace: string): ThoughtboxError {
  return new ThoughtboxError("CONFLICT", `There is a branch ${quote(name)} already.`, {
    details: { branch: name },
    recovery: {
      hint: "Choose another name; these are taken.",
      operation: "branch_list",
      args: { workspace },
    },
  });
}

export function reservedBranch(name: string, workspace: string): ThoughtboxError {
  return new ThoughtboxError(
    "INVALID_PAYLOAD",
    `The branch ${quote(name)} is kept by Thoughtbox: names beginning with session/, plan/ or task/ are reserved.`,
    {
      details: { hints: [{ kind: "prefix", field: "name", expected: "not session/, plan/ or task/" }] },
      recovery: { hint: "See which branches there are.", operation: "branch_list", args: { workspace } },
    },
  );
}

export function tooDeep(name: string, workspace: string): ThoughtboxError {
  return new ThoughtboxError(
    "INVALID_PAYLOAD",
    `${quote(name)} has ${memoryLimits.depth} bases above it already; no branch may have more.`,
    {
      recovery: {
        hint: "Merge back into a base, or branch from one that is less deep.",
        operation: "branch_list",
        args: { workspace },
      },
    },
  );
}

export function noCheckout(workspace: string): ThoughtboxError {
  return new ThoughtboxError(
    "NO_CHECKOUT",
    `Nothing is checked out in ${quote(workspace)}: the workspace has not been used yet.`,
    { recovery: { hint: "Create it with its branch main.", operation: "init", args: { workspace } } },
  );
}

export function unknownConflict(workspace: string, id: string): ThoughtboxError {
  return new ThoughtboxError("UNKNOWN_ID", `There is no conflict ${quote(id)}.`, {
    details: { conflict_id: id },
    recovery: {
      hint: "Conflicts are listed by the branch they are in the way of; see graph_conflicts.",
      operation: "branch_list",
      args: { workspace },
    },
  });
}
