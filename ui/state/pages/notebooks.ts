import type {
  CellHistoryAnswer,
  CellNameAnswer,
  CellRunAnswer,
  CellRunLine,
  NotebookAnswer,
  NotebookCell,
  NotebookLine,
  NotebookRun,
  NotebookSourceAnswer,
  NotebooksAnswer,
  RecordedRun,
} from "../../../src/observatory/wire-notebooks.ts";
import type { Fetched, Get } from "../http.ts";

export type { CellRunLine, NotebookCell, NotebookLine, NotebookRun, RecordedRun };
export type Notebook = NotebookAnswer;
export type NotebookList = NotebooksAnswer;
export type CellHistory = CellHistoryAnswer;

const at = (id: string) => `/api/notebooks/${encodeURIComponent(id)}`;
const cellAt = (id: string, cell: string) => `${at(id)}/cells/${encodeURIComponent(cell)}`;

export const readNotebooks = (get: Get, abort: AbortSignal): Promise<Fetched<NotebookList>> =>
  get<NotebooksAnswer>("/api/notebooks", {}, abort);

export const readNotebook = (get: Get, id: string, abort: AbortSignal): Promise<Fetched<Notebook>> =>
  get<NotebookAnswer>(at(id), {}, abort);

export const readHistory = (
  get: Get,
  id: string,
  cell: string,
  abort: AbortSignal,
): Promise<Fetched<CellHistory>> => get<CellHistoryAnswer>(cellAt(id, cell), {}, abort);

export const readRun = (
  get: Get,
  id: string,
  cell: string,
  run: number,
  abort: AbortSignal,
): Promise<Fetched<CellRunAnswer>> => get<CellRunAnswer>(cellAt(id, cell), { run }, abort);

export const readSource = (get: Get, id: string): Promise<Fetched<NotebookSourceAnswer>> =>
  get<NotebookSourceAnswer>(`${at(id)}/source`);

/** Reads the name of a cell for links to it. Returns `undefined` if the cell cannot be read. */
export async function readCellName(get: Get, id: string, cell: string): Promise<string | undefined> {
  const fetched = await get<CellNameAnswer>(cellAt(id, cell), { name: "true" });
  return "answer" in fetched ? fetched.answer.name : undefined;
}
