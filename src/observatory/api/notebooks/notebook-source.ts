import { aliveMs } from "../../../operations/ledger/notebook/running/run-cell-now.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { CellRun, NotebookStore, StoredNotebook } from "../../../ports/notebook/notebook-store.ts";
import type { Mask } from "../../session/to-wire.ts";
import type { NotebookRun } from "../../wire-notebooks.ts";
import { type Ask, invalid } from "../answer.ts";

export type NotebookSource = {
  ask: Ask;
  ledger: Pick<LedgerStore, "countByProject" | "readThoughts">;
  notebooks: Pick<NotebookStore, "listNotebooks" | "readNotebook" | "readHistory" | "listRuns" | "readRun">;
  mask: Mask;
  isShown(project: string): boolean;
};

const mostProjects = 200;

export async function listProjects({ ledger, isShown }: NotebookSource): Promise<string[]> {
  const counted = await ledger.countByProject(mostProjects);
  return counted.map(({ project }) => project).filter(isShown);
}

export async function findNotebook(source: NotebookSource, notebookId: string): Promise<StoredNotebook> {
  for (const project of await listProjects(source)) {
    const notebook = await source.notebooks.readNotebook(project, notebookId);
    if (notebook) return notebook;
  }
  throw invalid("There is no such notebook here. It may be in another project, or in the trash.");
}

/** When the process of a run that never ended was last alive. */
export const aliveAt = ({ status, result, expiresAt }: CellRun): Pick<NotebookRun, "aliveAt"> =>
  result === undefined && status !== "running" ? { aliveAt: expiresAt - aliveMs } : {};

export function toRun(run: CellRun, mask: Mask): NotebookRun {
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
