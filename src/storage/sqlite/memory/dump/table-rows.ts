import { describeTable, type FieldKind, type TableName } from "../../../../domain/memory/dump-tables.ts";
import type { MemoryLine } from "../../../../ports/memory/memory-dump.ts";
import { parseColumn, type Row, type SqlValue } from "../../connection/driver.ts";
import type { Connection } from "../../connection/open-database.ts";
import { findDoc, openStream, type Place } from "../places.ts";
import { named, type Placed, placeOf, walk, wanted, written } from "./dump-rows.ts";
import { branchOf, noBranch, noWorkspace, type Replay, renumber, writable } from "./dump-target.ts";

/** Every row of a described table as a line. */
export function* tableLines(
  connection: Connection,
  wids: readonly number[],
  name: TableName,
): Generator<Placed> {
  const { key, ordered, of, fields } = describeTable(name);
  for (const row of walk(connection, selectRows(name), wids, [key])) {
    const line: Record<string, unknown> =
      of === "stream" ? written(row) : { workspace: String(row["workspace"]) };
    for (const [field, { kind, column = field }] of Object.entries(fields))
      line[field] = decode(kind, row[nameOf(kind, field, column)] ?? null);
    yield {
      at: ordered ? Number(row[key]) : Number.POSITIVE_INFINITY,
      line: { [name]: line } as MemoryLine,
    };
  }
}

const nameOf = (kind: FieldKind, field: string, column: string): string =>
  kind === "branch" || kind === "doc" ? `${field}_name` : column;

/** CROSS keeps the order of the loops: one walk along the table, whatever share of it is wanted. */
function selectRows(name: TableName): string {
  const { table, key, of, fields, except } = describeTable(name);
  const columns: string[] = [];
  const joins: string[] = [];
  for (const [field, { kind, column = field }] of Object.entries(fields)) {
    if (kind === "branch")
      joins.push(`CROSS JOIN memory_branches ${field}_b ON ${field}_b.bid = t.${column}`);
    if (kind === "doc") joins.push(`CROSS JOIN memory_docs ${field}_d ON ${field}_d.doc = t.${column}`);
    if (kind === "branch") columns.push(`${field}_b.uid AS ${field}_name`);
    if (kind === "doc") columns.push(`${field}_d.name AS ${field}_name`);
  }
  const place = of === "stream" ? placeOf("t") : "CROSS JOIN memory_workspaces w ON w.wid = t.wid";
  const places = of === "stream" ? named : "w.name AS workspace";
  return `SELECT t.*, ${[places, ...columns].join(", ")} FROM ${table} t ${[place, ...joins].join(" ")}
    WHERE t.${key} > ? AND ${wanted} ${except ? `AND t.${except.column} <> '${except.value}'` : ""} ORDER BY t.${key}`;
}

function decode(kind: FieldKind, value: Row[string] | undefined): unknown {
  if (value === null || value === undefined) return undefined;
  if (kind === "json") return parseColumn(value);
  return kind === "flag" ? value === 1 : value;
}

/** Call inside a write. Answers what is wrong with a line that cannot be believed. */
export function replayRow(
  replay: Replay,
  name: TableName,
  line: Record<string, unknown>,
): string | undefined {
  const { table, of, fields } = describeTable(name);
  const placed = of === "stream" ? replayPlace(replay, line) : inWorkspace(replay, line);
  if (typeof placed === "string") return placed;
  const { place, columns } = placed;
  for (const [field, { kind, column = field }] of Object.entries(fields)) {
    const value = encode(replay, place, kind, line[field]);
    if (typeof value === "object" && value !== null) return value.problem;
    columns.set(column, value);
  }
  const names = [...columns.keys()];
  const { changes } = place.connection
    .sql(`INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .run(...columns.values());
  return Number(changes) === 0 ? "is there twice" : undefined;
}

type Located = { place: Place; columns: Map<string, SqlValue> } | string;

function inWorkspace(replay: Replay, line: Record<string, unknown>): Located {
  const place = replay.placeOf(String(line["workspace"]));
  return place ? { place, columns: new Map([["wid", place.wid]]) } : noWorkspace;
}

function replayPlace(replay: Replay, line: Record<string, unknown>): Located {
  const target = writable(replay, { workspace: String(line["workspace"]), branch: String(line["branch"]) });
  if (typeof target === "string") return target;
  const { place, branch } = target;
  const seq = renumber(replay.numbers, Number(line["seq"]));
  const doc = openStream(place, branch.bid, String(line["doc"]), "log", seq);
  const columns = new Map<string, SqlValue>([
    ["seq", seq],
    ["bid", branch.bid],
    ["doc", doc],
    ["ts_ms", Number(line["ts_ms"])],
  ]);
  return { place, columns };
}

function encode(
  replay: Replay,
  place: Place,
  kind: FieldKind,
  value: unknown,
): SqlValue | { problem: string } {
  if (value === undefined) return null;
  switch (kind) {
    case "value":
      return typeof value === "number" ? value : String(value);
    case "flag":
      return value === true ? 1 : 0;
    case "json":
      return JSON.stringify(value);
    case "number":
      return renumber(replay.numbers, Number(value));
    case "commit": {
      const seq = renumber(replay.numbers, Number(value));
      return isCommit(place, seq) ? seq : { problem: "names no commit" };
    }
    case "branch":
      return branchOf(replay, place, String(value))?.bid ?? { problem: noBranch };
    case "doc":
      return docOf(place, String(value));
  }
}

function isCommit({ connection, wid }: Place, seq: number): boolean {
  const found = connection
    .sql(`SELECT 1 FROM memory_commits c JOIN memory_entries e ON e.seq = c.seq
      JOIN memory_docs d ON d.doc = e.doc WHERE c.seq = ? AND d.wid = ?`)
    .get(seq, wid);
  return found !== undefined;
}

function docOf(place: Place, name: string): number {
  place.connection
    .sql("INSERT INTO memory_docs (wid, name) VALUES (?, ?) ON CONFLICT DO NOTHING")
    .run(place.wid, name);
  return findDoc(place, name) ?? 0;
}
