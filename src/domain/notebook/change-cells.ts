import {
  blankPackageJson,
  type CellDraft,
  type CellRevision,
  composeContent,
  type PackageSpec,
  reviseContent,
  withDependencies,
} from "./cell-content.ts";
import { notebookFailure } from "./failures.ts";
import { type Cell, type CellContent, checkSize, findCell, type Notebook, textOf } from "./notebook.ts";

/** Where to put a cell: after another one, or at a position counted from 0. Default: at the end. */
export type CellPosition = { afterCellId?: string | undefined; position?: number | undefined };

/**
 * A past state of a cell. If `content` is absent, the state records that the cell was deleted from that
 * position.
 */
export type CellVersion = { version: number; content: CellContent | undefined; position: number };

/** The result of a change: the cells in their new order, and the version to keep in the history. */
export type CellChange = { cells: Cell[]; cellId: string; written: CellVersion | undefined };

function indexFor(cells: readonly Cell[], notebook: Notebook, place: CellPosition): number {
  if (place.afterCellId !== undefined && place.position !== undefined)
    throw notebookFailure("two_positions", {});
  if (place.position !== undefined) return Math.min(place.position, cells.length);
  if (place.afterCellId === undefined) return cells.length;
  const { cell } = findCell(notebook, place.afterCellId);
  return cells.findIndex(({ id }) => id === cell.id) + 1;
}

function insertAt(cells: readonly Cell[], index: number, cell: Cell): Cell[] {
  return [...cells.slice(0, index), cell, ...cells.slice(index)];
}

export function versionOf({ id: _id, version, ...content }: Cell, position: number): CellVersion {
  return { version, content, position };
}

export function addCell(notebook: Notebook, id: string, draft: CellDraft, place: CellPosition): CellChange {
  const { cells, language } = notebook;
  const cell: Cell = { ...composeContent(draft, { others: cells, language }), id, version: 1 };
  const index = indexFor(cells, notebook, place);
  const changed = insertAt(cells, index, cell);
  checkSize(changed);
  return { cells: changed, cellId: id, written: versionOf(cell, index) };
}

export function updateCell(notebook: Notebook, named: string, draft: CellRevision): CellChange {
  const { cell, index } = findCell(notebook, named);
  const others = notebook.cells.filter(({ id }) => id !== cell.id);
  const content = reviseContent(cell, draft, { others, language: notebook.language });
  const revised: Cell = { ...content, id: cell.id, version: cell.version + 1 };
  const cells = notebook.cells.with(index, revised);
  checkSize(cells);
  return { cells, cellId: cell.id, written: versionOf(revised, index) };
}

/** Returns the text of the notebook's package.json cell with these packages added. */
export function packageJsonWith({ cells }: Notebook, added: readonly PackageSpec[]): string {
  const cell = cells.find(({ type }) => type === "package.json");
  return withDependencies(cell ? textOf(cell) : blankPackageJson, added);
}

/** Adds packages to the notebook's package.json cell. If there is no such cell, adds it after the title. */
export function addPackages(notebook: Notebook, newId: string, added: readonly PackageSpec[]): CellChange {
  const content = packageJsonWith(notebook, added);
  return notebook.cells.some(({ type }) => type === "package.json")
    ? updateCell(notebook, "package.json", { content })
    : addCell(notebook, newId, { type: "package.json", content }, { position: 1 });
}

/** Moves a cell. This creates no version, because a cell's content does not include its position. */
export function moveCell(notebook: Notebook, named: string, place: CellPosition): CellChange {
  const { cell } = findCell(notebook, named);
  if (place.afterCellId === undefined && place.position === undefined)
    throw notebookFailure("no_position", {});
  const others = notebook.cells.filter(({ id }) => id !== cell.id);
  if (place.afterCellId !== undefined && findCell(notebook, place.afterCellId).cell.id === cell.id)
    throw notebookFailure("cell_after_itself", {});
  return {
    cells: insertAt(others, indexFor(others, notebook, place), cell),
    cellId: cell.id,
    written: undefined,
  };
}

export function deleteCell(notebook: Notebook, named: string): CellChange {
  const { cell, index } = findCell(notebook, named);
  return {
    cells: notebook.cells.filter(({ id }) => id !== cell.id),
    cellId: cell.id,
    written: { version: cell.version + 1, content: undefined, position: index },
  };
}

/**
 * Makes an older version the current one. The history keeps the version it replaces. If `version` is absent,
 * restores the last version of a deleted cell, or the previous version of a changed one. A deleted cell
 * returns to its position.
 */
export function restoreCell(
  notebook: Notebook,
  cellId: string,
  history: readonly CellVersion[],
  version: number | undefined,
): CellChange {
  const newest = history.at(-1);
  const restorable = history.filter(({ content }) => content).map((one) => one.version);
  const unknown = () =>
    notebookFailure("unknown_cell_version", {
      notebookId: notebook.id,
      cellId,
      versions: restorable.slice(-50),
    });
  if (!newest) throw unknown();
  const wanted =
    version === undefined
      ? history.findLast((one) => one.content !== undefined && one !== newest)
      : history.find((one) => one.version === version);
  if (!wanted?.content) throw unknown();
  const { content } = wanted;
  const current = notebook.cells.findIndex(({ id }) => id === cellId);
  const others = notebook.cells.filter(({ id }) => id !== cellId);
  const draft: CellDraft = {
    type: content.type,
    content: "text" in content ? content.text : content.source,
    ...(content.type === "code" && { filename: content.filename }),
  };
  const restored: Cell = {
    ...composeContent(draft, { others, language: notebook.language }),
    id: cellId,
    version: newest.version + 1,
  };
  const index = current === -1 ? Math.min(newest.position, others.length) : current;
  const cells = insertAt(others, index, restored);
  checkSize(cells);
  return { cells, cellId, written: versionOf(restored, index) };
}
