import {
  checkCreation,
  checkDeletion,
  checkRestoration,
  type NameFacts,
  refuseReserved,
  requireFreeName,
} from "../../../domain/memory/branch-rules.ts";
import { defaultBranch } from "../../../domain/memory/limits.ts";
import type { Branch } from "../../../domain/memory/steps/outcomes.ts";
import type { StepInput, StepOutcome } from "../../../domain/memory/steps/step.ts";
import type { BranchPage } from "../../../ports/memory/workspaces.ts";
import type { Connection } from "../connection/open-database.ts";
import { currentSeq, nextSeq } from "../connection/sequence.ts";
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
import { readTag } from "./refs/refs.ts";
import { countUnmerged } from "./unmerged.ts";

/** Call inside a write. The workspace, made with its branch `main` where it is new. */
export function openWorkspace(
  connection: Connection,
  workspace: string,
  { at, projectGuard }: { at: Date; projectGuard?: string | undefined },
): { place: Place; isNew: boolean } {
  const found = findWorkspace(connection, workspace);
  if (found) {
    if (projectGuard !== undefined)
      connection
        .sql("UPDATE memory_workspaces SET project_guard = ? WHERE wid = ? AND project_guard IS NULL")
        .run(projectGuard, found.wid);
    return { place: found, isNew: false };
  }
  connection
    .sql("INSERT INTO memory_workspaces (name, project_guard, created_at_ms) VALUES (?, ?, ?)")
    .run(workspace, projectGuard ?? null, at.getTime());
  const place = findWorkspace(connection, workspace);
  if (!place) throw new Error(`the workspace ${workspace} was not created`);
  setCheckout(place, insertBranch(place, defaultBranch, undefined, at).bid);
  return { place, isNew: true };
}

export function insertBranch(place: Place, name: string, base: BranchRow | undefined, at: Date): BranchRow {
  const baseSeq = base ? currentSeq(place.connection) : 0;
  // A number of its own, so that a branch made anew under an old name is another branch.
  const uid = `${name}@${nextSeq(place.connection)}`;
  const row = place.connection
    .sql(`INSERT INTO memory_branches (wid, uid, name, base, base_seq, depth, created_at_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`)
    .get(place.wid, uid, name, base?.bid ?? null, baseSeq, base ? base.depth + 1 : 0, at.getTime());
  if (!row) throw new Error(`the branch ${name} was not created`);
  return decodeBranch(row);
}

function setCheckout({ connection, wid }: Place, bid: number): void {
  connection.sql("UPDATE memory_workspaces SET checkout = ? WHERE wid = ?").run(bid, wid);
}

const namesFor = (place: Place, name: string): NameFacts => ({
  workspace: place.workspace,
  name,
  isBranch: findBranch(place, name) !== undefined,
  isTag: readTag(place, name) !== undefined,
});

/** Call inside a write. */
export function createBranch(
  place: Place,
  { name, from, ifMissing }: StepInput<"create_branch">,
  at: Date,
): StepOutcome<"create_branch"> {
  const existing = ifMissing && findBranch(place, name);
  if (existing) return { ...showBranch(place, existing), created: false };
  const base = branchOrCheckout(place, from);
  checkCreation(namesFor(place, name), base);
  return { ...showBranch(place, insertBranch(place, name, base, at)), created: true };
}

export function showBranch(place: Place, branch: BranchRow): Branch {
  return {
    name: branch.name,
    base_branch: branch.base === undefined ? null : branchById(place, branch.base).name,
    base_seq: branch.base === undefined ? null : branch.baseSeq,
    created_at_ms: branch.createdAtMs,
    ...(branch.deletedAtMs !== undefined && { deleted_at_ms: branch.deletedAtMs }),
  };
}

export function checkout(place: Place, { ref }: StepInput<"checkout">): StepOutcome<"checkout"> {
  const previous = branchOrCheckout(place, undefined).name;
  const next = requireBranch(place, ref);
  setCheckout(place, next.bid);
  return { previous, current: next.name };
}

