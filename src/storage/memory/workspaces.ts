import type { Branch } from "../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../domain/memory/steps/rows.ts";
import {
  type Activity,
  anyone,
  type BranchPage,
  type Reader,
  type Workspace,
} from "../../ports/memory/memory-store.ts";
import {
  branchColumns,
  decodeBranch,
  decodeWorkspace,
  newestQuery,
  workspaceParameters,
  workspaceQuery,
} from "../rows/memory-rows.ts";
import type { Row } from "../rows/row.ts";
import { readEntry } from "./entries.ts";
import { branchById, type Place } from "./places.ts";
import { all, each, get, type Query, together } from "./query.ts";
import { readLastEvents } from "./tasks.ts";

export function* readWorkspace(name: string, reader: Reader): Query<Workspace | undefined> {
  if (reader === anyone) {
    const row = (yield { text: newestQuery, values: [name], want: "get" }) as Row | undefined;
    return decodeWorkspace(name, row ? [row] : [], reader);
  }
  const values = workspaceParameters(name, reader);
  return decodeWorkspace(name, (yield { text: workspaceQuery, values, want: "all" }) as Row[], reader);
}

/** The maximum number of writes to read, so that the cost does not grow with their number. */
const newestWrites = 1_000;

const newestWorkspaces = (which: string): string => `WITH written AS (
    SELECT b.wid, e.seq FROM (SELECT n.seq, n.bid FROM {memory_entries} n ORDER BY n.seq DESC LIMIT ${newestWrites}) e
      JOIN {memory_branches} b ON b.bid = e.bid
    UNION ALL SELECT c.wid, c.seq FROM (SELECT o.wid, o.seq FROM {workspace_changes} o
      ORDER BY o.seq DESC LIMIT ${newestWrites}) c)
  SELECT w.name, max(written.seq) AS last FROM {memory_workspaces} w LEFT JOIN written ON written.wid = w.wid
  ${which} GROUP BY w.wid, w.name ORDER BY last DESC NULLS LAST, w.wid DESC LIMIT ?`;

export function* listWorkspaces(limit: number, names: readonly string[] | undefined): Query<string[]> {
  const rows = names
    ? yield* all(newestWorkspaces("WHERE w.name IN TEXTS(?)"), names, limit)
    : yield* all(newestWorkspaces(""), limit);
  return rows.map((row) => String(row["name"]));
}

export function* showBranch(branch: BranchRow): Query<Branch> {
  const base = branch.base === undefined ? undefined : yield* branchById(branch.base);
  return {
    name: branch.name,
    base_branch: base ? base.name : null,
    base_seq: base ? branch.baseSeq : null,
    created_at_ms: branch.createdAtMs,
    ...(branch.deletedAtMs !== undefined && { deleted_at_ms: branch.deletedAtMs }),
  };
}

export function* listBranches(
  { wid }: Place,
  { after, limit, deleted = false }: BranchPage,
): Query<Branch[]> {
  const rows = yield* all(
    `SELECT ${branchColumns} FROM {memory_branches} b WHERE b.wid = ? AND b.name > ?
     AND b.deleted_at_ms IS ${deleted ? "NOT NULL" : "NULL"} AND b.erased = 0 ORDER BY b.name LIMIT ?`,
    ...[wid, after, limit],
  );
  return yield* each(rows, (row) => showBranch(decodeBranch(row)));
}

/** How many of the newest entries in all workspaces to search before querying the workspace's documents. */
const newestOfAll = 500;

/** Returns the newest entry in the workspace that is visible on any branch. */
function* findLastEntry(wid: number): Query<number | undefined> {
  const row =
    (yield* get(
      `SELECT e.seq FROM (SELECT n.seq, n.bid FROM {memory_entries} n ORDER BY n.seq DESC LIMIT ${newestOfAll}) e
       JOIN {memory_branches} b ON b.bid = e.bid WHERE b.wid = ? AND b.deleted_at_ms IS NULL
       ORDER BY e.seq DESC LIMIT 1`,
      wid,
    )) ??
    (yield* get(
      `SELECT max((SELECT max(e.seq) FROM {memory_entries} e WHERE e.doc = s.doc AND e.bid = s.bid)) AS seq
       FROM {memory_branches} b JOIN {memory_streams} s ON s.bid = b.bid AND s.form = 'log'
       WHERE b.wid = ? AND b.deleted_at_ms IS NULL`,
      wid,
    ));
  return typeof row?.["seq"] === "number" ? row["seq"] : undefined;
}

export function* readActivity(place: Place): Query<Activity> {
  const [seq, [lastTaskEvent]] = yield* together(
    findLastEntry(place.wid),
    readLastEvents(place, undefined, 1),
  );
  const last = seq === undefined ? undefined : yield* readEntry(place, seq);
  return {
    lastTaskEvent,
    lastEntry: last && {
      seq: last.seq,
      ts_ms: last.ts_ms,
      branch: last.branch,
      doc: last.doc,
      kind: last.kind,
    },
  };
}
