import * as z from "zod";
import { statusOf } from "../../../../domain/notebook/cell-status.ts";
import {
  type Cell,
  type CellStatus,
  cellStatuses,
  cellTypes,
  languageOf,
  languages,
  titleOf,
} from "../../../../domain/notebook/notebook.ts";
import { cutBeside } from "../../../../kernel/secrets/secrets-policy.ts";
import { type Display, displayMimes, sandboxLevels } from "../../../../ports/notebook/cell-runner.ts";
import type { CellRun, StoredNotebook } from "../../../../ports/notebook/notebook-store.ts";

const runSchema = z.strictObject({
  executedAt: z.string(),
  /**
   * The version that ran, which is older than the cell's own version if the cell has changed since the run.
   */
  version: z.int(),
  exitCode: z.int().nullable().optional(),
  durationMs: z.int().optional(),
  sandbox: z.enum(sandboxLevels).optional(),
  stoppedBy: z.string().optional(),
  value: z.string().optional(),
  truncated: z.boolean().optional(),
  displays: z.array(z.strictObject({ mime: z.enum(displayMimes), data: z.string() })).optional(),
});

type ShownRun = Omit<CellRun, "expiresAt">;

/** Prose has `text`. Code and package.json have `source`, `filename` and `status`. */
export const cellSchema = z.strictObject({
  id: z.string(),
  type: z.enum(cellTypes),
  version: z.int(),
  text: z.string().optional(),
  source: z.string().optional(),
  filename: z.string().optional(),
  language: z.enum(languages).optional(),
  status: z.enum(cellStatuses).optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  run: runSchema.optional(),
});

export const notebookSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  language: z.enum(languages),
  "tsconfig.json": z.string().optional(),
  net: z.boolean(),
  createdAt: z.int(),
  updatedAt: z.int(),
  cells: z.array(cellSchema),
});

export function excerpt(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  const head = cutBeside(text, max - tail).start;
  const end = cutBeside(text, text.length - tail).end;
  return `${text.slice(0, head)}\n… ${end - head} characters omitted. notebook.get_cell with maxChars shows more …\n${text.slice(end)}`;
}

export function toCellAnswer(
  cell: Cell,
  run: ShownRun | undefined,
  max: number,
  status: CellStatus = run?.status ?? "idle",
): z.input<typeof cellSchema> {
  const { id, type, version } = cell;
  if (cell.type === "title" || cell.type === "markdown") return { id, type, version, text: cell.text };
  const code = cell.type === "code";
  return {
    id,
    type,
    version,
    ...(code && { language: languageOf(cell.filename) }),
    filename: code ? cell.filename : "package.json",
    source: cell.source,
    status,
    ...(run && describeRun(run, max)),
  };
}

function describeRun({ version, startedAt, result, status }: ShownRun, max: number) {
  const executedAt = new Date(startedAt).toISOString();
  if (!result) {
    const error = status === "failed" ? "The run was interrupted. Its outcome is unknown." : undefined;
    return { ...(error !== undefined && { error }), run: { executedAt, version } };
  }
  const { output, error, displays, value, stoppedBy, exitCode, durationMs, sandbox, truncated } = result;
  return {
    output: excerpt(output, max),
    ...(error !== undefined && { error: excerpt(error, max) }),
    run: {
      executedAt,
      version,
      exitCode,
      durationMs,
      sandbox,
      ...(stoppedBy !== undefined && { stoppedBy }),
      ...(value !== undefined && { value: excerpt(value, max) }),
      ...(truncated && { truncated }),
      ...(displays.length > 0 && {
        displays: displays.map((display) => showDisplay(display, max)),
      }),
    },
  };
}

/** Truncates text to `max` characters. Omits a large image, because images cannot be truncated. */
function showDisplay({ mime, data }: Display, max: number): Display {
  if (!mime.startsWith("image/")) return { mime, data: excerpt(data, max) };
  if (data.length <= max) return { mime, data };
  const bytes = mime === "image/png" ? (data.length * 3) / 4 : data.length;
  const size = `${Math.ceil(bytes / 1024)} KB`;
  return { mime: "text/plain", data: `(${mime}, ${size}: too large for this answer)` };
}

export function toNotebookAnswer(notebook: StoredNotebook, max: number): z.input<typeof notebookSchema> {
  const { id, language, tsconfig, net, createdAt, updatedAt, cells, runs } = notebook;
  return {
    id,
    title: titleOf(notebook),
    language,
    ...(tsconfig !== undefined && { "tsconfig.json": tsconfig }),
    net,
    createdAt,
    updatedAt,
    cells: cells.map((cell) => toCellAnswer(cell, runs.get(cell.id), max, statusOf(cell, notebook))),
  };
}

/** The maximum number of output characters per cell. */
export const shownOfOne = 20_000;
export const shownOfMany = 1_000;

export const changedCell = z.strictObject({
  notebookId: z.string(),
  cellId: z.string(),
  position: z.int().optional(),
  cell: cellSchema.optional(),
});
