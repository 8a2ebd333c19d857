import { type ErrorCode, failure, type ThoughtboxError } from "../../kernel/errors.ts";

/** Why a notebook refuses something, and what the words about it need. */
export type NotebookFacts = {
  unknown_notebook: { notebookId: string };
  unknown_cell: { notebookId: string; cell: string; cells: readonly { id: string; type: string }[] };
  /** Deleted cells have versions too; one that never was has none. */
  unknown_cell_version: { notebookId: string; cellId: string; versions: readonly number[] };
};

const codes = {
  unknown_notebook: "UNKNOWN_ID",
  unknown_cell: "UNKNOWN_ID",
  unknown_cell_version: "UNKNOWN_ID",
} as const satisfies Record<keyof NotebookFacts, ErrorCode>;

export function notebookFailure<Reason extends keyof NotebookFacts>(
  reason: Reason,
  facts: NotebookFacts[Reason],
): ThoughtboxError {
  return failure(codes[reason], reason, facts);
}
