import { describeTable, tableNames } from "../../../src/domain/memory/dump-tables.ts";
import type { MemoryLine } from "../../../src/ports/memory/memory-dump.ts";
import type { Store } from "../../../src/ports/store.ts";
import { dumpMemory } from "../../../src/storage/dump/dump-memory.ts";
import { restoreMemory } from "../../../src/storage/dump/restore-memory.ts";

type Moved = Pick<Store, "upkeep">;

/** Returns the lines in a dump of one or all workspaces, and the highest number in them. */
export async function memoryLines({ upkeep }: Moved, workspace?: string) {
  const lines: MemoryLine[] = [];
  let lastSeq = 0;
  for await (const page of dumpMemory(upkeep, workspace)) {
    lines.push(...page.lines);
    lastSeq = page.lastSeq;
  }
  return { lines, lastSeq };
}

export const restoreOf = ({ upkeep }: Moved, lastSeq: number) => restoreMemory(upkeep, lastSeq);

const savingWork = tableNames.filter((name) => describeTable(name).savesWork);

/** Removes lines that only save work for merges. */
export const withoutMarks = (lines: readonly MemoryLine[]): MemoryLine[] =>
  lines.filter((line) => !savingWork.some((name) => name in line));
