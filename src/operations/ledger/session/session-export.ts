import * as z from "zod";
import { actionSection } from "../../../domain/actions/describe-action.ts";
import { referenceTable } from "../../../domain/export/markdown-document.ts";
import { cellSection } from "../../../domain/notebook/cell-link.ts";
import { createTurns } from "../../../kernel/steps.ts";
import { clip } from "../../../kernel/text.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { maxAnswerChars } from "../../pipeline/fit/budget.ts";
import { readLinkedCells } from "../notebook/cells/linked-cells.ts";
import { crossReferencesSchema, resolveCrossReferences } from "./cross-references.ts";
import { exportFormats, renderExport, saveExport } from "./write-export.ts";

/** The maximum length of a page. Leaves room for the cross references in the same answer. */
const inlineLimit = maxAnswerChars - 25_000;

type TextPage = { content: string; nextAfter?: number };

/**
 * Returns one page, which ends at a line break if possible. `rest` starts at character `after`. `rest` may be
 * truncated to `limit` + 1 characters. Quotes and backslashes count twice, as in JSON.
 */
function pageOfText(rest: string, after: number, limit: number): TextPage {
  if (rest.length <= limit && written(rest) <= limit) return { content: rest };
  let part = clip(rest, limit);
  while (written(part) > limit) part = clip(part, Math.floor((part.length * limit) / written(part)) - 1);
  const lines = part.slice(0, part.lastIndexOf("\n") + 1);
  const content = lines === "" ? part : lines;
  return { content, nextAfter: after + content.length };
}

const written = (text: string): number => JSON.stringify(text).length - 2;

function textFrom(
  pieces: readonly string[],
  after: number,
  count: number = Number.POSITIVE_INFINITY,
): string {
  const found: string[] = [];
  let [skip, wanted] = [after, count];
  for (const piece of pieces) {
    if (wanted <= 0) break;
    const part = skip >= piece.length ? "" : piece.slice(skip, skip + wanted);
    skip = Math.max(0, skip - piece.length);
    wanted -= part.length;
    if (part !== "") found.push(part);
  }
  return found.join("");
}

async function bytesOf(pieces: readonly string[]): Promise<number> {
  const turn = createTurns();
  let bytes = 0;
  for (const piece of pieces) {
    bytes += Buffer.byteLength(piece);
    await turn();
  }
  return bytes;
}

export const sessionExport = defineOperation({
  name: "session.export",
  family: "ledger",
  title: "Export a session",
  summary:
    "Exports a whole session as json, markdown or cipher. Returns it, in pages if it is large, or writes it to a file.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "session",
  input: {
    format: z
      .enum(exportFormats)
      .default("json")
      .describe(
        "json (default) contains the hash chain and can be imported. markdown and cipher are for readers.",
      ),
    includeMetadata: z
      .boolean()
      .default(true)
      .describe("Include the metadata and the hash chain. Default: true."),
    resolveAnchors: z.boolean().default(true).describe("Resolve anchors such as @auth:S25. Default: true."),
    destination: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe("File or directory inside the exports directory or one of THOUGHTBOX_EXPORT_DIRS."),
    after: z
      .int()
      .min(0)
      .max(2_000_000_000)
      .default(0)
      .describe(
        "Where to continue the export of a large session: nextAfter from the previous page. Default: 0.",
      ),
  },
  advanced: ["includeMetadata", "resolveAnchors", "after"],
  output: z.strictObject({
    sessionId: z.string(),
    format: z.string(),
    export: z.record(z.string(), z.unknown()).optional(),
    content: z.string().optional(),
    path: z.string().optional(),
    bytes: z.int(),
    nextAfter: z.int().optional(),
    hasMore: z.literal(true).optional(),
    crossReferences: crossReferencesSchema.optional(),
  }),
  // A JSON export is a backup and keeps every character. The other formats and the references are masked.
  secrets: { mask: false },
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "into the answer", given: "a session with a branch", input: { sessionId: "$session" } },
    {
      title: "for a pull request",
      given: "a session with a branch",
      input: { sessionId: "$session", format: "markdown" },
    },
    {
      title: "into a file",
      given: "a session with a branch",
      input: { sessionId: "$session", destination: "for-review" },
    },
  ],

  async handle({ format, includeMetadata, resolveAnchors, destination, after }, context) {
    const sessionId = context.callerState.sessionId;
    context.ledger.touch(sessionId, context.clock().toISOString());
    await context.tree?.flush(sessionId);
    const rendered = await renderExport(context, sessionId, format, includeMetadata);
    const { session } = context.callerState;
    const references = resolveAnchors && (await resolveCrossReferences(context, session, rendered.thoughts));
    const hasReferences = references && references.anchorsFound > 0;
    const cells =
      format === "markdown" ? await readLinkedCells(context, session.project, rendered.thoughts) : [];
    const pieces = [
      ...rendered.pieces,
      ...(format === "markdown" && hasReferences ? ["\n", referenceTable(references.details)] : []),
      ...(format === "markdown" && rendered.actions.length > 0
        ? ["\n", actionSection(rendered.actions)]
        : []),
      ...(cells.length > 0 ? ["\n", cellSection(cells)] : []),
    ];
    const answer = {
      sessionId,
      format,
      bytes: await bytesOf(pieces),
      ...(hasReferences && { crossReferences: references }),
    };
    const isInline = context.settings.exportsInline && context.caller.transport !== "cli";
    if (destination !== undefined && isInline) {
      context.exports.check({ fileName: `${sessionId}.${format}`, destination });
      context.warn({
        code: "EXPORT_INLINE",
        message: "This server does not write export files, so the answer contains the export.",
      });
    }
    if (destination !== undefined && !isInline)
      return { ...answer, path: await saveExport(context, sessionId, format, pieces, destination) };
    // The terminal gets the whole session.
    const page =
      context.caller.transport === "cli"
        ? undefined
        : pageOfText(textFrom(pieces, after, inlineLimit + 1), after, inlineLimit);
    if (page?.nextAfter !== undefined) return { ...answer, ...page, hasMore: true as const };
    const timestamp = context.clock().toISOString();
    context.emit({ type: "session_exported", timestamp, sessionId, data: { format } });
    if (rendered.toValue && after === 0) return { ...answer, export: await rendered.toValue() };
    return { ...answer, content: page?.content ?? textFrom(pieces, after) };
  },
});
