import type { Entry } from "../../domain/memory/entry.ts";
import { unknownBranch } from "../../domain/memory/failures.ts";
import { defaultDocs } from "../../domain/memory/limits.ts";
import { traceEntry } from "../../domain/memory/session-trace.ts";
import type { EntryPage } from "../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../pipeline/context.ts";
import { readSession } from "../pipeline/standing.ts";
import { type ResolvedDoc, sessionOf } from "./scope.ts";

/** The newest entries of a document, be it of the memory or a session of the ledger read as a trace. */
export async function readDocument(
  memory: MemoryContext<"UNKNOWN_ID">,
  scope: ResolvedDoc,
  before: number | undefined,
  limit: number,
): Promise<EntryPage> {
  const sessionId = sessionOf(scope.branch);
  if (sessionId === undefined)
    return memory.memory.readEntries(memory.workspace, { ...scope, before, limit });
  const record = await readSession(memory.ledger, memory.settings, sessionId);
  if (!record) throw unknownBranch(scope.branch, memory.workspace);
  if (scope.doc !== defaultDocs.trace) return { entries: [], hasMore: false };
  const thoughts = await memory.ledger.readLatest(sessionId, before, limit + 1);
  const entries: Entry[] = thoughts.slice(-limit).map(traceEntry);
  return { entries, hasMore: thoughts.length > limit };
}
