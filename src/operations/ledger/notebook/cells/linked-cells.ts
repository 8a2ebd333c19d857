import type { ChainedThought } from "../../../../domain/ledger/thought.ts";
import {
  type CellLink,
  cellLink,
  findCellLink,
  type LinkedCell,
} from "../../../../domain/notebook/cell-link.ts";
import { filenameOf, textOf } from "../../../../domain/notebook/notebook.ts";
import { runInTurns, type Steps } from "../../../../kernel/steps.ts";
import type { CellRun } from "../../../../ports/notebook/notebook-store.ts";
import type { BaseContext } from "../../../pipeline/context.ts";

/** The maximum number of linked cells to read. Further runs are shown only as links. */
const maxCells = 50;

/**
 * Reads the linked cells at the version that ran. Omits deleted cells, and cells from other projects, because
 * anyone can write a link.
 */
export async function readLinkedCells(
  context: BaseContext,
  project: string,
  thoughts: readonly ChainedThought[],
): Promise<LinkedCell[]> {
  const links = await runInTurns(linksIn(thoughts), context.signal);
  const cells: LinkedCell[] = [];
  for (const [address, link] of links) {
    const cell = await readLinked(context, project, link);
    if (cell) cells.push({ address, ...cell });
  }
  return cells;
}

function* linksIn(thoughts: readonly ChainedThought[]): Steps<Map<string, CellLink>> {
  const links = new Map<string, CellLink>();
  for (const { data } of thoughts) {
    const link = findCellLink(data.thought);
    if (link) links.set(cellLink(link), link);
    if (links.size === maxCells) break;
    yield;
  }
  return links;
}

async function readLinked(
  { notebooks }: BaseContext,
  project: string,
  { notebookId, cellId, version, run: startedAt }: CellLink,
): Promise<Omit<LinkedCell, "address"> | undefined> {
  const notebook = await notebooks.readNotebook(project, notebookId);
  if (!notebook) return undefined;
  const history = await notebooks.readHistory(notebookId, cellId);
  const found = history.findLast((one) => one.content && (version === undefined || one.version === version));
  if (!found?.content) return undefined;
  const latest = notebook.runs.get(cellId);
  const run = startedAt === undefined ? latest : await notebooks.readRun(notebookId, cellId, startedAt);
  return {
    filename: filenameOf(found.content) ?? "cell",
    version: found.version,
    source: textOf(found.content),
    run: run?.version === found.version ? describeRun(run) : undefined,
  };
}

function describeRun({ startedAt, status, result }: CellRun): LinkedCell["run"] {
  if (!result) return undefined;
  const { exitCode, durationMs, sandbox, output, value, error, displays } = result;
  const facts = `Ran at ${new Date(startedAt).toISOString()}: ${status}, exit ${exitCode ?? "none"}, ${durationMs} ms, sandbox ${sandbox}`;
  const printed = [
    { title: "Printed", text: output },
    { title: "Value", text: value ?? "" },
    ...displays.map(({ mime, data }) => ({
      title: mime,
      text: mime.startsWith("image/") ? "(an image, shown in the Observatory)" : data,
    })),
    { title: "Error", text: error ?? "" },
  ];
  return { facts, printed: printed.filter(({ text }) => text.trim() !== "") };
}
