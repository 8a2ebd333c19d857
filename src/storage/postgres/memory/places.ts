import { unknownBranch } from "../../../domain/memory/failures.ts";
import { defaultBranch } from "../../../domain/memory/limits.ts";
import { endOfTime, type Lineage, type Link, lineageOf } from "../../../domain/memory/lineage.ts";
import type { Branch } from "../../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../../domain/memory/steps/rows.ts";
import type { BranchPage } from "../../../ports/memory/memory-store.ts";
import { branchColumns, decodeBranch } from "../../rows/memory-rows.ts";
import type { Row } from "../../rows/row.ts";
import { type Connection, rememberIn, type WriteConnection } from "../connection/access.ts";

/** A workspace while one read or write goes on; names are turned into numbers here and nowhere else. */
export type Place<Tx extends Connection = Connection> = { connection: Tx; wid: number; workspace: string };
export type WritablePlace = Place<WriteConnection>;

export async function findWorkspace<Tx extends Connection>(
  connection: Tx,
  workspace: string,
): Promise<Place<Tx> | undefined> {
  const row = await rememberIn(connection, `workspace ${workspace}`, () =>
    connection.sql("SELECT wid FROM {memory_workspaces} w WHERE name = ?").get(workspace),
  );
  return row && { connection, wid: Number(row["wid"]), workspace };
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
export async function requireBranchIn(connection: Connection, workspace: string, name: string) {
  const place = (await findWorkspace(connection, workspace)) ?? { connection, wid: nowhere, workspace };
  return { place, branch: await requireBranch(place, name) };
}

const lineages = `WITH RECURSIVE chain (root, bid, base, base_seq, step) AS (
    SELECT b.bid, b.bid, b.base, b.base_seq, 0 FROM {memory_branches} b WHERE b.bid = ANY (?::bigint[])
    UNION ALL
    SELECT root, b.bid, b.base, b.base_seq, step + 1 FROM chain JOIN {memory_branches} b ON b.bid = chain.base
  ) SELECT root, bid, base, base_seq, step,
      (SELECT first_seq FROM {graph_merges} m WHERE m.into_bid = root AND m.published = 0 LIMIT 1) AS staged
    FROM chain ORDER BY root, step`;

/** Of each branch itself and its bases, with what of each it shows. */
export async function readLineages({ sql }: Connection, bids: readonly number[]): Promise<Lineage[]> {
  const rows = await sql(lineages).all([...new Set(bids)]);
  return bids.map((bid) => toLineage(rows.filter((row) => row["root"] === bid)));
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

export const loadLineage = async ({ connection }: Place, bid: number): Promise<Lineage> =>
  (await rememberIn(connection, `lineage ${bid}`, () => readLineages(connection, [bid])))[0] ?? [];

export async function findBranch({ connection, wid }: Place, name: string): Promise<BranchRow | undefined> {
  const row = await rememberIn(connection, `branch ${wid} ${name}`, () =>
    connection
      .sql(
        `SELECT ${branchColumns} FROM {memory_branches} b WHERE wid = ? AND name = ? AND deleted_at_ms IS NULL`,
      )
      .get(wid, name),
  );
  return row && decodeBranch(row);
}

export async function requireBranch(place: Place, name: string): Promise<BranchRow> {
  const branch = place.wid === nowhere && name === defaultBranch ? emptyMain : await findBranch(place, name);
  if (!branch) throw unknownBranch(name, place.workspace);
  return branch;
}

export async function branchById({ connection }: Place, bid: number): Promise<BranchRow> {
  const row = await connection.sql(`SELECT ${branchColumns} FROM {memory_branches} b WHERE bid = ?`).get(bid);
  if (!row) throw new Error(`the branch ${bid} is gone`);
  return decodeBranch(row);
}

/** `undefined` where no branch of the workspace has such a document. */
export async function findDoc({ connection, wid }: Place, name: string): Promise<number | undefined> {
  const row = await rememberIn(connection, `doc ${wid} ${name}`, () =>
    connection.sql("SELECT doc FROM {memory_docs} d WHERE wid = ? AND name = ?").get(wid, name),
  );
  return row && Number(row["doc"]);
}

export async function docName({ connection }: Place, doc: number): Promise<string> {
  return String((await connection.sql("SELECT name FROM {memory_docs} d WHERE doc = ?").get(doc))?.["name"]);
}

export async function showBranch(place: Place, branch: BranchRow): Promise<Branch> {
  return {
    name: branch.name,
    base_branch: branch.base === undefined ? null : (await branchById(place, branch.base)).name,
    base_seq: branch.base === undefined ? null : branch.baseSeq,
    created_at_ms: branch.createdAtMs,
    ...(branch.deletedAtMs !== undefined && { deleted_at_ms: branch.deletedAtMs }),
  };
}

/** The one that was deleted last. */
export async function findDeletedBranch(
  { connection, wid }: Pick<Place, "connection" | "wid">,
  name: string,
): Promise<BranchRow | undefined> {
  const row = await connection
    .sql(`SELECT ${branchColumns} FROM {memory_branches} b WHERE wid = ? AND name = ? AND deleted_at_ms IS NOT NULL
      AND erased = 0 ORDER BY deleted_at_ms DESC LIMIT 1`)
    .get(wid, name);
  return row && decodeBranch(row);
}

export async function listBranches(
  place: Place,
  { after, limit, deleted = false }: BranchPage,
): Promise<Branch[]> {
  const rows = await place.connection
    .sql(`SELECT ${branchColumns} FROM {memory_branches} b WHERE wid = ? AND name > ?
      AND deleted_at_ms IS ${deleted ? "NOT NULL" : "NULL"} AND erased = 0 ORDER BY name LIMIT ?`)
    .all(place.wid, after, limit);
  return Promise.all(rows.map((row) => showBranch(place, decodeBranch(row))));
}
