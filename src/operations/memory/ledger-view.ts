import type { Entry, EntryMark } from "../../domain/memory/entry.ts";
import { unknownBranch } from "../../domain/memory/failures.ts";
import { defaultDocs } from "../../domain/memory/limits.ts";
import { traceEntry } from "../../domain/memory/session-trace.ts";
import type { EntryPage, MarkPage } from "../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../pipeline/context.ts";
import { readSession } from "../pipeline/find-session.ts";
import { type ResolvedDoc, sessionOf } from "./scope.ts";

/** The number of entries per batch. Other calls can run between batches. */
const marksAtOnce = 2_000;

/** Reads a document of the memory, or a ledger session as a trace. */
export async function readDocument(
  memory: MemoryContext<"UNKNOWN_ID">,
  scope: ResolvedDoc,
  before: number | undefined,
  limit: number,
): Promise<EntryPage> {
  const { branch, doc } = scope;
  const sessionId = sessionOf(branch);
  if (sessionId === undefined)
    return memory.memory.readEntries(memory.workspace, { branch, doc, before, limit });
  const record = await readSession(memory.ledger, memory.settings, sessionId);
  if (!record) throw unknownBranch(scope.branch, memory.workspace);
  if (scope.doc !== defaultDocs.trace) return { entries: [], hasMore: false };
  const thoughts = await memory.ledger.readLatest(sessionId, before, limit + 1);
  const entries: Entry[] = thoughts.slice(-limit).map(traceEntry);
  return { entries, hasMore: thoughts.length > limit };
}

/** Reads the newest entries without their text. */
export async function readDocumentMarks(
  memory: MemoryContext<"UNKNOWN_ID">,
  scope: ResolvedDoc,
  limit: number,
): Promise<MarkPage> {
  const readPage = (before: number | undefined, most: number): Promise<MarkPage> =>
    sessionOf(scope.branch) === undefined
      ? memory.memory.readMarks(memory.workspace, { ...scope, before, limit: most })
      : readDocument(memory, scope, before, most);
  const pages: EntryMark[][] = [];
  let [left, more]: [number, boolean] = [limit, true];
  while (more && left > 0) {
    const { entries, hasMore } = await readPage(pages[0]?.[0]?.seq, Math.min(left, marksAtOnce));
    pages.unshift(entries);
    left -= entries.length;
    more = hasMore && entries.length > 0;
  }
  return { entries: pages.flat(), hasMore: more };
}
