import { describeTable, dumpTables, type TableName } from "../../../../domain/memory/dump-tables.ts";
import { canonicalJson } from "../../../../kernel/json/canonical-json.ts";
import type { MemoryLine } from "../../../../ports/memory/memory-dump.ts";

export function workspaceOf(line: MemoryLine): string {
  if ("workspace" in line) return line.workspace.name;
  const [{ workspace }] = Object.values(line) as [{ workspace: string }];
  return workspace;
}

const numbers = new Set(["seq", "base_seq", "last_entry", "origin", "parent"]);

const isNumber = (kind: string, field: string): boolean =>
  Object.hasOwn(dumpTables, kind)
    ? field === "seq" ||
      ["number", "commit"].includes(describeTable(kind as TableName).fields[field]?.kind ?? "")
    : numbers.has(field);

/** A line as it reads in any store: which numbers it has depends on what else was written there, that it has them does not. */
export function textOf(line: MemoryLine): string {
  const [[kind, fields]] = Object.entries(line) as [[string, object]];
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    isNumber(kind, name) && value !== undefined ? "a number" : value,
  ]);
  return `${canonicalJson({ [kind]: Object.fromEntries(shown) })}\n`;
}
