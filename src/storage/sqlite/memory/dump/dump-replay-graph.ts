import { keyOf } from "../../../../domain/memory/graph.ts";
import type { ConflictLine, VersionLine } from "../../../../ports/memory/memory-dump.ts";
import { decodeVersion } from "../graph/graph-rows.ts";
import { insertFacets, openForWriting, writeVersion } from "../graph/graph-write.ts";
import { findDoc, type Place } from "../places.ts";
import { branchOf, lineageIn, noBranch, noWorkspace, type Replay, writable } from "./dump-target.ts";

export function replayVersion(replay: Replay, line: VersionLine): string | undefined {
  const target = writable(replay, line);
  if (typeof target === "string") return target;
  const { place, branch } = target;
  const graph = openForWriting(place, branch, line.doc, lineageIn(replay, place, branch.bid));
  const before = line.keeps && currentSeqOf(place, graph.doc, branch.bid, keyOf(line.state));
  writeVersion(graph, line.state, new Date(line.ts_ms));
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
  const { version, bid } = decodeVersion(row);
  sql("UPDATE graph_versions SET visible = 1 WHERE seq = ?").run(seq);
  if (version.kind === "node" && !version.deleted) insertFacets(place, bid, doc, version, seq);
}

export function replayConflict(replay: Replay, line: ConflictLine): string | undefined {
  const place = replay.placeOf(line.workspace);
  if (!place) return noWorkspace;
  const [from, into] = [line.from, line.into].map((uid) => branchOf(replay, place, uid));
  if (!from || !into) return noBranch;
  const { sql } = place.connection;
  sql("INSERT INTO memory_docs (wid, name) VALUES (?, ?) ON CONFLICT DO NOTHING").run(place.wid, line.doc);
  const json = (state: object | undefined) => (state === undefined ? null : JSON.stringify(state));
  const { changes } = sql(`INSERT OR IGNORE INTO graph_conflicts
      (wid, id, doc, from_bid, into_bid, kind, key, status, resolution, base, theirs, ours, created_at_ms, resolved_at_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    place.wid,
    line.id,
    findDoc(place, line.doc) ?? 0,
    from.bid,
    into.bid,
    line.kind,
    line.key,
    line.status,
    line.resolution ?? null,
    json(line.base),
    JSON.stringify(line.theirs),
    json(line.ours),
    line.created_at_ms,
    line.resolved_at_ms ?? null,
  );
  return Number(changes) === 0 ? "is there twice" : undefined;
}
