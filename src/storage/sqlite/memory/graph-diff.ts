import type { GraphVersion } from "../../../domain/memory/graph.ts";
import { beyond, endOfTime } from "../../../domain/memory/lineage.ts";
import { decodeVersion, type Stored } from "./graph-rows.ts";
import {
  currentAmong,
  currentOf,
  type GraphView,
  lineageOf,
  lineageTable,
  segmentsOf,
  segmentTable,
} from "./graph-view.ts";

type DiffPage = { changes: GraphVersion[]; hasMore: boolean };

const mostAtOnce = 1_024;

/**
 * States that `to` shows and that differ from what `from` shows, newest first. What only `to` has seen is newer than
 * everything both have seen, so it comes first; then what `from` alone has changed, as `to` still holds it.
 */
export function diffViews(from: GraphView, to: GraphView, before = endOfTime, limit: number): DiffPage {
  const changes: GraphVersion[] = [];
  for (const { version } of differences(from, to, before, limit)) {
    changes.push(version);
    if (changes.length > limit) break;
  }
  return { changes: changes.slice(0, limit), hasMore: changes.length > limit };
}

function* differences(from: GraphView, to: GraphView, before: number, limit: number): Generator<Stored> {
  yield* newToBoth(from, to, before, limit);
  yield* leftBehind(from, to, before, limit);
}

/** What `to` alone has seen and `from` does not show as well. */
function* newToBoth(from: GraphView, to: GraphView, before: number, limit: number): Generator<Stored> {
  const { sql } = to.place.connection;
  for (const { branch, after, upTo } of beyond(to.lineage, from.lineage)) {
    let end = Math.min(upTo, before - 1);
    for (let count = limit + 1; ; count = Math.min(count * 4, mostAtOnce)) {
      const seqs = sql(
        `SELECT seq FROM graph_versions WHERE doc = ? AND bid = ? AND visible = 1 AND seq > ? AND seq <= ?
         ORDER BY seq DESC LIMIT ?`,
      )
        .all(to.doc ?? 0, branch, after, end, count)
        .map((row) => Number(row["seq"]));
      const last = seqs.at(-1);
      if (last === undefined) break;
      yield* currentAmong(to, differing(from, seqs));
      end = last - 1;
    }
  }
}

/** Nothing on one side and something deleted on the other show the same: nothing. */
function differing(other: GraphView, seqs: readonly number[]): number[] {
  return other.place.connection
    .sql(
      `WITH ${lineageTable("lineage")} SELECT v.seq FROM json_each(?) c JOIN graph_versions v ON v.seq = c.value
       WHERE v.fingerprint <> coalesce(${currentOf("fingerprint", "v", "lineage")}, 'deleted')`,
    )
    .all(lineageOf(other), JSON.stringify(seqs))
    .map((row) => Number(row["seq"]));
}

/** What `to` still holds of the keys that only `from` has changed since they parted. */
function leftBehind(from: GraphView, to: GraphView, before: number, limit: number): Stored[] {
  return to.place.connection
    .sql(
      `WITH ${lineageTable("ours")}, ${lineageTable("theirs")}, ${segmentTable("only_ours")}, ${segmentTable("only_theirs")}
       SELECT held.* FROM only_theirs s
         CROSS JOIN graph_versions changed ON changed.doc = ? AND changed.bid = s.bid AND changed.visible = 1
           AND changed.seq > s.after AND changed.seq <= s.up_to
         CROSS JOIN graph_versions held ON held.seq = ${currentOf("seq", "changed", "ours")}
       WHERE changed.seq = ${currentOf("seq", "changed", "theirs")}
         AND held.fingerprint <> changed.fingerprint AND held.seq < ?
         AND NOT EXISTS (SELECT 1 FROM only_ours o WHERE o.bid = held.bid AND held.seq > o.after AND held.seq <= o.up_to)
       ORDER BY held.seq DESC LIMIT ?`,
    )
    .all(
      lineageOf(to),
      lineageOf(from),
      segmentsOf(beyond(to.lineage, from.lineage)),
      segmentsOf(beyond(from.lineage, to.lineage)),
      to.doc ?? 0,
      before,
      limit + 1,
    )
    .map(decodeVersion);
}
