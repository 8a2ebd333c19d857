import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import { supersede } from "../graph/write-versions.ts";
import type { Place } from "../places.ts";
import { type Block, forgetBlock } from "./merge-block.ts";

/**
 * Call inside a write, each time with the number that it returned before, until it returns none. What the versions of a
 * published merge have replaced on their branch is marked, and leaves the indexes where no branch shows it. Nobody sees
 * a difference.
 */
export function tidySome(place: Place, block: Block, after: number): number | undefined {
  const { doc, into: bid, firstSeq, lastSeq } = block;
  const { sql } = place.connection;
  const seenUpTo = sql(
    "SELECT max(base_seq) AS at FROM memory_branches WHERE base = ? AND erased = 0 AND base_seq < ?",
  ).get(bid, firstSeq)?.["at"];
  const rows = sql(
    `SELECT v.seq, (SELECT o.seq FROM graph_versions o INDEXED BY graph_by_key WHERE o.doc = v.doc AND o.key = v.key
       AND o.seq < v.seq AND o.visible = 1 AND o.bid = v.bid AND o.superseded IS NULL) AS replaced
     FROM graph_versions v WHERE v.seq > ? AND v.seq BETWEEN ? AND ? AND v.bid = ? ORDER BY v.seq LIMIT ?`,
  ).all(after, firstSeq, lastSeq, bid, mergeLimits.slice);
  supersede(
    { place, doc, bid },
    rows.flatMap((row) => {
      const replaced = row["replaced"];
      if (typeof replaced !== "number") return [];
      return [{ seq: replaced, by: Number(row["seq"]), hidden: replaced > Number(seenUpTo ?? 0) }];
    }),
  );
  const last = rows.at(-1)?.["seq"];
  if (rows.length === mergeLimits.slice && typeof last === "number") return last;
  forgetBlock(place.connection, block);
  return undefined;
}
