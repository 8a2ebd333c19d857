import * as z from "zod";
import { statusOf } from "../../../../domain/notebook/cell-status.ts";
import { findCell, notebookLimits, textOf } from "../../../../domain/notebook/notebook.ts";
import { clipWhole } from "../../../../kernel/secrets/secrets-policy.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { continues } from "../../../pipeline/fit/fit.ts";
import { findNotebook, findVersion } from "../find-notebook.ts";
import { cellId, notebookId } from "../notebook-fields.ts";
import { cellSchema, shownOfOne, toCellAnswer } from "./cell-answer.ts";

export const notebookGetCell = defineOperation({
  name: "notebook.get_cell",
  family: "ledger",
  title: "Read a cell",
  summary: "Returns one cell with the output of its latest run and, on request, its versions.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: {
    notebookId,
    cellId,
    version: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe("Version to return, even if the cell has been deleted since. Default: the newest."),
    run: z
      .int()
      .min(1)
      .max(8_640_000_000_000_000)
      .optional()
      .describe(
        "Start time of the run to show, in milliseconds, as in links to runs. Default: the latest run.",
      ),
    versions: z.boolean().default(false).describe("Adds the earlier versions. Default: false."),
    maxChars: z
      .int()
      .min(200)
      .max(60_000)
      .default(shownOfOne)
      .describe("Characters of output to show. Default: 20000."),
    offset: z
      .int()
      .min(0)
      .max(notebookLimits.cellCharacters)
      .default(0)
      .describe("Where to continue a long source or text: nextOffset from the previous answer. Default: 0."),
  },
  advanced: ["version", "run", "versions", "maxChars", "offset"],
  output: z.strictObject({
    notebookId: z.string(),
    position: z.int(),
    cell: cellSchema,
    versions: z
      .array(z.strictObject({ version: z.int(), deleted: z.boolean(), content: z.string().optional() }))
      .optional(),
    nextOffset: z.int().optional(),
  }),
  fit: continues("cell", (cell) => ("text" in cell ? "text" : "source")),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "with its versions",
      given: "a notebook with a changed cell",
      input: { sessionId: "$session", notebookId: "$notebook", cellId: "add.ts", versions: true },
    },
  ],

  async handle({ notebookId, cellId, version, run: startedAt, versions, maxChars }, context) {
    const notebook = await findNotebook(context, notebookId);
    const { cell, index } =
      version === undefined
        ? findCell(notebook, cellId)
        : await findVersion(context, notebook, cellId, version);
    const run =
      startedAt === undefined
        ? notebook.runs.get(cell.id)
        : await context.notebooks.readRun(notebookId, cell.id, startedAt);
    const isLatest = version === undefined && startedAt === undefined;
    const history = versions ? await context.notebooks.readHistory(notebookId, cell.id) : undefined;
    return {
      notebookId,
      position: index,
      cell: isLatest
        ? toCellAnswer(cell, run, maxChars, statusOf(cell, notebook))
        : toCellAnswer(cell, version === undefined || run?.version === version ? run : undefined, maxChars),
      ...(history && {
        versions: history.slice(-100).map(({ version, content }) => ({
          version,
          deleted: content === undefined,
          ...(content && { content: clipWhole(textOf(content), 2_000) }),
        })),
      }),
    };
  },
});
