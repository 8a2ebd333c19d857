import { toCipherDocument } from "../../../domain/export/cipher-document.ts";
import { toMarkdownDocument } from "../../../domain/export/markdown-document.ts";
import type { Session } from "../../../domain/ledger/session.ts";
import { exportSession } from "../../../domain/ledger/session-export.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { unknownSession } from "../../pipeline/handle.ts";
import { readAllThoughts } from "./read-session.ts";

export const exportFormats = ["json", "markdown", "cipher"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const extensions: Record<ExportFormat, string> = { json: "json", markdown: "md", cipher: "cipher.txt" };

export type RenderedExport = { content: string; thoughts: readonly ChainedThought[] };

/** The whole session as text; json keeps every word, the other two are for readers. */
export async function renderExport(
  context: BaseContext<"SESSION_NOT_FOUND">,
  sessionId: string,
  format: ExportFormat,
  includeMetadata: boolean,
): Promise<RenderedExport> {
  const record = await context.ledger.readSession(sessionId);
  if (!record) return unknownSession(context.fail, sessionId);
  const thoughts = await readAllThoughts(context, sessionId, record.session.thoughtCount);
  return { thoughts, content: await render(context, record.session, thoughts, format, includeMetadata) };
}

async function render(
  { ledger, clock }: BaseContext,
  session: Session,
  thoughts: readonly ChainedThought[],
  format: ExportFormat,
  includeMetadata: boolean,
): Promise<string> {
  switch (format) {
    case "markdown":
      return toMarkdownDocument(session, thoughts, includeMetadata);
    case "cipher":
      return toCipherDocument(thoughts);
    case "json": {
      const index = await ledger.loadIndex(session.id);
      return JSON.stringify(exportSession(session, thoughts, index, clock().toISOString(), includeMetadata));
    }
  }
}

/** What a finished session leaves in the exports directory by itself. */
export async function writeExport(
  context: BaseContext<"SESSION_NOT_FOUND">,
  sessionId: string,
): Promise<string> {
  const { content } = await renderExport(context, sessionId, "json", true);
  return saveExport(context, sessionId, "json", content, undefined);
}

export async function saveExport(
  { exports, emit, clock }: BaseContext,
  sessionId: string,
  format: ExportFormat,
  content: string,
  destination: string | undefined,
): Promise<string> {
  const path = await exports.write({ fileName: `${sessionId}.${extensions[format]}`, content, destination });
  emit({
    type: "session_exported",
    timestamp: clock().toISOString(),
    sessionId,
    data: { format, path },
  });
  return path;
}
