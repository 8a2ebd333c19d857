import { defineFailures } from "../../kernel/errors.ts";

/** Why a notebook refuses a request, with the facts for the message. */
export type NotebookFacts = {
  unknown_notebook: { notebookId: string };
  unknown_cell: {
    notebookId: string;
    cell: string;
    cells: readonly { id: string; type: string; filename?: string }[];
  };
  /** `versions` is empty if the cell never existed. Deleted cells keep their versions. */
  unknown_cell_version: { notebookId: string; cellId: string; versions: readonly number[] };
  invalid_filename: { filename: string; max: number };
  /** `ofName` is the language that the file extension indicates. */
  language_differs: { filename: string; ofName: string; language: string };
  filename_taken: { filename: string };
  cell_has_no_language: { type: string };
  /** A package.json cell has a fixed filename. */
  cell_has_no_filename: { type: string };
  invalid_title: { max: number };
  two_positions: Record<never, never>;
  no_position: Record<never, never>;
  cell_after_itself: Record<never, never>;
  notebook_too_large: { counted: "cells" | "characters of a cell" | "characters"; max: number };
  not_a_package: { spec: string };
  /** `problem` continues a sentence that begins with the filename. */
  invalid_package_json: { problem: string };
  invalid_package_list: { field: string };
  not_src_md: Record<never, never>;
  unknown_language: { languages: readonly string[] };
  /** The file links to a cell's code instead of containing it. */
  code_elsewhere: { filename: string };
  cell_without_end: { opening: string };
};

export const notebookFailure = defineFailures<NotebookFacts>({
  unknown_notebook: "UNKNOWN_ID",
  unknown_cell: "UNKNOWN_ID",
  unknown_cell_version: "UNKNOWN_ID",
  invalid_filename: "INVALID_PAYLOAD",
  language_differs: "INVALID_PAYLOAD",
  filename_taken: "CONFLICT",
  cell_has_no_language: "INVALID_PAYLOAD",
  cell_has_no_filename: "INVALID_PAYLOAD",
  invalid_title: "INVALID_PAYLOAD",
  two_positions: "INVALID_PAYLOAD",
  no_position: "INVALID_PAYLOAD",
  cell_after_itself: "INVALID_PAYLOAD",
  notebook_too_large: "INVALID_PAYLOAD",
  not_a_package: "INVALID_PAYLOAD",
  invalid_package_json: "INVALID_PAYLOAD",
  invalid_package_list: "INVALID_PAYLOAD",
  not_src_md: "INVALID_PAYLOAD",
  unknown_language: "INVALID_PAYLOAD",
  code_elsewhere: "INVALID_PAYLOAD",
  cell_without_end: "INVALID_PAYLOAD",
});
