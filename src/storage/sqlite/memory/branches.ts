import { defaultBranch, isReservedBranch, memoryLimits } from "../../../domain/memory/limits.ts";
import { branchTaken, reservedBranch, tooDeep } from "../../../domain/memory/refusals.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { quote } from "../../../kernel/text.ts";
import type { StepInput, StepOutcome } from "../../../ports/memory/steps.ts";
import type { Branch } from "../../../ports/memory/workspaces.ts";
import type { Connection } from "../connection/open-database.ts";
import { currentSeq, nextSeq } from "../connection/sequence.ts";
import { hideUnseen } from "./graph/graph-write.ts";
import {
  type BranchRow,
  branchById,
  branchOrCheckout,
  decodeBranch,
  findBranch,
  findWorkspace,
  type Place,
  requireBranch,
} from "./places.ts";

/** The workspace, made with its branch `main` at the first write. */
export function openWorkspace(
  connection: Connection,
  workspace: string,
  { at, projectGuard }: { at: Date; projectGuard?: string | undefined },
): Place {
  const found = findWorkspace(connection, workspace);
  if (found) {
    if (projectGuard !== undefined)
      connection
        .sql("UPDATE memory_workspaces SET project_guard = ? WHERE wid = ? AND project_guard IS NULL")
        .run(projectGuard, found.wid);
    return found;
  }
  connection
    .sql("INSERT INTO memory_workspaces (name, project_guard, created_at_ms) VALUES (?, ?, ?)")
    .run(workspace, projectGuard ?? null, at.getTime());
  const place = findWorkspace(connection, workspace);
  if (!place) throw new Error(`the workspace ${workspace} was not created`);
  setCheckout(place, insertBranch(place, defaultBranch, undefined, at).bid);
  return place;
}

function insertBranch(place: Place, name: string, base: BranchRow | undefined, at: Date): BranchRow {
  const baseSeq = base ? currentSeq(place.connection) : 0;
  // A number of its own, so that a branch made anew under an old name is another branch.
  const uid = `${name}@${nextSeq(place.connection)}`;
  const row = place.connection
    .sql(`INSERT INTO memory_branches (wid, uid, name, base, base_seq, depth, created_at_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING bid, uid, name, base, base_seq, depth, created_at_ms`)
    .get(place.wid, uid, name, base?.bid ?? null, baseSeq, base ? base.depth + 1 : 0, at.getTime());
  if (!row) throw new Error(`the branch ${name} was not created`);
  return decodeBranch(row);
}

function setCheckout({ connection, wid }: Place, bid: number): void {
  connection.sql("UPDATE memory_workspaces SET checkout = ? WHERE wid = ?").run(bid, wid);
}

export function createBranch(
  place: Place,
  { name, from, ifMissing }: StepInput<"create_branch">,
  at: Date,
): StepOutcome<"create_branch"> {
  const existing = findBranch(place, name);
  if (existing && ifMissing) return { ...showBranch(place, existing), created: false };
  if (isReservedBranch(name)) throw reservedBranch(name, place.workspace);
  if (existing) throw branchTaken(name, place.workspace);
  const base = branchOrCheckout(place, from);
  if (base.depth >= memoryLimits.depth) throw tooDeep(base.name, place.workspace);
  return { ...showBranch(place, insertBranch(place, name, base, at)), created: true };
}

export function showBranch(place: Place, branch: BranchRow): Branch {
  return {
    name: branch.name,
    base_branch: branch.base === undefined ? null : branchById(place, branch.base).name,
    base_seq: branch.base === undefined ? null : branch.baseSeq,
    created_at_ms: branch.createdAtMs,
  };
}

export function checkout(place: Place, { ref }: StepInput<"checkout">): StepOutcome<"checkout"> {
  const previous = branchOrCheckout(place, undefined).name;
  const next = requireBranch(place, ref);
  setCheckout(place, next.bid);
  return { previous, current: next.name };
}

