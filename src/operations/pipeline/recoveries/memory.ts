import type { MemoryFacts } from "../../../domain/memory/failures.ts";
import type { Recovery } from "../../../kernel/errors.ts";
import { quote } from "../../../kernel/text.ts";
import type { WordsFor } from "./words.ts";

const seeBranches = (workspace: string, hint = "List the existing branches."): Recovery => ({
  hint,
  operation: "branch_list",
  args: { workspace },
});

export const memoryWords: WordsFor<MemoryFacts> = {
  unknown_branch: ({ branch, workspace }) => ({
    message: `There is no branch ${quote(branch)}. Create it first.`,
    details: { branch },
    recovery: seeBranches(workspace),
  }),
  branch_taken: ({ branch, workspace }) => ({
    message: `The branch ${quote(branch)} already exists.`,
    details: { branch },
    recovery: seeBranches(workspace, "Choose another name. This call lists the existing branches."),
  }),
  reserved_branch: ({ branch, workspace }) => ({
    message: `The branch ${quote(branch)} belongs to Thoughtbox. Names that start with session/, plan/ or task/ are reserved.`,
    details: { hints: [{ kind: "prefix", field: "name", expected: "not session/, plan/ or task/" }] },
    recovery: seeBranches(workspace),
  }),
  branch_too_deep: ({ branch, workspace, depth }) => ({
    message: `${quote(branch)} is already nested ${depth} levels deep, which is the maximum.`,
    recovery: seeBranches(
      workspace,
      `Merge ${quote(branch)} into its base, or create the branch from one that is less deeply nested. This call lists the branches.`,
    ),
  }),
  branch_checked_out: ({ branch, workspace, other }) => ({
    message: `${quote(branch)} is checked out and cannot be deleted.`,
    recovery:
      other === undefined
        ? seeBranches(
            workspace,
            "There is no other branch to check out. This call lists the workspace's branches.",
          )
        : {
            hint: "Check out another branch first.",
            operation: "checkout",
            args: { workspace, ref: other },
          },
  }),
  branch_has_children: ({ branch, child, workspace }) => ({
    message: `${quote(branch)} is the base of ${quote(child)} and cannot be deleted before it.`,
    details: { child },
    recovery: seeBranches(
      workspace,
      `First merge and delete the branches created from ${quote(branch)}. This call lists all branches.`,
    ),
  }),
  no_checkout: ({ workspace }) => ({
    message: `Nothing is checked out in ${quote(workspace)}: the workspace has not been used yet.`,
    recovery: { hint: "Create the workspace and its main branch.", operation: "init", args: { workspace } },
  }),
  foreign_focus: ({ workspace, target }) => ({
    message: `The focus ${target} belongs to another agent, and you have not set your own. Pass target to choose where to write.`,
    details: { focus: target, hints: [{ kind: "missing", field: "target" }] },
    recovery: {
      hint: `Pass target with each call, or branch: "main" if the record belongs to no task. If you work on ${target} too, make it your own focus.`,
      operation: "tasks_focus_set",
      args: { workspace, target },
    },
  }),
  foreign_checkout: ({ workspace, branch }) => ({
    message: `Another agent checked out ${quote(branch)}, and you have not checked out a branch. Pass target or branch to choose where to write.`,
    details: { checkout: branch, hints: [{ kind: "choose_one", fields: ["target", "branch"] }] },
    recovery: {
      hint: "Pass target or branch with each call, or check out a branch for yourself.",
      operation: "checkout",
      args: { workspace, ref: branch },
    },
  }),
  unknown_workspace: ({ workspace, known }) => ({
    message: `There is no workspace ${quote(workspace)}.`,
    details: { workspace },
    recovery: {
      hint: known.length === 0 ? "There are no workspaces yet." : `Existing workspaces: ${known.join(", ")}.`,
    },
  }),
  unknown_conflict: ({ workspace, conflict_id }) => ({
    message: `There is no conflict ${quote(conflict_id)}. A dry run only predicts conflicts. Call graph_merge without dry_run to create them.`,
    details: { conflict_id },
    recovery: seeBranches(
      workspace,
      "graph_conflicts lists the conflicts of a branch. This call lists the branches.",
    ),
  }),
  conflict_resolved: ({ workspace, conflict_id, resolution }) => ({
    message:
      resolution === "moot"
        ? `A later merge settled ${conflict_id}. There is nothing left to decide.`
        : `${conflict_id} was already resolved with ${resolution}.`,
    details: { conflict_id, resolution },
    recovery: {
      hint: "Use graph_apply if the graph should change. This call shows what was decided.",
      operation: "graph_conflict_show",
      args: { workspace, conflict_id },
    },
  }),
  conflict_stale: ({ workspace, conflict_id, from, into, doc }) => ({
    message: `One side of ${conflict_id} has changed since the conflict was found. Merge again to see the current state.`,
    details: { conflict_id },
    recovery: {
      hint: "Merge again. This settles the conflict or shows its current state.",
      operation: "graph_merge",
      args: { workspace, from, into, doc },
    },
  }),
  edge_without_end: ({ workspace, conflict_id, from }) => ({
    message: `The edge in ${conflict_id} needs a node that is missing on ${quote(from)} too, so it cannot be merged.`,
    details: { conflict_id },
    recovery: {
      hint: "Resolve the conflict by keeping the existing state.",
      operation: "graph_conflict_resolve",
      args: { workspace, conflict_id, resolution: "use_into" },
    },
  }),
  merge_too_large: ({ workspace, from, into, doc, keys, max }) => ({
    message: `${quote(from)} has ${keys} keys to merge, and one merge takes at most ${max}. Merge the keys page by page with limit.`,
    details: { keys, max },
    recovery: {
      hint: "Merge the first page, then continue with its cursor.",
      operation: "graph_merge",
      args: { workspace, from, into, doc, limit: max },
    },
  }),
  merge_outrun: ({ workspace, from, into, doc }) => ({
    message: `${quote(from)} or ${quote(into)} kept changing during the merge. Nothing was merged.`,
    details: { from, into },
    recovery: {
      hint: "Merge page by page. Each page is merged in one transaction.",
      operation: "graph_merge",
      args: { workspace, from, into, doc, limit: 500 },
    },
  }),
  branch_not_deleted: ({ workspace, branch }) => ({
    message: `There is no deleted branch called ${quote(branch)}.`,
    details: { branch },
    recovery: {
      hint: "See which branches were deleted.",
      operation: "branch_list",
      args: { workspace, status: "deleted" },
    },
  }),
  base_is_deleted: ({ workspace, branch, base }) => ({
    message: `${quote(branch)} was created from ${quote(base)}, which has been deleted too.`,
    details: { branch, base },
    recovery: {
      hint: "Restore the base first.",
      operation: "branch_restore",
      args: { workspace, name: base },
    },
  }),
  name_is_tag: ({ workspace, name }) => ({
    message: `There is a tag ${quote(name)}. A branch and a tag cannot have the same name.`,
    details: { name },
    recovery: { hint: "List the existing tags.", operation: "tag_list", args: { workspace } },
  }),
  not_its_base: ({ workspace, from, into, based }) => ({
    message: `You can merge a graph only between a branch and its base, but neither ${quote(from)} nor ${quote(into)} is the base of the other.`,
    details: { from, into },
    recovery: based
      ? {
          hint: "See what merging the branch into its base would do.",
          operation: "graph_merge",
          args: { workspace, from, merge_to_base: true, dry_run: true },
        }
      : seeBranches(workspace, "The branch has no base. List the branches."),
  }),
  unknown_node: ({ workspace, branch, doc, id, because, op }) => ({
    message: `ops[${op}]: there is no ${quote(id)} in ${quote(doc)} on ${quote(branch)}, and ${because}. Nothing was applied.`,
    details: { id, op },
    recovery: {
      hint: "See what the graph contains.",
      operation: "graph_query",
      args: { workspace, branch, doc },
    },
  }),
  unknown_commit: ({ workspace, ref }) => ({
    message: `There is no commit ${quote(ref)}.`,
    details: { ref },
    recovery: {
      hint: "See which commits the refs of the checkout have pointed to.",
      operation: "reflog",
      args: { workspace },
    },
  }),
  commit_not_visible: ({ workspace, ref, doc, branch, found_on }) => ({
    message: `Commit ${ref} is not visible on branch ${quote(branch)}. It is on ${quote(found_on)}.`,
    details: { ref, branch, found_on },
    recovery: {
      hint: "Check out a branch that contains the commit, or choose one from this log.",
      operation: "log",
      args: { workspace, ref: branch, doc },
    },
  }),
  tag_taken: ({ workspace, name, doc, seq }) => ({
    message: `The tag ${quote(name)} already exists. It points to ${doc}@${seq}.`,
    details: { name, seq },
    recovery: {
      hint: "Choose another name, or move the tag with force:true. This call lists the tags.",
      operation: "tag_list",
      args: { workspace },
    },
  }),
  tag_hidden: ({ workspace, name, branch }) => ({
    message: `The tag ${quote(name)} belongs to the deleted branch ${quote(branch)} and is restored with it.`,
    details: { name, branch },
    recovery: {
      hint: "Choose another name, or replace the hidden tag with tag_create and force:true, or restore the branch. This call lists the deleted branches.",
      operation: "branch_list",
      args: { workspace, status: "deleted" },
    },
  }),
  unknown_tag: ({ workspace, name }) => ({
    message: `There is no tag ${quote(name)}.`,
    details: { name },
    recovery: { hint: "List the existing tags.", operation: "tag_list", args: { workspace } },
  }),
  invalid_graph_op: ({ problem, kind, field }) => ({
    message: problem,
    details: { hints: [{ kind, field }] },
    recovery: {
      hint: "See the fields of each graph operation and an example.",
      operation: "help",
      args: { topic: "graph_apply" },
    },
  }),
};
