import * as z from "zod";
import { findCell } from "../../../../domain/notebook/notebook.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { cellSchema, shownOfOne, toCellAnswer } from "../cells/cell-answer.ts";
import { findNotebook } from "../find-notebook.ts";
import { cellId, notebookId, recordAs, timeoutMs } from "../notebook-fields.ts";
import { recordRun, requireRecord } from "./record-run.ts";
import { runCellNow, whenAllowed } from "./run-cell-now.ts";

export const notebookRunCell = defineOperation({
  name: "notebook.run_cell",
  family: "ledger",
  title: "Run a cell",
  summary: "Runs a code cell in a sandbox and keeps its output. recordAs also records it as evidence.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  openWorld: true,
  scope: "caller",
  input: { notebookId, cellId, timeoutMs, recordAs: recordAs.optional() },
  advanced: ["timeoutMs"],
  output: z.strictObject({
    notebookId: z.string(),
    cellId: z.string(),
    status: z.enum(["completed", "failed"]),
    output: z.string(),
    error: z.string().nullable(),
    cell: cellSchema,
    recorded: z
      .strictObject({ sessionId: z.string(), branchId: z.string().optional(), thoughtNumber: z.int() })
      .optional(),
  }),
  errors: [
    "UNKNOWN_ID",
    "INVALID_PAYLOAD",
    "SESSION_NOT_FOUND",
    "THOUGHT_NOT_FOUND",
    "SANDBOX_REQUIRED",
    "STORAGE_ERROR",
  ],
  examples: [
    {
      title: "and record it as evidence",
      given: "a notebook",
      input: {
        sessionId: "$session",
        notebookId: "$notebook",
        cellId: "add.ts",
        recordAs: { sessionId: "$session", type: "E", references: [1] },
      },
    },
  ],

  handle: ({ notebookId, cellId, timeoutMs, recordAs }, context) =>
    whenAllowed(context, async () => {
      await requireRecord(context, recordAs);
      const notebook = await findNotebook(context, notebookId);
      const { cell } = findCell(notebook, cellId);
      if (cell.type !== "code")
        return context.fail("INVALID_PAYLOAD", `A ${cell.type} cell cannot be run.`, {
          recovery: {
            hint:
              cell.type === "package.json"
                ? "Install the packages of this cell with notebook.install_deps."
                : "List the cells, then choose a code cell.",
            operation: cell.type === "package.json" ? "notebook.install_deps" : "notebook.list_cells",
            args: { notebookId },
          },
        });
      const progress = (message: string) => context.progress(0, 1, message);
      const isEvidence = recordAs !== undefined;
      const ran = await runCellNow(context, notebook, cell, { timeoutMs, isEvidence, progress });
      const { status, ...result } = ran.result;
      context.progress(1, 1, status);
      const recorded = recordAs && (await recordRun(context, recordAs, notebook, cell, ran));
      const run = { version: cell.version, startedAt: ran.startedAt, status, result };
      const answer = toCellAnswer(cell, run, shownOfOne);
      return {
        notebookId,
        cellId: cell.id,
        status,
        output: answer.output ?? "",
        error: answer.error ?? null,
        cell: answer,
        ...(recorded && { recorded }),
      };
    }),
});
