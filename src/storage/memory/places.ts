import { unknownBranch } from "../../domain/memory/failures.ts";
import { defaultBranch } from "../../domain/memory/limits.ts";
import { endOfTime, type Lineage, type Link, lineageOf } from "../../domain/memory/lineage.ts";
import type { BranchRow } from "../../domain/memory/steps/rows.ts";
import { branchColumns, decodeBranch } from "../rows/memory-rows.ts";
import type { Row } from "../rows/row.ts";
import { all, get, just, once, type Query } from "./query.ts";

/** A workspace in the store. Only this file turns names into numbers. */
export type Place = { wid: number; workspace: string };

export const findWorkspace = (workspace: string): Query<Place | undefined> =>
  once(`workspace ${workspace}`, function* () {
    const row = yield* get("SELECT w.wid FROM {memory_workspaces} w WHERE w.name = ?", workspace);
    return row && { wid: Number(row["wid"]), workspace };
  });

/** A row number that no row has. */
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

/** Finds a branch that a read specifies. A workspace that was never written to has an empty `main` branch. */
export function* requireBranchIn(workspace: string, name: string) {
  const place = (yield* findWorkspace(workspace)) ?? { wid: nowhere, workspace };
  return { place, branch: yield* requireBranch(place, name) };
}

/** SQL: a branch and its bases, as rows of `chain`. */
const chainFrom = (isRoot: string): string => `WITH RECURSIVE chain (root, bid, base, base_seq, step) AS (
    SELECT b.bid, b.bid, b.base, b.base_seq, 0 FROM {memory_branches} b WHERE ${isRoot}
    UNION ALL
    SELECT root, b.bid, b.base, b.base_seq, step + 1 FROM chain JOIN {memory_branches} b ON b.bid = chain.base)`;
const stagedAt =
  "(SELECT m.first_seq FROM {graph_merges} m WHERE m.into_bid = root AND m.published = 0 LIMIT 1) AS staged";
const lineagesOf = (isRoot: string): string =>
  `${chainFrom(isRoot)} SELECT root, bid, base, base_seq, step, ${stagedAt} FROM chain ORDER BY root, step`;
const lineageOfOne = lineagesOf("b.bid = ?");
const lineagesOfMany = lineagesOf("b.bid IN NUMBERS(?)");

/** For each branch, returns the branch and its bases, with the part of each that is visible on the branch. */
export function* readLineages(bids: readonly number[]): Query<Lineage[]> {
  const [first] = bids;
  if (bids.length === 1 && first !== undefined) return [toLineage(yield* all(lineageOfOne, first))];
  const rows = yield* all(lineagesOfMany, bids);
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
  // A merge stages its versions ahead of the counter. The versions are invisible until they are published.
  const staged = rows[0]?.["staged"];
  return lineageOf(links, typeof staged === "number" ? staged - 1 : endOfTime);
}

const lineageName = (bid: number): string => `lineage ${bid}`;

export const loadLineage = (bid: number): Query<Lineage> =>
  once(lineageName(bid), function* () {
    return (yield* readLineages([bid]))[0] ?? [];
  });

const branchWithBases = `${chainFrom("b.wid = ? AND b.name = ? AND b.deleted_at_ms IS NULL")}
  SELECT ${branchColumns}, ${stagedAt} FROM chain CROSS JOIN {memory_branches} b ON b.bid = chain.bid
  ORDER BY step`;

/** Finds a branch. Also reads its lineage, because nearly every read asks for it next. */
export const findBranch = ({ wid }: Pick<Place, "wid">, name: string): Query<BranchRow | undefined> =>
  once(`branch ${wid} ${name}`, function* () {
    const rows = yield* all(branchWithBases, wid, name);
    const [row] = rows;
    if (!row) return undefined;
    const branch = decodeBranch(row);
    yield* once(lineageName(branch.bid), () => just(toLineage(rows)));
    return branch;
  });

export function* requireBranch(place: Place, name: string): Query<BranchRow> {
  const branch = place.wid === nowhere && name === defaultBranch ? emptyMain : yield* findBranch(place, name);
  if (!branch) throw unknownBranch(name, place.workspace);
  return branch;
}

export function* branchById(bid: number): Query<BranchRow> {
  const row = yield* get(`SELECT ${branchColumns} FROM {memory_branches} b WHERE b.bid = ?`, bid);
  if (!row) throw new Error(`the branch ${bid} is gone`);
  return decodeBranch(row);
}

/** Finds the most recently deleted branch with this name. */
export function* findDeletedBranch({ wid }: Pick<Place, "wid">, name: string): Query<BranchRow | undefined> {
  const row = yield* get(
    `SELECT ${branchColumns} FROM {memory_branches} b WHERE b.wid = ? AND b.name = ? AND b.deleted_at_ms IS NOT NULL
     AND b.erased = 0 ORDER BY b.deleted_at_ms DESC LIMIT 1`,
    ...[wid, name],
  );
  return row && decodeBranch(row);
}

/** Returns the document's number, or `undefined` if no branch in the workspace has this document. */
export const findDoc = ({ wid }: Pick<Place, "wid">, name: string): Query<number | undefined> =>
  once(`doc ${wid} ${name}`, function* () {
    const row = yield* get("SELECT d.doc FROM {memory_docs} d WHERE d.wid = ? AND d.name = ?", wid, name);
    return row && Number(row["doc"]);
  });

export function* docName(doc: number): Query<string> {
  return String((yield* get("SELECT d.name FROM {memory_docs} d WHERE d.doc = ?", doc))?.["name"]);
}
