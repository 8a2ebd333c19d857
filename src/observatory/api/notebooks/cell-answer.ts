import type { Session } from "../../../domain/ledger/session.ts";
import type { CellLink } from "../../../domain/notebook/cell-link.ts";
import { createTurns } from "../../../kernel/steps.ts";
import { readWhole } from "../../../operations/pipeline/fit/read-whole.ts";
import type { CellAnswer } from "../../wire.ts";
import { invalid, type Query } from "../answer.ts";
import { findSession, type SessionSource } from "../session-answers.ts";

type Cell = Record<"id" | "type", string> &
  Partial<Record<"filename" | "source" | "text" | "status" | "output" | "error", string>> & {
    version: number;
    run?: {
      value?: string;
      durationMs?: number;
      exitCode?: number | null;
      sandbox?: string;
      executedAt?: string;
      displays?: CellAnswer["displays"];
    };
  };

type ShownCell = { cell: Cell; nextOffset?: number };

type CellSource = Pick<SessionSource, "ask" | "mask" | "notebooks" | "readSession">;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function answerCell(
  source: CellSource,
  sessionId: string,
  cellId: string,
  query: Query,
): Promise<CellAnswer> {
  const notebookId = query.text("notebook") ?? "";
  if (!uuid.test(cellId) || !uuid.test(notebookId)) throw invalid("Notebook and cell IDs must be UUIDs.");
  const version = query.number("version", { min: 1, max: 1_000_000, standard: 0 });
  const run = query.number("run", { min: 1, max: 8_640_000_000_000_000, standard: 0 });
  return readCell(source, await findSession(source, sessionId), {
    notebookId,
    cellId,
    ...(version > 0 && { version }),
    ...(run > 0 && { run }),
  });
}

/**
 * Reads a cell that a thought links to, as it was when it ran. Anyone can write a link, so it opens only cells in the
 * session's project.
 */
export async function readCell(
  { ask, mask, notebooks }: CellSource,
  { id: sessionId, project }: Session,
  { notebookId, cellId, version, run: startedAt }: CellLink,
): Promise<CellAnswer> {
  if (!(await notebooks.readNotebook(project, notebookId))) throw invalid("There is no such cell.");
  const asked = { sessionId, notebookId, cellId, version, run: startedAt };
  const found = await readWhole(
    async (offset) => (await ask("notebook.get_cell", { ...asked, offset })) as ShownCell,
    ({ cell }) => cell.source ?? cell.text ?? "",
    ({ cell }) => cell.version,
  );
  if (!found) throw invalid("There is no such cell.");
  const { filename = "", status = "idle", output, error, run = {}, ...cell } = found.answer.cell;
  // Answers for models omit large images, so the page reads the run from the store.
  const began = Date.parse(run.executedAt ?? "");
  const whole = (run.displays ?? []).length > 0 && (await notebooks.readRun(notebookId, cell.id, began));
  const displays = whole ? (whole.result?.displays ?? []) : [];
  const turn = createTurns();
  const shown: CellAnswer["displays"] = [];
  for (const { mime, data } of displays) {
    shown.push({ mime, data: mime === "image/png" ? data : mask(data) });
    await turn();
  }
  return {
    notebookId,
    cellId: cell.id,
    version: cell.version,
    filename,
    status,
    source: mask(found.text),
    ...(output !== undefined && { output: mask(output) }),
    ...(error !== undefined && { error: mask(error) }),
    ...(run.value !== undefined && { value: mask(run.value) }),
    ...(run.durationMs !== undefined && { durationMs: run.durationMs }),
    ...(run.exitCode !== undefined && { exitCode: run.exitCode }),
    ...(run.sandbox !== undefined && { sandbox: run.sandbox }),
    ...(run.executedAt !== undefined && { executedAt: run.executedAt }),
    displays: shown,
  };
}
