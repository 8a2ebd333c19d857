import { describeTable, type TableName, tableNames } from "../../../../domain/memory/dump-tables.ts";
import type { MemoryLine, MemoryPage } from "../../../../ports/memory/memory-dump.ts";
import type { Connection } from "../../connection/open-database.ts";
import { branchLines, entryLines, type Placed, versionLines, workspaceLines } from "./dump-rows.ts";
import { tableLines } from "./table-rows.ts";

const linesAtOnce = 128;

/** Everything of these workspaces in the order in which it can be replayed. Holds a page of each table at a time. */
export function* memoryPages(connection: Connection, wids: readonly number[]): Generator<MemoryPage> {
  const sources = [
    ...[workspaceLines, branchLines, entryLines, versionLines].map((lines) => lines(connection, wids)),
    ...tableNames.map((name) => tableLines(connection, wids, name)),
  ];
  let lines: MemoryLine[] = [];
  let lastSeq = 0;
  for (const { line } of inOrder(sources)) {
    lines.push(line);
    lastSeq = Math.max(lastSeq, highestNumber(line));
    if (lines.length < linesAtOnce) continue;
    yield { lines, lastSeq };
    lines = [];
  }
  if (lines.length > 0) yield { lines, lastSeq };
}

/** Several ordered lists as one; of equals, the earlier list goes first. */
function* inOrder(sources: readonly Generator<Placed>[]): Generator<Placed> {
  const waiting = sources.map((source) => ({ source, next: source.next() }));
  for (;;) {
    let first: (typeof waiting)[number] | undefined;
    for (const one of waiting)
      if (!one.next.done && (!first || one.next.value.at < (first.next.value as Placed).at)) first = one;
    if (!first || first.next.done) return;
    yield first.next.value;
    first.next = first.source.next();
  }
}

/** The number in a branch's uid counts too: no other branch may ever get it. */
function highestNumber(line: MemoryLine): number {
  if ("workspace" in line) return line.workspace.last_entry ?? 0;
  if ("branch" in line) {
    const { uid, base_seq = 0 } = line.branch;
    return Math.max(base_seq, Number(/@(\d+)$/.exec(uid)?.[1] ?? 0));
  }
  return ownNumber(line) ?? 0;
}

/** The number that a line takes for itself; nothing else in the store has it, and later lines have higher ones. */
export function ownNumber(line: MemoryLine): number | undefined {
  if ("entry" in line) return line.entry.seq;
  if ("version" in line) return line.version.seq;
  const row = rowOf(line);
  if (!row) return undefined;
  const { key, ordered } = describeTable(row.name);
  return ordered ? Number(row.fields[key]) : undefined;
}

/** The table and the fields of a line that stands for a row of a described table. */
export function rowOf(line: MemoryLine): { name: TableName; fields: Record<string, unknown> } | undefined {
  const name = tableNames.find((one) => one in line);
  return name && { name, fields: (line as unknown as Record<TableName, Record<string, unknown>>)[name] };
}
