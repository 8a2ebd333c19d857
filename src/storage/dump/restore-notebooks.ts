import { checkSize } from "../../domain/notebook/notebook.ts";
import type { RestoreReport } from "../../ports/ledger-dump.ts";
import type { NotebookArchive, WholeNotebook } from "../../ports/notebook/notebook-archive.ts";
import { addBadLine } from "./bad-lines.ts";
import type { DumpLine } from "./dump-line.ts";

/** Gathers the lines of one notebook after the other and stores each as a whole, or refuses it as a whole. */
export function restoreNotebooks(archive: Pick<NotebookArchive, "addWhole">, report: RestoreReport) {
  let open: WholeNotebook | undefined;

  async function finish(): Promise<void> {
    if (!open) return;
    const whole = open;
    open = undefined;
    const { id: notebookId } = whole.notebook;
    const flaw = findFlaw(whole);
    const outcome = flaw === undefined ? await archive.addWhole(whole) : "refused";
    if (outcome !== "refused") report.notebooks[outcome] += 1;
    else {
      const reason = flaw ?? "the store holds another notebook under this id";
      report.notebooks.refused.push({ notebookId, reason });
    }
  }

  return {
    finish,
    /** False for a line that says nothing of a notebook. */
    async take(number: number, line: DumpLine): Promise<boolean> {
      if ("notebook" in line) {
        await finish();
        open = { notebook: line.notebook, versions: [], runs: [] };
      } else if (!("cell" in line || "run" in line)) {
        await finish();
        return false;
      } else if (!open) addBadLine(report, number, "belongs to no notebook");
      else if ("cell" in line) open.versions.push(line.cell);
      else open.runs.push(line.run);
      return true;
    },
  };
}

/** What its lines leave open or say twice; `undefined` when they make a notebook. */
function findFlaw({ notebook, versions, runs }: WholeNotebook): string | undefined {
  const contents = new Map(
    versions.map(({ cellId, version, content }) => [`${cellId} ${version}`, content] as const),
  );
  if (contents.size < versions.length) return "a version of a cell appears twice";
  const newest = new Map<string, number>();
  for (const { cellId, version } of versions) newest.set(cellId, Math.max(version, newest.get(cellId) ?? 0));
  if (new Set(notebook.cells.map(({ id }) => id)).size < notebook.cells.length)
    return "a cell is listed twice";
  const listed = notebook.cells.flatMap(({ id, version }) => contents.get(`${id} ${version}`) ?? []);
  const isNewest = notebook.cells.every(({ id, version }) => newest.get(id) === version);
  if (listed.length < notebook.cells.length || !isNewest) return "some of its cells are missing";
  if (runs.some(({ cellId }) => !newest.has(cellId))) return "a run is of no cell";
  try {
    checkSize(listed);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Error) return thrown.message;
    throw thrown;
  }
}
