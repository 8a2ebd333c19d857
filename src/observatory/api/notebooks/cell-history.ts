import { filenameOf, textOf, titleOf } from "../../../domain/notebook/notebook.ts";
import type { CellRun, StoredNotebook } from "../../../ports/notebook/notebook-store.ts";
import type { Mask } from "../../session/to-wire.ts";
import type { CellHistoryAnswer, CellNameAnswer, CellRunAnswer, CellRunLine } from "../../wire-notebooks.ts";
import { invalid, type Query } from "../answer.ts";
import { aliveAt, findNotebook, type NotebookSource, toRun } from "./notebook-source.ts";

const mostVersions = 100;
const mostRuns = 100;
const longestError = 200;

/** A cell's versions and runs. With `run`, that run in full. With `name`, only the cell's name. */
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

/** A deleted cell keeps its last name. */
async function nameCell(
  { notebooks, mask }: NotebookSource,
  notebook: StoredNotebook,
  cellId: string,
): Promise<CellNameAnswer> {
  const listed = notebook.cells.find(({ id }) => id === cellId);
  const history = listed ? [] : await notebooks.readHistory(notebook.id, cellId);
  const content = listed ?? history.findLast((one) => one.content)?.content;
  if (!content) throw invalid("There is no such cell.");
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
