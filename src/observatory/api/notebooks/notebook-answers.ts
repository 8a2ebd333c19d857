import { slugify } from "../../../domain/knowledge/note.ts";
import { findCellLink } from "../../../domain/notebook/cell-link.ts";
import { findChanged, importsOf, statusOf } from "../../../domain/notebook/cell-status.ts";
import { type Cell, filenameOf, textOf, titleOf } from "../../../domain/notebook/notebook.ts";
import { encodeSrcMd } from "../../../domain/notebook/src-md.ts";
import { aliveMs } from "../../../operations/ledger/notebook/running/cell-queue.ts";
import { withSessions } from "../../../operations/ledger/session/found-hits.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { CellRun, NotebookStore, StoredNotebook } from "../../../ports/notebook/notebook-store.ts";
import { typeOfThought } from "../../session/session-columns.ts";
import type { Mask } from "../../session/to-wire.ts";
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
} from "../../wire-notebooks.ts";
import { type Ask, type Query, unknownId } from "../answer.ts";

export type NotebookSource = {
  ask: Ask;
  ledger: Pick<LedgerStore, "countByProject" | "readThoughts">;
  notebooks: Pick<NotebookStore, "listNotebooks" | "readNotebook" | "readHistory" | "listRuns" | "readRun">;
  mask: Mask;
  isShown(project: string): boolean;
};

const mostProjects = 200;

async function listProjects({ ledger, isShown }: NotebookSource): Promise<string[]> {
  const counted = await ledger.countByProject(mostProjects);
  return counted.map(({ project }) => project).filter(isShown);
}

async function findNotebook(source: NotebookSource, notebookId: string): Promise<StoredNotebook> {
  for (const project of await listProjects(source)) {
    const notebook = await source.notebooks.readNotebook(project, notebookId);
    if (notebook) return notebook;
  }
  throw unknownId("This notebook was not found. It may be in another project or in the trash.");
}

/** Returns when the process of a run that never ended was last alive. */
const aliveAt = ({ status, result, expiresAt }: CellRun): Pick<NotebookRun, "aliveAt"> =>
  result === undefined && status !== "running" ? { aliveAt: expiresAt - aliveMs } : {};

