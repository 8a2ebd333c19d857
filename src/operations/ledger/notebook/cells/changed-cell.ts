import * as z from "zod";
import { cellSchema } from "./cell-answer.ts";

/** What every change of a cell returns: the cell as it is now, and where it stands. */
export const changedCell = z.strictObject({
  notebookId: z.string(),
  cellId: z.string(),
  position: z.int().optional(),
  cell: cellSchema.optional(),
});
