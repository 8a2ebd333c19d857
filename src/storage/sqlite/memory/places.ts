import { unknownBranch } from "../../../domain/memory/failures.ts";
import { defaultBranch } from "../../../domain/memory/limits.ts";
import { endOfTime, type Lineage, type Link, lineageOf } from "../../../domain/memory/lineage.ts";
import type { BranchRow } from "../../../domain/memory/steps/rows.ts";
import { branchColumns, decodeBranch } from "../../rows/memory-rows.ts";
import { onceAMoment } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";

/** A workspace while one read or write goes on; names are turned into numbers here and nowhere else. */
export type Place = { connection: Connection; wid: number; workspace: string };

export function findWorkspace(connection: Connection, workspace: string): Place | undefined {
  return onceAMoment(connection, `workspace ${workspace}`, () => {
    const row = connection.sql("SELECT wid FROM memory_workspaces WHERE name = ?").get(workspace);
    return row && { connection, wid: Number(row["wid"]), workspace };
  });
}

/** No row has this number. */
const nowhere = 0;
const emptyMain: BranchRow = {
  bid: nowhere,
  uid: "",
  name: defaultBranch,
  base: undefined,
  baseSeq: 0,
  depth: 0,
  createdAtMs: 0,
  deletedAtMs: undefined,
};

/** For reads that name a branch. A workspace that was never written to has an empty `main`. */
export function requireBranchIn(connection: Connection, workspace: string, name: string) {
  const place = findWorkspace(connection, workspace) ?? { connection, wid: nowhere, workspace };
  return { place, branch: requireBranch(place, name) };
}

const lineagesOf = (isRoot: string): string => `WITH RECURSIVE chain (root, bid, base, base_seq, step) AS (
    SELECT bid, bid, base, base_seq, 0 FROM memory_branches WHERE bid ${isRoot}
    UNION ALL
    SELECT root, b.bid, b.base, b.base_seq, step + 1 FROM chain JOIN memory_branches b ON b.bid = chain.base
  ) SELECT root, bid, base, base_seq, step,
      (SELECT first_seq FROM graph_merges WHERE into_bid = root AND published = 0) AS staged
    FROM chain ORDER BY root, step`;
const lineageOfOne = lineagesOf("= ?");
const lineagesOfMany = lineagesOf("IN (SELECT value FROM json_each(?))");

/** Of each branch itself and its bases, with what of each it shows. */
export function readLineages({ sql }: Connection, bids: readonly number[]): Lineage[] {
  const [first] = bids;
  const rows =
    bids.length === 1 && first !== undefined
      ? sql(lineageOfOne).all(first)
      : sql(lineagesOfMany).all(JSON.stringify(bids));
  return bids.map((bid) => toLineage(bids.length === 1 ? rows : rows.filter((row) => row["root"] === bid)));
}

function toLineage(rows: readonly Row[]): Lineage {
  const links = rows.map(
    (row): Link => ({
      branch: Number(row["bid"]),
      base: typeof row["base"] === "number" ? row["base"] : undefined,
      baseSeq: Number(row["base_seq"]),
    }),
  );
  // What a merge has staged on the branch is ahead of the counter, and nobody sees it before it is published.
  const staged = rows[0]?.["staged"];
  return lineageOf(links, typeof staged === "number" ? staged - 1 : endOfTime);
}

export function findBranch({ connection, wid }: Place, name: string): BranchRow | undefined {
  return onceAMoment(connection, `branch ${wid} ${name}`, () => {
    const row = connection.sql(branchByName).get(wid, name);
    return row && decodeBranch(row);
  });
}

const branchByName = `SELECT ${branchColumns} FROM memory_branches b WHERE wid = ? AND name = ? AND deleted_at_ms IS NULL`;

export function requireBranch(place: Place, name: string): BranchRow {
  const branch = place.wid === nowhere && name === defaultBranch ? emptyMain : findBranch(place, name);
  if (!branch) throw unknownBranch(name, place.workspace);
  return branch;
}

export function branchById({ connection }: Place, bid: number): BranchRow {
  const row = connection.sql(`SELECT ${branchColumns} FROM memory_branches b WHERE bid = ?`).get(bid);
  if (!row) throw new Error(`the branch ${bid} is gone`);
  return decodeBranch(row);
}

export const loadLineage = ({ connection }: Place, bid: number): Lineage =>
  onceAMoment(connection, `lineage ${bid}`, () => readLineages(connection, [bid])[0] ?? []);

/** `undefined` where no branch of the workspace has such a document. */
export function findDoc({ connection, wid }: Place, name: string): number | undefined {
  return onceAMoment(connection, `doc ${wid} ${name}`, () => {
    const row = connection.sql("SELECT doc FROM memory_docs WHERE wid = ? AND name = ?").get(wid, name);
    return row && Number(row["doc"]);
  });
}

export function docName({ connection }: Place, doc: number): string {
  return String(connection.sql("SELECT name FROM memory_docs WHERE doc = ?").get(doc)?.["name"]);
}
