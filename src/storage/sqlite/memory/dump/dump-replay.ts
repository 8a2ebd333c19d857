import { keyOf } from "../../../../domain/memory/graph.ts";
import type {
  BranchLine,
  CommitLine,
  EntryLine,
  MemoryLine,
  VersionLine,
} from "../../../../ports/memory/memory-dump.ts";
import type { Connection } from "../../connection/open-database.ts";
import { insertEntry } from "../documents/entries.ts";
import { insertFacets } from "../graph/graph-facets.ts";
import { contentOf, openForWriting, writeVersions } from "../graph/write-versions.ts";
import { findBranch, findDoc, type Place } from "../places.ts";
import { ownNumber, rowOf } from "./dump-lines.ts";
import {
  branchOf,
  lineageIn,
  type Numbers,
  noWorkspace,
  type Replay,
  rebaseNumbers,
  renumber,
  setNext,
  writable,
} from "./dump-target.ts";
import { replayRow } from "./table-rows.ts";

/** Call inside a write: every line through the functions that would write it, with its own number and time. */
export function replayLines(
  connection: Connection,
  placeOf: Replay["placeOf"],
  before: Numbers,
  floor: number,
  lines: readonly MemoryLine[],
): { problems: (string | undefined)[]; numbers: Numbers } {
  const numbers = rebaseNumbers(before, connection, floor);
  const replay: Replay = { connection, placeOf, numbers, branches: new Map(), lineages: new Map() };
  const problems = lines.map((line) => replayLine(replay, line));
  setNext(connection, renumber(replay.numbers, replay.numbers.last) + 1);
  return { problems, numbers: replay.numbers };
}

function replayLine(replay: Replay, line: MemoryLine): string | undefined {
  if ("workspace" in line) return undefined;
  const own = ownNumber(line);
  if (own !== undefined) {
    if (own <= replay.numbers.last) return "is out of order";
    replay.numbers = { ...replay.numbers, last: own };
    setNext(replay.connection, renumber(replay.numbers, own));
  }
  if ("branch" in line) return replayBranch(replay, line.branch);
  if ("entry" in line) return replayEntry(replay, line.entry);
  if ("commit" in line) return replayCommit(replay, line.commit);
  if ("version" in line) return replayVersion(replay, line.version);
  const row = rowOf(line);
  return row && replayRow(replay, row.name, row.fields);
}

function replayBranch(replay: Replay, line: BranchLine): string | undefined {
  const place = replay.placeOf(line.workspace);
  if (!place) return noWorkspace;
  const base = line.base === undefined ? undefined : branchOf(replay, place, line.base);
  if (line.base !== undefined && !base) return "is made from no branch";
  if (branchOf(replay, place, line.uid)) return "is there twice";
  if (line.deleted_at_ms === undefined && findBranch(place, line.name))
    return "has the name of another branch";
  const baseSeq = base ? (line.base_seq ?? 0) : 0;
  if (base && baseSeq < replay.numbers.last) return "is out of order";
  if (base) replay.numbers = { ...replay.numbers, last: baseSeq };
  place.connection
    .sql(`INSERT INTO memory_branches (wid, uid, name, base, base_seq, depth, created_at_ms, deleted_at_ms, erased)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
      place.wid,
      line.uid,
      line.name,
      base?.bid ?? null,
      renumber(replay.numbers, baseSeq),
      base ? base.depth + 1 : 0,
      line.created_at_ms,
      line.deleted_at_ms ?? null,
      line.erased ? 1 : 0,
    );
  return undefined;
}

function replayEntry(replay: Replay, line: EntryLine): string | undefined {
  const target = writable(replay, line);
  if (typeof target === "string") return target;
  const { place, branch } = target;
  const { seq, ts_ms, origin = seq, source_event_id } = line;
  if (source_event_id !== undefined && hasEvent(place, branch.bid, line.doc, source_event_id))
    return "is there twice";
  insertEntry(place, branch, line.doc, line, new Date(ts_ms), {
    seq: renumber(replay.numbers, origin),
    ...(source_event_id !== undefined && { event: source_event_id }),
  });
  return undefined;
}

function hasEvent(place: Place, bid: number, doc: string, event: string): boolean {
  return (
    place.connection
      .sql("SELECT 1 FROM memory_entries WHERE doc = ? AND bid = ? AND source_event_id = ?")
      .get(findDoc(place, doc) ?? 0, bid, event) !== undefined
  );
}

function replayCommit(replay: Replay, { workspace, seq, parent }: CommitLine): string | undefined {
  const place = replay.placeOf(workspace);
  if (!place) return noWorkspace;
  const { sql } = place.connection;
  const number = renumber(replay.numbers, seq);
  if (!isEntry(place, number)) return "follows no entry";
  sql("INSERT OR IGNORE INTO memory_commits (seq, parent) VALUES (?, ?)").run(
    number,
    parent === undefined ? null : renumber(replay.numbers, parent),
  );
  return undefined;
}

function isEntry({ connection, wid }: Place, seq: number): boolean {
  return (
    connection
      .sql("SELECT 1 FROM memory_entries e JOIN memory_docs d ON d.doc = e.doc WHERE e.seq = ? AND d.wid = ?")
      .get(seq, wid) !== undefined
  );
}

function replayVersion(replay: Replay, line: VersionLine): string | undefined {
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