function toRun(run: CellRun, mask: Mask): NotebookRun {
  const { startedAt, version, result } = run;
  if (!result) return { at: startedAt, version, ...aliveAt(run), displays: [] };
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

const perProject = 50;
/** How many notebooks are read in full, to count their stale cells. */
const mostCounted = 50;

/** Counts the notebooks of all projects, except those in the trash. */
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

/** Agents see a notebook's title as a cell. The page shows the title as the heading. */
const shownCells = ({ cells }: StoredNotebook): Exclude<Cell, { type: "title" }>[] =>
  cells.flatMap((cell) => (cell.type === "title" || isBarePackage(cell) ? [] : [cell]));

/** True for a `package.json` without packages. Every notebook has one, and it is not worth showing. */
function isBarePackage(cell: Cell): boolean {
  if (cell.type !== "package.json") return false;
  try {
    const { dependencies = {} } = JSON.parse(cell.source) as { dependencies?: object };
    return Object.keys(dependencies).length === 0;
  } catch {
    return false;
  }
}

function countStates(notebook: StoredNotebook): { cellCount: number; stale: number; interrupted: number } {
  const states = notebook.cells.map((cell) => statusOf(cell, notebook));
  const count = (state: NotebookCell["state"]) => states.filter((one) => one === state).length;
  return { cellCount: shownCells(notebook).length, stale: count("stale"), interrupted: count("interrupted") };
}

export async function answerNotebook(source: NotebookSource, notebookId: string): Promise<NotebookAnswer> {
  const notebook = await findNotebook(source, notebookId);
  const { mask } = source;
  const { id, project, language, updatedAt, cells, runs } = notebook;
  const { cellCount: _cells, ...states } = countStates(notebook);
  return {
    id,
    project,
    language,
    updatedAt,
    title: mask(titleOf(notebook)),
    ...states,
    cells: shownCells(notebook).map((cell): NotebookCell => {
      const run = runs.get(cell.id);
      const filename = filenameOf(cell);
      const state = statusOf(cell, notebook);
      return {
        id: cell.id,
        type: cell.type,
        version: cell.version,
        ...(filename !== undefined && { filename }),
        text: mask(textOf(cell)),
        uses: importsOf(cell, cells).map((used) => used.id),
        state,
        ...(state === "stale" && {
          changed: findChanged(cell, notebook).map((one) => filenameOf(one) ?? one.id),
        }),
        ...(run && { run: toRun(run, mask) }),
      };
    }),
    recorded: await readRecorded(source, notebook),
  };
}

/** Returns the notebook as a file that people can read and that `notebook.load` accepts. */
export async function answerNotebookSource(
  source: NotebookSource,
  notebookId: string,
): Promise<NotebookSourceAnswer> {
  const notebook = await findNotebook(source, notebookId);
  return {
    filename: `${slugify(titleOf(notebook))}.src.md`,
    content: source.mask(encodeSrcMd(notebook)),
  };
}

const mostRecorded = 50;

type Hit = { sessionTitle?: string; thought?: { thoughtNumber: number; branchId?: string } };

/** Finds thoughts that link to cells of the notebook, by searching for the notebook's ID. */
async function readRecorded(
  { ask, ledger, mask }: NotebookSource,
  { id, project }: StoredNotebook,
): Promise<RecordedRun[]> {
  const asked = { query: id, project, only: "thoughts", limit: mostRecorded };
  const { hits } = (await ask("session.search", asked)) as { hits: (Hit & { sessionId?: string })[] };
  const recorded: RecordedRun[] = [];
  for (const { sessionId, sessionTitle = "", thought: place } of withSessions(hits)) {
    if (sessionId === undefined || !place) continue;
    const { thoughtNumber, branchId } = place;
    const [entry] = await ledger.readThoughts(sessionId, { select: "one", thoughtNumber, branchId });
    const link = entry && findCellLink(entry.data.thought);
    if (!entry || link?.notebookId !== id) continue;
    recorded.push({
      cellId: link.cellId,
      ...(link.version !== undefined && { version: link.version }),
      ...(link.run !== undefined && { run: link.run }),
      thought: `${sessionId}:${branchId === undefined ? "" : `${branchId}:`}${thoughtNumber}`,
      type: typeOfThought(entry.data),
      text: mask(entry.data.thought).slice(0, 1_000),
      title: mask(sessionTitle),
      at: entry.data.timestamp,
    });
  }
  return recorded.sort((a, b) => (a.at < b.at ? 1 : -1));
}

const mostVersions = 100;
const mostRuns = 100;
const longestError = 200;

/**
 * Returns a cell's versions and runs. If the query has `run`, returns that run in full. If the query has
 * `name`, returns only the cell's name.
 */
export async function answerCellHistory(
  source: NotebookSource,
  notebookId: string,
  cellId: string,
  query: Query,
): Promise<CellHistoryAnswer | CellRunAnswer | CellNameAnswer> {
  const { notebooks, mask } = source;
  const notebook = await findNotebook(source, notebookId);
  if (query.text("name") !== undefined) return nameCell(source, notebook, cellId);
  if (query.text("run") !== undefined) {
    const at = query.number("run", { min: 1, max: 8_640_000_000_000_000, standard: 0 });
    const run = await notebooks.readRun(notebookId, cellId, at);
    return { cellId, ...(run && { run: toRun(run, mask) }) };
  }
  const history = await notebooks.readHistory(notebookId, cellId);
  const runs = await notebooks.listRuns(notebookId, cellId, mostRuns);
  return {
    cellId,
    versions: history
      .slice(-mostVersions)
      .reverse()
      .map(({ version, at, content }) => ({ version, at, ...(content && { text: mask(textOf(content)) }) })),
    runs: runs.map((run) => toLine(run, mask)),
  };
}

/** Returns the name of a cell. A deleted cell keeps its last name. */
async function nameCell(
  { notebooks, mask }: NotebookSource,
  notebook: StoredNotebook,
  cellId: string,
): Promise<CellNameAnswer> {
  const listed = notebook.cells.find(({ id }) => id === cellId);
  const history = listed ? [] : await notebooks.readHistory(notebook.id, cellId);
  const content = listed ?? history.findLast((one) => one.content)?.content;
  if (!content) throw unknownId("There is no such cell.");
  return { cellId, name: mask(filenameOf(content) ?? "text"), title: mask(titleOf(notebook)) };
}

function toLine(run: CellRun, mask: Mask): CellRunLine {
  const { startedAt, version, status, result } = run;
  const { exitCode, durationMs, stoppedBy, error } = result ?? {};
  return {
    at: startedAt,
    version,
    state: result === undefined && status !== "running" ? "interrupted" : status,
    ...aliveAt(run),
    ...(exitCode !== undefined && { exitCode }),
    ...(durationMs !== undefined && { durationMs }),
    ...(stoppedBy !== undefined && { stoppedBy }),
    ...(error !== undefined && { error: mask(error).split("\n", 1)[0]?.slice(0, longestError) ?? "" }),
  };
}
