import * as z from "zod";
import { slugify } from "../../../domain/knowledge/note.ts";
import { titleOf } from "../../../domain/notebook/notebook.ts";
import { encodeSrcMd } from "../../../domain/notebook/src-md.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { maxAnswerChars } from "../../pipeline/fit/budget.ts";
import { findNotebook } from "./find-notebook.ts";
import { notebookId } from "./notebook-fields.ts";

const inlineLimit = maxAnswerChars - 2_000;

export const notebookExport = defineOperation({
  name: "notebook.export",
  family: "ledger",
  title: "Export a notebook",
  summary: "Writes a notebook as a .src.md file: Markdown that people, notebook.load and Srcbook can read.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    notebookId,
    path: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe("Directory or file, inside the exports directory or one of THOUGHTBOX_EXPORT_DIRS."),
  },
  spellings: { aliases: { destination: "path" } },
  output: z.strictObject({
    notebookId: z.string(),
    content: z.string().optional(),
    path: z.string().optional(),
    bytes: z.int(),
  }),
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "into the answer",
      given: "a notebook",
      input: { sessionId: "$session", notebookId: "$notebook" },
    },
  ],

  async handle({ notebookId, path }, context) {
    const notebook = await findNotebook(context, notebookId);
    const content = context.settings.secrets.forAnswer(encodeSrcMd(notebook));
    const bytes = Buffer.byteLength(content);
    const fileName = `${slugify(titleOf(notebook))}.src.md`;
    const isInline = path === undefined || context.settings.exportsInline;
    if (isInline && JSON.stringify(content).length <= inlineLimit) {
      context.exports.check({ fileName, destination: path });
      return { notebookId, content, bytes };
    }
    const head = beginningOf(content);
    const isEarlier = (beginning: string): boolean => beginning.startsWith(head);
    const written = await context.exports.write({
      fileName,
      content: [content],
      destination: path,
      isEarlier,
    });
    return { notebookId, path: written, bytes };
  },
});

/** Returns the language and the title. A file that begins with both is an earlier export of the notebook. */
const beginningOf = (content: string): string => `${content.split("\n\n", 2).join("\n\n")}\n`;
