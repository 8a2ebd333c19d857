import { join } from "node:path";
import { shellWord } from "../../../kernel/shell-word.ts";
import { runAtOnce } from "../../../kernel/steps.ts";
import { visible } from "../../../kernel/text.ts";
import { type FoundSession, findSessions } from "../import/find-sessions.ts";

/**
 * Call when a store is made. Beside a full tree that means that the database was lost, or that the tree is an earlier
 * version's: either way somebody will miss these sessions.
 */
export function warnOfLostStore(dataDir: string, log: (line: string) => void): void {
  const { length } = findReadableSessions(join(dataDir, "projects"));
  if (length === 0) return;
  const sessions = length === 1 ? "1 session lies" : `${length} sessions lie`;
  const directory = visible(dataDir);
  log(
    `thoughtbox: the database in ${directory} is new, but ${sessions} beside it as JSON files. To bring them in: thoughtbox import ${shellWord(dataDir)}\n`,
  );
}

/** A folder that cannot be listed must not keep the store from being made. */
function findReadableSessions(directory: string): FoundSession[] {
  try {
    return runAtOnce(findSessions(directory));
  } catch {
    return [];
  }
}
