import * as z from "zod";
import { cellsToRepeat } from "../../../../domain/notebook/cell-status.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { excerpt, shownOfMany } from "../cells/cell-answer.ts";
import { findNotebook } from "../find-notebook.ts";
import { notebookId, recordAs, timeoutMs } from "../notebook-fields.ts";
import { joinQueue } from "./cell-queue.ts";
import { recordRun, requireRecord } from "./record-run.ts";
import { runCellNow, whenAllowed } from "./run-cell-now.ts";

export const notebookRunAll = defineOperation({
  name: "notebook.run_all",
  family: "ledger",
  title: "Run all cells",
  summary: "Runs the code cells of a notebook in order and stops at the first one that fails.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  openWorld: true,
  scope: "caller",
  input: {
    notebookId,
    timeoutMs: timeoutMs.describe("Time limit for each cell in milliseconds. Default: 30000."),
    staleOnly: z
      .boolean()
      .default(false)
      .describe(
        "Runs only stale or interrupted cells, including cells that depend on edited ones. Default: false.",
      ),
    recordAs: recordAs.optional().describe("Records each run as a thought in a session."),
  },
  advanced: ["timeoutMs", "staleOnly"],
  output: z.strictObject({
    notebookId: z.string(),
    status: z.enum(["completed", "failed"]),
    ran: z.array(
      z.strictObject({
        cellId: z.string(),
        filename: z.string(),
        status: z.enum(["completed", "failed"]),
        output: z.string(),
        value: z.string().optional(),
        error: z.string().optional(),
        durationMs: z.int(),
        sandbox: z.string(),
        branchId: z.string().optional(),
        thoughtNumber: z.int().optional(),
      }),
    ),
    failedCell: z.string().optional(),
    notRun: z.int(),
  }),
  errors: ["UNKNOWN_ID", "SESSION_NOT_FOUND", "THOUGHT_NOT_FOUND", "SANDBOX_REQUIRED", "STORAGE_ERROR"],
  examples: [
    { title: "in order", given: "a notebook", input: { sessionId: "$session", notebookId: "$notebook" } },
    {
      title: "only stale cells",
      given: "a notebook",
      input: { sessionId: "$session", notebookId: "$notebook", staleOnly: true },
    },
  ],

  handle: ({ notebookId, timeoutMs, staleOnly, recordAs }, context) =>
    whenAllowed(context, async () => {
      await requireRecord(context, recordAs);
      const notebook = await findNotebook(context, notebookId);
      const code = (staleOnly ? cellsToRepeat(notebook) : notebook.cells).filter(
        (cell) => cell.type === "code",
      );
      const ran = [];
      let failedCell: string | undefined;
      const queue = await joinQueue(
        context,
        notebookId,
        code.map(({ id }) => id),
      );
      try {
        for (const [done, cell] of code.entries()) {
          const progress = (message: string) => context.progress(done, code.length, message);
          const isEvidence = recordAs !== undefined;
          const one = await runCellNow(context, notebook, cell, { timeoutMs, isEvidence, queue, progress });
          const recorded = recordAs && (await recordRun(context, recordAs, notebook, cell, one));
          const { status, output, value, error, durationMs, sandbox } = one.result;
          ran.push({
            cellId: cell.id,
            filename: cell.filename,
            status,
            output: excerpt(output, shownOfMany),
            ...(value !== undefined && { value: excerpt(value, shownOfMany) }),
            ...(error !== undefined && { error: excerpt(error, shownOfMany) }),
            durationMs,
            sandbox,
            ...(recorded?.branchId !== undefined && { branchId: recorded.branchId }),
            ...(recorded && { thoughtNumber: recorded.thoughtNumber }),
          });
          if (status === "failed") {
            failedCell = cell.filename;
            break;
          }
        }
      } finally {
        await queue?.leave();
      }
      context.progress(
        ran.length,
        code.length,
        failedCell === undefined ? "completed" : `failed at ${failedCell}`,
      );
      return {
        notebookId,
        status: failedCell === undefined ? ("completed" as const) : ("failed" as const),
        ran,
        ...(failedCell !== undefined && { failedCell }),
        notRun: code.length - ran.length,
      };
    }),
});
