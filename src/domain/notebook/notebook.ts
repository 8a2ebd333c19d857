import { type Cell, type CellContent, filenameOf, textOf } from "./cell.ts";
import { type NotebookFacts, notebookFailure } from "./failures.ts";
import type { Language } from "./filename.ts";
import { notebookLimits } from "./limits.ts";

/** A notebook as its rules see it: what it says, in order. Runs and their output are kept apart. */
export type Notebook = {
  id: string;
  language: Language;
  /** The text of a tsconfig.json, of which the runner obeys a few compiler options. */
  tsconfig?: string | undefined;
  /** Whether its cells may use the network. */
  net: boolean;
  cells: readonly Cell[];
};

const untitled = "Untitled notebook";

export function titleOf({ cells }: { cells: readonly CellContent[] }): string {
  for (const cell of cells) if (cell.type === "title") return cell.text;
  return untitled;
}

/** A cell by its id or by its filename, which no other cell of the notebook has. */
export function findCell(notebook: Notebook, named: string): { cell: Cell; index: number } {
  const index = notebook.cells.findIndex((cell) => cell.id === named || filenameOf(cell) === named);
  const cell = notebook.cells[index];
  if (cell) return { cell, index };
  const cells = notebook.cells.slice(0, 20).map((cell) => {
    const filename = filenameOf(cell);
    return { id: cell.id, type: cell.type, ...(filename !== undefined && { filename }) };
  });
  throw notebookFailure("unknown_cell", { notebookId: notebook.id, cell: named, cells });
}

export function checkSize(cells: readonly CellContent[]): void {
  if (cells.length > notebookLimits.cells) throw tooLarge("cells", notebookLimits.cells);
  let characters = 0;
  for (const cell of cells) {
    const { length } = textOf(cell);
    if (length > notebookLimits.cellCharacters)
      throw tooLarge("characters of a cell", notebookLimits.cellCharacters);
    characters += length;
  }
  if (characters > notebookLimits.notebookCharacters)
    throw tooLarge("characters", notebookLimits.notebookCharacters);
}

const tooLarge = (counted: NotebookFacts["notebook_too_large"]["counted"], max: number) =>
  notebookFailure("notebook_too_large", { counted, max });
