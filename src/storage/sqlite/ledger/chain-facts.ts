import {
  type BranchFacts,
  type ChainFacts,
  type FactsNeeded,
  placeKey,
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

/** UNION, not UNION ALL: imported files may claim branches that fork from each other in a circle. */
const byName = `SELECT branch_id, from_branch, from_number, highest FROM branches
  WHERE sid = ?1 AND branch_id IN (SELECT value FROM json_each(?2))`;
const byNameAndAncestors = `WITH RECURSIVE line AS (
    ${byName}
    UNION SELECT b.branch_id, b.from_branch, b.from_number, b.highest
      FROM line JOIN branches b ON b.sid = ?1 AND b.branch_id = line.from_branch)
  SELECT branch_id, from_branch, from_number, highest FROM line`;

function loadBranches(
  { sql }: Connection,
  sid: number,
  named: readonly string[],
  withAncestors: boolean,
): Map<string, BranchFacts> {
  const rows = sql(withAncestors ? byNameAndAncestors : byName).all(sid, JSON.stringify(named));
  return new Map(
    rows.map((row) => [
      String(row["branch_id"]),
      { fork: decodeAddress(row["from_branch"], row["from_number"]), highest: Number(row["highest"]) },
    ]),
  );
}

function loadThere(
  { sql }: Connection,
  sid: number,
  chains: readonly (string | undefined)[],
  numbers: readonly number[],
): Set<string> {
  const rows = sql(`SELECT t.branch_id, t.number FROM json_each(?2) chain CROSS JOIN json_each(?3) number
      CROSS JOIN thoughts t ON t.sid = ?1 AND t.branch_id = chain.value AND t.number = number.value`).all(
    sid,
    JSON.stringify(chains.map(toColumn)),
    JSON.stringify(numbers),
  );
  const addresses = rows.flatMap((row) => decodeAddress(row["branch_id"], row["number"]) ?? []);
  return new Set(addresses.map(placeKey));
}

/** In the order they were opened. */
export const loadBranchIds = ({ sql }: Connection, sid: number): string[] =>
  sql("SELECT branch_id FROM branches WHERE sid = ? ORDER BY opened_seq")
    .all(sid)
    .map((row) => String(row["branch_id"]));
