import {
  describeTable,
  type FieldKind,
  stagingPrefix,
  type TableName,
  tableNames,
} from "../../domain/memory/dump-tables.ts";
import type { EntryKind, Meta } from "../../domain/memory/entry.ts";
import { memoryFailure } from "../../domain/memory/failures.ts";
import { stateOf } from "../../domain/memory/graph.ts";
import type {
  DumpedRow,
  MemoryLine,
  MemoryPage,
  MemorySnapshot,
  MemoryTransfer,
  RowSource,
} from "../../ports/memory/memory-dump.ts";
import { decodeVersion } from "../rows/graph-rows.ts";
import { parseColumn } from "../rows/row.ts";

/** The number of rows read from a source at once, and of lines in a page. Low, because a row may be large. */
const rowsAtOnce = 128;
const linesAtOnce = 128;

type Snapshots = Pick<MemoryTransfer, "openSnapshot">;

/**
 * Yields the lines for one workspace, or for all workspaces, from one snapshot. Each line follows the lines
 * that it refers to, so the lines can be replayed in order. Throws UNKNOWN_ID for an unknown workspace.
 */
export async function* dumpMemory(
  store: Snapshots,
  workspace: string | undefined,
): AsyncGenerator<MemoryPage> {
  const snapshot = await store.openSnapshot(workspace);
  try {
    yield* pagesOf(snapshot, toDump(snapshot, workspace));
  } finally {
    await snapshot.close();
  }
}

/** Estimates how many lines a dump of the memory has, for a progress bar. */
export async function countMemory(store: Snapshots, workspace: string | undefined): Promise<number> {
  const snapshot = await store.openSnapshot(workspace);
  try {
    return await snapshot.count(toDump(snapshot, workspace));
  } finally {
    await snapshot.close();
  }
}

function toDump({ workspaces }: MemorySnapshot, workspace: string | undefined): number[] {
  const shown = workspaces.filter(({ name }) => !name.startsWith(stagingPrefix));
  const wanted = shown.filter(({ name }) => workspace === undefined || name === workspace);
  if (workspace !== undefined && wanted.length === 0) {
    const known = shown.map(({ name }) => name).sort();
    throw memoryFailure("unknown_workspace", { workspace, known: known.slice(0, 10) });
  }
  return wanted.map(({ wid }) => wid);
}

async function* pagesOf(snapshot: MemorySnapshot, wids: readonly number[]): AsyncGenerator<MemoryPage> {
  let lines: MemoryLine[] = [];
  let lastSeq = 0;
  for await (const { line } of inOrder(allSources.map((source) => openSource(snapshot, wids, source)))) {
    lines.push(line);
    lastSeq = Math.max(lastSeq, highestNumber(line));
    if (lines.length < linesAtOnce) continue;
    yield { lines, lastSeq };
    lines = [];
  }
  if (lines.length > 0) yield { lines, lastSeq };
}

/** A line and its position in the overall order. */
type Placed = { at: number; line: MemoryLine };
type Source = {
  /** Fetched lines that are waiting to be written. The last element is written first. */
  waiting: Placed[];
  isDone: boolean;
  fetch(): Promise<void>;
};

function openSource(snapshot: MemorySnapshot, workspaces: readonly number[], of: RowSource): Source {
  const keys = keysOf(of);
  let after: readonly number[] = keys.map(() => -1);
  const source: Source = {
    waiting: [],
    isDone: false,
    async fetch() {
      const rows = await snapshot.read({ of, workspaces, after, limit: rowsAtOnce });
      const last = rows.at(-1);
      if (last) after = keys.map((key) => Number(last[key]));
      source.isDone = rows.length < rowsAtOnce;
      source.waiting = rows.flatMap((row) => linesOf(of, row)).reverse();
    },
  };
  return source;
}

/** Merges ordered sources. If two lines have the same position, the line from the earlier source comes first. */
async function* inOrder(sources: readonly Source[]): AsyncGenerator<Placed> {
  for (;;) {
    let first: Source | undefined;
    for (const source of sources) {
      while (source.waiting.length === 0 && !source.isDone) await source.fetch();
      const at = source.waiting.at(-1)?.at;
      if (at !== undefined && (!first || at < (first.waiting.at(-1)?.at ?? 0))) first = source;
    }
    const next = first?.waiting.pop();
    if (!next) return;
    yield next;
  }
}

const allSources: readonly RowSource[] = ["workspace", "branch", "entry", "version", ...tableNames];

function keysOf(source: RowSource): readonly string[] {
  if (source === "workspace") return ["wid"];
  if (source === "branch") return ["base_seq", "bid"];
  return source === "entry" || source === "version" ? ["seq"] : describeTable(source).keys;
}

function linesOf(source: RowSource, row: DumpedRow): Placed[] {
  switch (source) {
    case "workspace":
      return [workspaceLine(row)];
    case "branch":
      return [branchLine(row)];
    case "entry":
      return entryLines(row);
    case "version":
      return [versionLine(row)];
    default:
      return [tableLine(source, row)];
  }
}