export function renameBranch(
  place: Place,
  { old, new: name }: StepInput<"rename_branch">,
): StepOutcome<"rename_branch"> {
  for (const word of [old, name]) if (isReservedBranch(word)) throw reservedBranch(word, place.workspace);
  const branch = requireBranch(place, old);
  if (old !== name && findBranch(place, name)) throw branchTaken(name, place.workspace);
  place.connection.sql("UPDATE memory_branches SET name = ? WHERE bid = ?").run(name, branch.bid);
  return { previous: old, current: name };
}

/** Its documents, graphs, refs, tags and the conflicts in its way go with it; what was merged elsewhere stays there. */
export function deleteBranch(
  place: Place,
  { name }: StepInput<"delete_branch">,
  at: Date,
): StepOutcome<"delete_branch"> {
  const { workspace } = place;
  const { sql } = place.connection;
  if (isReservedBranch(name)) throw reservedBranch(name, workspace);
  const branch = requireBranch(place, name);
  const { bid } = branch;
  if (branchOrCheckout(place, undefined).bid === bid) throw checkedOut(place, name);
  const child = sql(
    "SELECT name FROM memory_branches WHERE base = ? AND deleted_at_ms IS NULL ORDER BY bid LIMIT 1",
  ).get(bid);
  if (child) throw hasChildren(name, String(child["name"]), workspace);
  sql("DELETE FROM memory_tags WHERE wid = ? AND seq IN (SELECT seq FROM memory_entries WHERE bid = ?)").run(
    place.wid,
    bid,
  );
  sql("DELETE FROM memory_commits WHERE seq IN (SELECT seq FROM memory_entries WHERE bid = ?)").run(bid);
  for (const table of [
    "memory_ref_moves",
    "memory_entries",
    "graph_versions",
    "graph_facets",
    "memory_streams",
  ])
    sql(`DELETE FROM ${table} WHERE bid = ?`).run(bid);
  sql("DELETE FROM graph_conflicts WHERE into_bid = ?").run(bid);
  sql(`UPDATE memory_workspaces SET last_entry =
       (SELECT max(e.seq) FROM memory_entries e JOIN memory_docs d ON d.doc = e.doc WHERE d.wid = ?1)
       WHERE wid = ?1 AND last_entry NOT IN (SELECT seq FROM memory_entries)`).run(place.wid);
  sql("UPDATE memory_branches SET deleted_at_ms = ? WHERE bid = ?").run(at.getTime(), bid);
  hideUnseen(place, branch);
  return { deleted: true };
}

function checkedOut(place: Place, name: string): ThoughtboxError {
  const other = place.connection
    .sql(
      "SELECT name FROM memory_branches WHERE wid = ? AND name <> ? AND deleted_at_ms IS NULL ORDER BY bid LIMIT 1",
    )
    .get(place.wid, name);
  const { workspace } = place;
  return new ThoughtboxError("CONFLICT", `${quote(name)} is checked out and cannot be deleted.`, {
    recovery: other
      ? {
          hint: "Check out another branch first.",
          operation: "checkout",
          args: { workspace, ref: String(other["name"]) },
        }
      : { hint: "It is the only branch there is.", operation: "branch_list", args: { workspace } },
  });
}

function hasChildren(name: string, child: string, workspace: string): ThoughtboxError {
  return new ThoughtboxError(
    "CONFLICT",
    `${quote(name)} is the base of ${quote(child)} and cannot be deleted before it.`,
    {
      details: { child },
      recovery: {
        hint: "Merge and delete the branches made from it first; these are all branches.",
        operation: "branch_list",
        args: { workspace },
      },
    },
  );
}

export function listBranches(place: Place, after: string, limit: number): Branch[] {
  return place.connection
    .sql(`SELECT bid, uid, name, base, base_seq, depth, created_at_ms FROM memory_branches
          WHERE wid = ? AND name > ? AND deleted_at_ms IS NULL ORDER BY name LIMIT ?`)
    .all(place.wid, after, limit)
    .map((row) => showBranch(place, decodeBranch(row)));
}
