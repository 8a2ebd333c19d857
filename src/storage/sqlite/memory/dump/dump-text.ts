import { canonicalJson } from "../../../../kernel/canonical-json.ts";
import type { MemoryLine } from "../../../../ports/memory/memory-dump.ts";

export function workspaceOf(line: MemoryLine): string {
  if ("workspace" in line) return line.workspace.name;
  const [{ workspace }] = Object.values(line) as [{ workspace: string }];
  return workspace;
}

const numbers = new Set([
  "seq",
  "ordinal",
  "base_seq",
  "last_entry",
  "origin",
  "parent",
  "previous",
  "current",
]);

/** A line as it reads in any store: which numbers it has depends on what else was written there, that it has them does not. */
export function textOf(line: MemoryLine): string {
  const [[kind, fields]] = Object.entries(line) as [[string, object]];
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    numbers.has(name) && value !== undefined ? "a number" : value,
  ]);
  return `${canonicalJson({ [kind]: Object.fromEntries(shown) })}\n`;
}