/** Call inside a write. */
export function renameBranch(
  place: Place,
  { old, new: name }: StepInput<"rename_branch">,
): StepOutcome<"rename_branch"> {
  for (const word of [old, name]) refuseReserved(place.workspace, word);
  const branch = requireBranch(place, old);
  if (old !== name) requireFreeName(namesFor(place, name));
  place.connection.sql("UPDATE memory_branches SET name = ? WHERE bid = ?").run(name, branch.bid);
  return { previous: old, current: name };
}

/**
 * Call inside a write. Nothing is erased: what only this branch shows is hidden with it until it is restored, and what
 * was merged elsewhere stays there.
 */
export function deleteBranch(
  place: Place,
  { name }: StepInput<"delete_branch">,
  at: Date,
): StepOutcome<"delete_branch"> {
  const { sql } = place.connection;
  refuseReserved(place.workspace, name);
  const branch = requireBranch(place, name);
  const child = sql(
    "SELECT name FROM memory_branches WHERE base = ? AND deleted_at_ms IS NULL ORDER BY bid LIMIT 1",
  ).get(branch.bid);
  const other = sql(
    "SELECT name FROM memory_branches WHERE wid = ? AND bid <> ? AND deleted_at_ms IS NULL ORDER BY bid LIMIT 1",
  ).get(place.wid, branch.bid);
  checkDeletion({
    workspace: place.workspace,
    name,
    isCheckedOut: branchOrCheckout(place, undefined).bid === branch.bid,
    other: other && String(other["name"]),
    child: child && String(child["name"]),
  });
  const unmerged = countUnmerged(place, branch, at);
  // Restoring takes the one deleted last: two of a name within a millisecond, or a clock set back, must not blur that.
  sql(
    `UPDATE memory_branches SET deleted_at_ms = max(?1, coalesce(1 + (SELECT max(d.deleted_at_ms) FROM memory_branches d
       WHERE d.wid = ?2 AND d.name = ?3), 0)) WHERE bid = ?4`,
  ).run(at.getTime(), place.wid, name, branch.bid);
  return { deleted: true, ...unmerged };
}

/** The one that was deleted last. */
export function findDeletedBranch({ connection, wid }: Place, name: string): BranchRow | undefined {
  const row = connection
    .sql(
      `SELECT * FROM memory_branches WHERE wid = ? AND name = ? AND deleted_at_ms IS NOT NULL AND erased = 0
       ORDER BY deleted_at_ms DESC LIMIT 1`,
    )
    .get(wid, name);
  return row && decodeBranch(row);
}

/** Call inside a write: the branch of that name that was deleted last. */
export function restoreBranch(
  place: Place,
  { name, as = name }: StepInput<"restore_branch">,
): StepOutcome<"restore_branch"> {
  const { sql } = place.connection;
  const branch = findDeletedBranch(place, name);
  const base = branch?.base === undefined ? undefined : branchById(place, branch.base);
  checkRestoration({
    as: namesFor(place, as),
    asked: name,
    deleted: branch && {
      name,
      base: base && { name: base.name, isDeleted: base.deletedAtMs !== undefined },
    },
  });
  if (!branch) throw new Error(`the branch ${name} is gone`);
  sql("UPDATE memory_branches SET name = ?, deleted_at_ms = NULL WHERE bid = ?").run(as, branch.bid);
  return showBranch(place, branchById(place, branch.bid));
}

export function listBranches(place: Place, { after, limit, deleted = false }: BranchPage): Branch[] {
  return place.connection
    .sql(`SELECT * FROM memory_branches
          WHERE wid = ? AND name > ? AND (deleted_at_ms IS NOT NULL) = ? AND erased = 0 ORDER BY name LIMIT ?`)
    .all(place.wid, after, deleted ? 1 : 0, limit)
    .map((row) => showBranch(place, decodeBranch(row)));
}
