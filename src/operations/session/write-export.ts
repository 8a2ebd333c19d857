import { exportSession } from "../../domain/ledger/session-export.ts";
import type { ChainedThought } from "../../domain/ledger/thought.ts";
import type { OperationContext } from "../define.ts";
import { sessionNotFound } from "../handle.ts";

const pageSize = 1_000;

/** The whole session as SessionExport JSON text. Reads page by page so that other calls get their turn. */
export async function renderExport(
  context: OperationContext,
  sessionId: string,
  includeMetadata = true,
): Promise<string> {
  const { ledger, clock, signal } = context;
  const record = await ledger.readSession(sessionId);
  if (!record) throw sessionNotFound(sessionId);
  const entries: ChainedThought[] = [];
  for (;;) {
    signal.throwIfAborted();
    const page = await ledger.readEntries(sessionId, entries.at(-1)?.position ?? 0, pageSize);
    entries.push(...page);
    if (page.length < pageSize) break;
    context.progress(entries.length, record.session.thoughtCount, "reading thoughts");
    await new Promise(setImmediate);
  }
  const index = await ledger.loadIndex(sessionId);
  return JSON.stringify(
    exportSession(record.session, entries, index, clock().toISOString(), includeMetadata),
  );
}

export async function writeExport(
  context: OperationContext,
  sessionId: string,
  destination?: string,
): Promise<string> {
  const content = await renderExport(context, sessionId);
  return saveExport(context, sessionId, content, destination);
}

export async function saveExport(
  { exports, emit, clock }: OperationContext,
  sessionId: string,
  content: string,
  destination?: string,
): Promise<string> {
  const path = await exports.write({ fileName: `${sessionId}.json`, content, destination });
  emit({
    type: "session_exported",
    timestamp: clock().toISOString(),
    sessionId,
    data: { format: "json", path },
  });
  return path;
}
