import { keyOf } from "../../../../domain/memory/graph.ts";
import type { VersionLine } from "../../../../ports/memory/memory-dump.ts";
import { insertFacets } from "../graph/graph-facets.ts";
import { contentOf, openForWriting, writeVersions } from "../graph/write-versions.ts";
import type { Place } from "../places.ts";
import { lineageIn, type Replay, writable } from "./dump-target.ts";

export function replayVersion(replay: Replay, line: VersionLine): string | undefined {
  const target = writable(replay, line);
  if (typeof target === "string") return target;
  const { place, branch } = target;
  const graph = openForWriting(place, branch, line.doc, lineageIn(replay, place, branch.bid));
  const before = line.keeps && currentSeqOf(place, graph.doc, branch.bid, keyOf(line.state));
  writeVersions(graph, [contentOf(line.state)], new Date(line.ts_ms));
  if (before !== undefined) keepVisible(place, before, graph.doc);
  return undefined;
}

/** The version of the key that is current on the branch itself. */
function currentSeqOf({ connection }: Place, doc: number, bid: number, key: string): number | undefined {
  const row = connection
    .sql(
      `SELECT seq FROM graph_versions INDEXED BY graph_by_key
       WHERE doc = ? AND key = ? AND visible = 1 AND bid = ? AND superseded IS NULL`,
    )
    .get(doc, key, bid);
  return row && Number(row["seq"]);
}

/** What only a branch that is gone by now could see stays visible, as it was. */
function keepVisible(place: Place, seq: number, doc: number): void {
  const { sql } = place.connection;
  const row = sql("SELECT * FROM graph_versions WHERE seq = ? AND visible = 0").get(seq);
  if (!row) return;
  sql("UPDATE graph_versions SET visible = 1 WHERE seq = ?").run(seq);
  insertFacets({ place, doc, bid: Number(row["bid"]) }, [seq]);
}
