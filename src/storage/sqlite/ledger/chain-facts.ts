import {
  addressKey,
  type BranchFacts,
  type ChainFacts,
  type FactsNeeded,
} from "../../../domain/ledger/chain/chain-facts.ts";
import type { Connection } from "../connection/open-database.ts";
import { decodeAddress, toColumn } from "./rows.ts";

/** Two statements at most, whatever the draft names; a plain thought needs none. */
export function loadChainFacts(
  connection: Connection,
  sid: number,
  highest: number,
  { branches: named, withAncestors, numbers }: FactsNeeded,
): ChainFacts {
  const branches = named.length === 0 ? none : loadBranches(connection, sid, named, withAncestors);
  const chains = [undefined, ...new Set([...named, ...branches.keys()])];
  const there = numbers.length === 0 ? noKeys : loadThere(connection, sid, chains, numbers);
  return { highest, branches, there };
}

const none: ReadonlyMap<string, BranchFacts> = new Map();
const noKeys: ReadonlySet<string> = new Set();

const columns = "branch_id, from_branch, from_number, highest";

/** UNION, not UNION ALL: imported files may claim branches that fork from each other in a circle. */
const withForks = (named: string): string => `WITH RECURSIVE line AS (
    ${named}
    UNION SELECT b.branch_id, b.from_branch, b.from_number, b.highest
      FROM line JOIN branches b ON b.sid = ?1 AND b.branch_id = line.from_branch)
  SELECT ${columns} FROM line`;

function loadBranches(
  { sql }: Connection,
  sid: number,
  named: readonly string[],
  withAncestors: boolean,
): Map<string, BranchFacts> {
  const byName = `SELECT ${columns} FROM branches WHERE sid = ?1 AND branch_id IN (${marks(named, 2)})`;
  const rows = sql(withAncestors ? withForks(byName) : byName).all(sid, ...named);
  return new Map(
    rows.map((row) => [
      String(row["branch_id"]),
      { fork: decodeAddress(row["from_branch"], row["from_number"]), highest: Number(row["highest"]) },
    ]),
  );
}

/** More chains than these are handed over as one list, which takes longer for few. */
const maxMarks = 4;

function loadThere(
  { sql }: Connection,
  sid: number,
  chains: readonly (string | undefined)[],
  numbers: readonly number[],
): Set<string> {
  const names = chains.map(toColumn);
  const listed = names.length > maxMarks ? [JSON.stringify(names)] : names;
  const list = names.length > maxMarks ? "SELECT value FROM json_each(?2)" : marks(names, 2);
  const rows = sql(`SELECT branch_id, number FROM thoughts WHERE sid = ?1 AND branch_id IN (${list})
      AND number IN (${marks(numbers, 2 + listed.length)})`).all(sid, ...listed, ...numbers);
  const addresses = rows.flatMap((row) => decodeAddress(row["branch_id"], row["number"]) ?? []);
  return new Set(addresses.map(addressKey));
}

const marks = (values: readonly unknown[], first: number): string =>
  values.map((_, n) => `?${first + n}`).join(", ");

/** In the order they were opened. */
export const loadBranchIds = ({ sql }: Connection, sid: number): string[] =>
  sql("SELECT branch_id FROM branches WHERE sid = ? ORDER BY opened_seq")
    .all(sid)
    .map((row) => String(row["branch_id"]));