const text = (value: unknown): string | undefined => (value === null ? undefined : String(value));
const number = (value: unknown): number | undefined => (value === null ? undefined : Number(value));

const written = (row: DumpedRow) => ({
  workspace: String(row["workspace"]),
  branch: String(row["branch_uid"]),
  doc: String(row["doc_name"]),
  seq: Number(row["seq"]),
  ts_ms: Number(row["ts_ms"]),
});

const workspaceLine = (row: DumpedRow): Placed => ({
  at: -1,
  line: {
    workspace: {
      name: String(row["name"]),
      created_at_ms: Number(row["created_at_ms"]),
      project_guard: text(row["project_guard"]),
      project: text(row["project"]),
      checkout: String(row["checkout_uid"]),
      last_entry: number(row["last_entry"]),
    },
  },
});

/** Places a branch's line after everything that the branch can inherit and before all later writes. */
function branchLine(row: DumpedRow): Placed {
  const base = text(row["base_uid"]);
  return {
    at: Number(row["base_seq"]) + 0.5,
    line: {
      branch: {
        workspace: String(row["workspace"]),
        uid: String(row["uid"]),
        name: String(row["name"]),
        base,
        base_seq: base === undefined ? undefined : Number(row["base_seq"]),
        created_at_ms: Number(row["created_at_ms"]),
        deleted_at_ms: number(row["deleted_at_ms"]),
        erased: Number(row["erased"]) === 1 ? true : undefined,
      },
    },
  };
}

function entryLines(row: DumpedRow): Placed[] {
  const { workspace, seq } = written(row);
  const origin = Number(row["origin"]);
  const entry: MemoryLine = {
    entry: {
      ...written(row),
      kind: String(row["kind"]) as EntryKind,
      title: text(row["title"]),
      format: text(row["format"]),
      meta: row["meta"] === null ? undefined : parseColumn<Meta>(row["meta"]),
      content: String(row["content"]),
      agent_id: text(row["agent_id"]),
      origin: origin === seq ? undefined : origin,
      source_event_id: text(row["source_event_id"]),
    },
  };
  const commit: MemoryLine = { commit: { workspace, seq, parent: number(row["parent"]) } };
  return (row["committed"] === null ? [entry] : [entry, commit]).map((line) => ({ at: seq, line }));
}

function versionLine(row: DumpedRow): Placed {
  const { version } = decodeVersion(row);
  const keeps = Number(row["keeps"]) > 0 ? (true as const) : undefined;
  const line = { ...written(row), state: stateOf(version), keeps };
  return { at: line.seq, line: { version: line } };
}

function tableLine(name: TableName, row: DumpedRow): Placed {
  const { keys, ordered, of, fields } = describeTable(name);
  const line: Record<string, unknown> =
    of === "stream" ? written(row) : { workspace: String(row["workspace"]) };
  for (const [field, { kind, column = field }] of Object.entries(fields)) {
    const value = row[kind === "branch" || kind === "doc" ? `${field}_name` : column];
    line[field] = decodeField(kind, value ?? null);
  }
  return {
    at: ordered ? Number(row[keys[0] ?? ""]) : Number.POSITIVE_INFINITY,
    line: { [name]: line } as MemoryLine,
  };
}

function decodeField(kind: FieldKind, value: DumpedRow[string] | undefined): unknown {
  if (value === null || value === undefined) return undefined;
  return kind === "json" ? parseColumn(value) : value;
}

/** Returns the highest number in a line, including a branch's uid, because no other branch may ever get that number. */
function highestNumber(line: MemoryLine): number {
  if ("workspace" in line) return line.workspace.last_entry ?? 0;
  if ("branch" in line) {
    const { uid, base_seq = 0 } = line.branch;
    return Math.max(base_seq, Number(/@(\d+)$/.exec(uid)?.[1] ?? 0));
  }
  return ownNumber(line) ?? 0;
}

/**
 * Returns the line's own number, if it has one. Nothing else in the store has this number, and later lines
 * have higher numbers.
 */
export function ownNumber(line: MemoryLine): number | undefined {
  if ("entry" in line) return line.entry.seq;
  if ("version" in line) return line.version.seq;
  const row = rowOf(line);
  if (!row) return undefined;
  const { keys, ordered } = describeTable(row.name);
  return ordered ? Number(row.fields[keys[0] ?? ""]) : undefined;
}

export function workspaceOf(line: MemoryLine): string {
  if ("workspace" in line) return line.workspace.name;
  const [{ workspace }] = Object.values(line) as [{ workspace: string }];
  return workspace;
}

/** Returns the table and the fields, if the line is a row of a table in `dumpTables`. */
export function rowOf(line: MemoryLine): { name: TableName; fields: Record<string, unknown> } | undefined {
  const name = tableNames.find((one) => one in line);
  return name && { name, fields: (line as unknown as Record<TableName, Record<string, unknown>>)[name] };
}
