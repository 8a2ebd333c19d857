import type { GraphVersion } from "../../../domain/memory/graph.ts";
import { beyond, endOfTime, type Lineage } from "../../../domain/memory/lineage.ts";
import { decodeVersion, type Stored } from "./graph-rows.ts";
import { currentVersion, type GraphView, isCurrent } from "./graph-view.ts";

type DiffPage = { changes: GraphVersion[]; hasMore: boolean };

/**
 * States that `to` shows and that differ from what `from` shows, newest first. What only `to` has seen is newer than
 * everything both have seen, so it comes first; then what `from` alone has changed, as `to` still holds it.
 */
export function diffViews(from: GraphView, to: GraphView, before = endOfTime, limit: number): DiffPage {
  const changes: GraphVersion[] = [];
  for (const { version } of differences(from, to, before)) {
    changes.push(version);
    if (changes.length > limit) break;
  }
  return { changes: changes.slice(0, limit), hasMore: changes.length > limit };
}

function* differences(from: GraphView, to: GraphView, before: number): Generator<Stored> {
  for (const stored of currentBeyond(to, from.lineage, before)) if (differs(from, stored)) yield stored;
  yield* [...leftBehind(from, to)]
    .filter(({ version }) => version.last_seq < before)
    .sort((one, other) => other.version.last_seq - one.version.last_seq);
}

/** Nothing on one side and something deleted on the other show the same: nothing. */
function differs(other: GraphView, { key, fingerprint, version }: Stored): boolean {
  const theirs = currentVersion(other, key);
  return theirs ? theirs.fingerprint !== fingerprint : !version.deleted;
}

/** Current versions of a view that another lineage has not seen, newest first. */
function* currentBeyond(view: GraphView, other: Lineage, before: number): Generator<Stored> {
  for (const segment of beyond(view.lineage, other)) {
    let end = Math.min(segment.upTo, before - 1);
    for (;;) {
      const rows = view.place.connection
        .sql(
          `SELECT * FROM graph_versions WHERE doc = ? AND bid = ? AND visible = 1 AND seq > ? AND seq <= ?
           ORDER BY seq DESC LIMIT 256`,
        )
        .all(view.doc ?? 0, segment.branch, segment.after, end);
      for (const stored of rows.map(decodeVersion))
        if (isCurrent(view, stored.key, stored.version.last_seq)) yield stored;
      const last = rows.at(-1);
      if (!last) break;
      end = Number(last["seq"]) - 1;
    }
  }
}

/** What `to` still holds of the keys that only `from` has changed since they parted. */
function* leftBehind(from: GraphView, to: GraphView): Generator<Stored> {
  const onlyTo = beyond(to.lineage, from.lineage);
  const isNewHere = ({ bid, version: { last_seq } }: Stored): boolean =>
    onlyTo.some(({ branch, after, upTo }) => branch === bid && last_seq > after && last_seq <= upTo);
  for (const theirs of currentBeyond(from, to.lineage, endOfTime)) {
    const ours = currentVersion(to, theirs.key);
    if (ours && !isNewHere(ours) && ours.fingerprint !== theirs.fingerprint) yield ours;
  }
}
