import { type KeptAction, toRecord } from "../../../domain/actions/kept-action.ts";
import { cipherParts } from "../../../domain/export/cipher-document.ts";
import { markdownParts } from "../../../domain/export/markdown-document.ts";
import { type Remark, standingRemarks } from "../../../domain/ledger/remark.ts";
import type { Session } from "../../../domain/ledger/session.ts";
import { exportInSteps, exportParts, type SessionExport } from "../../../domain/ledger/session-export.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { runInTurns } from "../../../kernel/steps.ts";
import { isHighSurrogate } from "../../../kernel/text.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { unknownSession } from "../../pipeline/find-session.ts";
import { readAllRemarks } from "../thought/remark.ts";
import { readAllThoughts } from "./read-session.ts";

export const exportFormats = ["json", "markdown", "cipher"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const extensions: Record<ExportFormat, string> = { json: "json", markdown: "md", cipher: "cipher.txt" };

export type RenderedExport = {
  /** The export, which can be a hundred megabytes. Writing a piece takes a few milliseconds. */
  pieces: readonly string[];
  thoughts: readonly ChainedThought[];
  actions: readonly KeptAction[];
  /** Set for a JSON export. */
  toValue?: () => Promise<SessionExport>;
};

/** Renders an export. JSON is unmasked. The other two formats are for readers and are masked. */
export async function renderExport(
  context: BaseContext<"SESSION_NOT_FOUND">,
  sessionId: string,
  format: ExportFormat,
  includeMetadata: boolean,
): Promise<RenderedExport> {
  const record = await context.ledger.readSession(sessionId);
  if (!record) return unknownSession(context.fail, sessionId);
  const thoughts = await readAllThoughts(context, sessionId, record.session.thoughtCount);
  const actions = await readAllActions(context, sessionId);
  const remarks = await readAllRemarks(context, sessionId);
  const given = [record.session, thoughts, format, includeMetadata, { actions, remarks }] as const;
  return { thoughts, actions, ...(await render(context, ...given)) };
}

const actionsAtOnce = 500;

async function readAllActions({ actions, signal }: BaseContext, sessionId: string): Promise<KeptAction[]> {
  const found: KeptAction[] = [];
  for (let after = 0; ; ) {
    const page = await actions.readOfSession(sessionId, { after, limit: actionsAtOnce });
    for (const { action } of page) found.push(action);
    after = page.at(-1)?.order ?? after;
    if (page.length < actionsAtOnce) return found;
    await new Promise(setImmediate);
    signal.throwIfAborted();
  }
}

async function render(
  context: BaseContext,
  session: Session,
  thoughts: readonly ChainedThought[],
  format: ExportFormat,
  includeMetadata: boolean,
  { actions, remarks }: { actions: readonly KeptAction[]; remarks: readonly Remark[] },
): Promise<Omit<RenderedExport, "thoughts" | "actions">> {
  switch (format) {
    case "markdown":
      return {
        pieces: await gather(
          context,
          markdownParts(session, thoughts, includeMetadata, standingRemarks(remarks)),
        ),
      };
    case "cipher":
      return { pieces: await gather(context, cipherParts(thoughts)) };
    case "json": {
      const index = await context.ledger.loadIndex(session.id);
      const exportedAt = context.clock().toISOString();
      const records = actions.length === 0 ? undefined : actions.map(toRecord);
      const said = remarks.length === 0 ? undefined : remarks;
      const given = [session, thoughts, index, exportedAt, includeMetadata, records, said] as const;
      return {
        pieces: await gather(context, exportParts(...given)),
        toValue: () => runInTurns(exportInSteps(...given), context.signal),
      };
    }
  }
}

/** The approximate maximum time in milliseconds that other calls wait during an export. */
const turnMs = 25;

async function gather({ signal }: BaseContext, parts: Iterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  let fresh: string[] = [];
  let began = performance.now();
  for (const part of parts) {
    if (part !== "") fresh.push(part);
    if (performance.now() - began < turnMs || splitsCharacter(fresh.at(-1) ?? "")) continue;
    pieces.push(fresh.join(""));
    fresh = [];
    await new Promise(setImmediate);
    signal.throwIfAborted();
    began = performance.now();
  }
  return [...pieces, fresh.join("")];
}

/** True if a part ends inside a character. No part may, because each is written separately. */
const splitsCharacter = (part: string): boolean => isHighSurrogate(part.charCodeAt(part.length - 1));

/** Writes a session to the exports directory when it ends. Returns the path of the file. */
export async function writeExport(
  context: BaseContext<"SESSION_NOT_FOUND">,
  sessionId: string,
): Promise<string> {
  const { pieces } = await renderExport(context, sessionId, "json", true);
  return saveExport(context, sessionId, "json", pieces, undefined);
}

export const findExport = ({ exports }: BaseContext, sessionId: string): Promise<string | undefined> =>
  exports.find(fileNameOf(sessionId, "json"));

const fileNameOf = (sessionId: string, format: ExportFormat) => `${sessionId}.${extensions[format]}`;

type IsEarlier = (beginning: string, sessionId: string, hasFileName: boolean) => boolean;

/**
 * Cipher documents, and Markdown without metadata, do not contain their session ID. Such files are recognised
 * by their form and by the session ID in the filename.
 */
const namesSession: Record<ExportFormat, IsEarlier> = {
  json: (beginning, sessionId) => beginning.startsWith(`{"version":"1.0","session":{"id":"${sessionId}"`),
  markdown: (beginning, sessionId, hasFileName) =>
    beginning.startsWith("# ") &&
    (beginning.includes(`\n| Session | \`${sessionId}\` |\n`) ||
      (hasFileName && beginning.includes("\n\n## Reasoning\n"))),
  cipher: (beginning, _sessionId, hasFileName) => hasFileName && /^(?:S\d+\|[A-Z]\||\n$)/.test(beginning),
};

export async function saveExport(
  { exports, emit, clock }: BaseContext,
  sessionId: string,
  format: ExportFormat,
  content: readonly string[],
  destination: string | undefined,
): Promise<string> {
  const path = await exports.write({
    fileName: fileNameOf(sessionId, format),
    content,
    destination,
    isEarlier: (beginning, hasFileName) => namesSession[format](beginning, sessionId, hasFileName),
  });
  emit({
    type: "session_exported",
    timestamp: clock().toISOString(),
    sessionId,
    data: { format, path },
  });
  return path;
}
