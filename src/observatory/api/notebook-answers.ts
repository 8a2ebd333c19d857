import { importsOf, statusOf } from "../../domain/notebook/cell-status.ts";
import { filenameOf, textOf, titleOf } from "../../domain/notebook/notebook.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { CellRun, NotebookStore, StoredNotebook } from "../../ports/notebook/notebook-store.ts";
import type { Mask } from "../session/to-wire.ts";
import type {
  CellHistoryAnswer,
  NotebookAnswer,
  NotebookCell,
  NotebookLine,
  NotebooksAnswer,
} from "../wire-notebooks.ts";
import { invalid } from "./answer.ts";

export type NotebookSource = {
  ledger: Pick<LedgerStore, "countByProject">;
  notebooks: Pick<NotebookStore, "listNotebooks" | "readNotebook" | "readHistory">;
  mask: Mask;
  isShown(project: string): boolean;
};

const mostProjects = 200;
const perProject = 50;
/** This many notebooks are read in full, to count their stale cells. */
const mostCounted = 50;

async function listProjects({ ledger, isShown }: NotebookSource): Promise<string[]> {
  const counted = await ledger.countByProject(mostProjects);
  return counted.map(({ project }) => project).filter(isShown);
}

/** The notebooks of all projects, except those in the trash. */
export async function countNotebooks(source: NotebookSource): Promise<number> {
  let total = 0;
  for (const project of await listProjects(source)) {
    const page = await source.notebooks.listNotebooks({ project, trash: false, limit: 0, offset: 0 });
    total += page.total;
  }
  return total;
}

export async function answerNotebooks(source: NotebookSource): Promise<NotebooksAnswer> {
  const found: NotebookLine[] = [];
  let total = 0;
  for (const project of await listProjects(source)) {
    const filter = { project, trash: false, limit: perProject, offset: 0 };
    const page = await source.notebooks.listNotebooks(filter);
    total += page.total;
    for (const { id, title, language, cellCount, updatedAt } of page.notebooks)
      found.push({
        id,
        title: source.mask(title),
        project,
        language,
        cellCount,
        updatedAt,
        stale: 0,
        interrupted: 0,
      });
  }
  found.sort((a, b) => b.updatedAt - a.updatedAt);
  for (const line of found.slice(0, mostCounted)) {
    const notebook = await source.notebooks.readNotebook(line.project, line.id);
    if (notebook) Object.assign(line, countStates(notebook));
  }
  return { notebooks: found, total };
}

async function findNotebook(source: NotebookSource, notebookId: string): Promise<StoredNotebook> {
  for (const project of await listProjects(source)) {
    const notebook = await source.notebooks.readNotebook(project, notebookId);
    if (notebook) return notebook;
  }
  throw invalid("There is no such notebook here. It may be in another project, or in the trash.");
}

/** Agents see a notebook's title as a cell. The page shows it as the heading, so it is not counted. */
function countStates(notebook: StoredNotebook): { cellCount: number; stale: number; interrupted: number } {
  const states = notebook.cells.map((cell) => statusOf(cell, notebook));
  const count = (state: NotebookCell["state"]) => states.filter((one) => one === state).length;
  const cellCount = notebook.cells.filter(({ type }) => type !== "title").length;
  return { cellCount, stale: count("stale"), interrupted: count("interrupted") };
}

export async function answerNotebook(source: NotebookSource, notebookId: string): Promise<NotebookAnswer> {
  const notebook = await findNotebook(source, notebookId);
  const { mask } = source;
  const { id, project, language, updatedAt, cells, runs } = notebook;
  return {
    id,
    project,
    language,
    updatedAt,
    title: mask(titleOf(notebook)),
    ...countStates(notebook),
    cells: cells.map((cell): NotebookCell => {
      const run = runs.get(cell.id);
      const filename = filenameOf(cell);
      return {
        id: cell.id,
        type: cell.type,
        version: cell.version,
        ...(filename !== undefined && { filename }),
        text: mask(textOf(cell)),
        uses: importsOf(cell, cells).map((used) => used.id),
        state: statusOf(cell, notebook),
        ...(run && { run: toRun(run, mask) }),
      };
    }),
  };
}

function toRun({ startedAt, version, result }: CellRun, mask: Mask): NonNullable<NotebookCell["run"]> {
  if (!result) return { at: startedAt, version, displays: [] };
  const { output, value, error, exitCode, durationMs, sandbox, stoppedBy, displays } = result;
  return {
    at: startedAt,
    version,
    output: mask(output),
    ...(value !== undefined && { value: mask(value) }),
    ...(error !== undefined && { error: mask(error) }),
    exitCode,
    durationMs,
    sandbox,
    ...(stoppedBy !== undefined && { stoppedBy }),
    displays: displays.map(({ mime, data }) => ({ mime, data: mime === "image/png" ? data : mask(data) })),
  };
}

export async function answerCellHistory(
  source: NotebookSource,
  notebookId: string,
  cellId: string,
): Promise<CellHistoryAnswer> {
  await findNotebook(source, notebookId);
  const history = await source.notebooks.readHistory(notebookId, cellId);
  return {
    cellId,
    versions: history
      .slice(-100)
      .reverse()
      .map(({ version, content }) => ({ version, ...(content && { text: source.mask(textOf(content)) }) })),
  };
}
