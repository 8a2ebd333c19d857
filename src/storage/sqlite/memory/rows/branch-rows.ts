import { endOfTime, type Lineage, type Link, lineageOf } from "../../../../domain/memory/lineage.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type { Row } from "../../connection/driver.ts";
import type { Connection } from "../../connection/open-database.ts";

export const branchColumns = `b.bid, b.uid, b.name, b.base, b.base_seq, b.depth, b.created_at_ms, b.deleted_at_ms`;

export function decodeBranch(row: Row): BranchRow {
  return {
    bid: Number(row["bid"]),
    uid: String(row["uid"]),
    name: String(row["name"]),
    base: typeof row["base"] === "number" ? row["base"] : undefined,
    baseSeq: Number(row["base_seq"]),
    depth: Number(row["depth"]),
    createdAtMs: Number(row["created_at_ms"]),
    deletedAtMs: typeof row["deleted_at_ms"] === "number" ? row["deleted_at_ms"] : undefined,
  };
}

/** The branch and its bases, with what of each it shows. */
export function readLineage({ sql }: Connection, bid: number): Lineage {
  const rows = sql(`WITH RECURSIVE chain (bid, base, base_seq, step) AS (
      SELECT bid, base, base_seq, 0 FROM memory_branches WHERE bid = ?1
      UNION ALL
      SELECT b.bid, b.base, b.base_seq, step + 1 FROM chain JOIN memory_branches b ON b.bid = chain.base
    ) SELECT bid, base, base_seq, (SELECT first_seq FROM graph_merges WHERE into_bid = ?1 AND published = 0) AS staged
      FROM chain ORDER BY step`).all(bid);
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
