import { createHash } from "node:crypto";
import type { RecallSession } from "./recall-set.ts";

/** Returns a session ID, which is the same for the same key in every run. */
export function sessionIdOf(key: string): string {
  const hex = createHash("sha256").update(key).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/**
 * Returns a session in the format of `session.import`, with the original times. The session's title does not
 * reveal its content.
 */
export function toExport({ key, created, thoughts }: RecallSession, project: string) {
  const id = sessionIdOf(key);
  const last = thoughts.at(-1)?.at ?? created;
  const session = {
    id,
    title: id.slice(0, 8),
    tags: [],
    project,
    status: "completed",
    thoughtCount: thoughts.length,
    branchCount: 0,
    createdAt: created,
    updatedAt: last,
    lastAccessedAt: last,
    completedAt: last,
  };
  const nodes = thoughts.map(({ text, at }, index) => ({
    data: {
      thought: text,
      thoughtNumber: index + 1,
      totalThoughts: thoughts.length,
      nextThoughtNeeded: index + 1 < thoughts.length,
      timestamp: at,
    },
  }));
  return { version: "1.0", session, nodes, exportedAt: last };
}
