import type {
  CellHistoryAnswer,
  NotebookAnswer,
  NotebookCell,
  NotebookLine,
  NotebooksAnswer,
} from "../../../src/observatory/wire-notebooks.ts";
import type { Fetched, Get } from "../http.ts";

export type { NotebookCell, NotebookLine };
export type Notebook = NotebookAnswer;
export type NotebookList = NotebooksAnswer;
export type CellVersions = CellHistoryAnswer;

const at = (id: string) => `/api/notebooks/${encodeURIComponent(id)}`;

export const readNotebooks = (get: Get, abort: AbortSignal): Promise<Fetched<NotebookList>> =>
  get<NotebooksAnswer>("/api/notebooks", {}, abort);

export const readNotebook = (get: Get, id: string, abort: AbortSignal): Promise<Fetched<Notebook>> =>
  get<NotebookAnswer>(at(id), {}, abort);

export const readVersions = (
  get: Get,
  id: string,
  cell: string,
  abort: AbortSignal,
): Promise<Fetched<CellVersions>> =>
  get<CellHistoryAnswer>(`${at(id)}/cells/${encodeURIComponent(cell)}`, {}, abort);
