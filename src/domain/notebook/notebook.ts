import * as z from "zod";
import { maxCount } from "../../kernel/numbers.ts";
import { limits, sessionIdPattern } from "../ledger/limits.ts";
import { slugProject } from "../ledger/project.ts";
import { type NotebookFacts, notebookFailure } from "./failures.ts";

/** The content of a cell, without its position or results. The filename determines the language of code. */
export type CellContent =
  | { type: "title"; text: string }
  | { type: "markdown"; text: string }
  | { type: "package.json"; source: string }
  | { type: "code"; filename: string; source: string };

/** `version` starts at 1 and increases with every change. The store keeps older versions. */
export type Cell = CellContent & { id: string; version: number };

export const cellTypes = ["title", "markdown", "code", "package.json"] as const;
export type CellType = (typeof cellTypes)[number];

export const cellStatuses = [
  "idle",
  "queued",
  "running",
  "completed",
  "failed",
  "stale",
  "interrupted",
] as const;
export type CellStatus = (typeof cellStatuses)[number];

/** Returns the text of a cell. The field that contains the text depends on the type of cell. */
export function textOf(content: CellContent): string {
  return "text" in content ? content.text : content.source;
}

/** Returns the filename that other cells import, or `undefined` for prose. */
export function filenameOf(content: CellContent): string | undefined {
  if (content.type === "code") return content.filename;
  return content.type === "package.json" ? "package.json" : undefined;
}

/** Limits for everything a caller can put into a notebook. */
export const notebookLimits = {
  name: 200,
  cells: 500,
  cellCharacters: 256 * 1024,
  notebookCharacters: 2 * 1024 * 1024,
  tsconfig: 16 * 1024,
  filename: 64,
  packages: 50,
  /** The number of runs to keep per cell, in addition to those that serve as evidence. */
  runsKept: 20,
} as const;

export const languages = ["javascript", "typescript"] as const;
export type Language = (typeof languages)[number];

/** Matches a single path segment that tools do not mistake for an option, a hidden file or a directory. */
const filenamePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*\.(?:js|mjs|cjs|ts|mts)$/;

/** Names that would collide with the notebook's own files. */
const reserved = new Set(["node_modules", "package.json", "package-lock.json", "tsconfig.json"]);

export function isFilename(name: string): boolean {
  return name.length <= notebookLimits.filename && filenamePattern.test(name) && !reserved.has(name);
}

export function languageOf(filename: string): Language {
  return /\.m?ts$/.test(filename) ? "typescript" : "javascript";
}

/** Refuses an invalid filename, or one for a language other than the requested one. */
export function checkFilename(filename: string, language: Language | undefined): string {
  if (!isFilename(filename))
    throw notebookFailure("invalid_filename", { filename, max: notebookLimits.filename });
  const ofName = languageOf(filename);
  if (language !== undefined && ofName !== language)
    throw notebookFailure("language_differs", { filename, ofName, language });
  return filename;
}

/** Returns the first free filename: `cell-1.ts`, `cell-2.ts` and so on. */
export function freeFilename(taken: readonly string[], language: Language): string {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  const extension = language === "typescript" ? "ts" : "js";
  let n = 1;
  while (used.has(`cell-${n}.${extension}`)) n += 1;
  return `cell-${n}.${extension}`;
}

/** A notebook without its runs and their output, which are stored separately. */
export type Notebook = {
  id: string;
  language: Language;
  /** The text of a tsconfig.json. The runner supports only a few compiler options. */
  tsconfig?: string | undefined;
  /** True if cells may use the network. */
  net: boolean;
  cells: readonly Cell[];
};

const untitled = "Untitled notebook";

export function titleOf({ cells }: { cells: readonly CellContent[] }): string {
  for (const cell of cells) if (cell.type === "title") return cell.text;
  return untitled;
}

/** Finds a cell. `named` is the cell's ID or its filename, which is unique in the notebook. */
export function findCell(notebook: Notebook, named: string): { cell: Cell; index: number } {
  const index = notebook.cells.findIndex((cell) => cell.id === named || filenameOf(cell) === named);
  const cell = notebook.cells[index];
  if (cell) return { cell, index };
  const cells = notebook.cells.slice(0, 20).map((cell) => {
    const filename = filenameOf(cell);
    return { id: cell.id, type: cell.type, ...(filename !== undefined && { filename }) };
  });
  throw notebookFailure("unknown_cell", { notebookId: notebook.id, cell: named, cells });
}

export function checkSize(cells: readonly CellContent[]): void {
  if (cells.length > notebookLimits.cells) throw tooLarge("cells", notebookLimits.cells);
  let characters = 0;
  for (const cell of cells) {
    const { length } = textOf(cell);
    if (length > notebookLimits.cellCharacters)
      throw tooLarge("characters of a cell", notebookLimits.cellCharacters);
    characters += length;
  }
  if (characters > notebookLimits.notebookCharacters)
    throw tooLarge("characters", notebookLimits.notebookCharacters);
}

const tooLarge = (counted: NotebookFacts["notebook_too_large"]["counted"], max: number) =>
  notebookFailure("notebook_too_large", { counted, max });

/** The schemas below check notebooks from files, which are untrusted. */
const instant = z.iso.datetime({ offset: true });
const storedId = z.string().regex(sessionIdPattern);
const cellVersion = z.int().min(1).max(maxCount);
const cellText = z.string().max(notebookLimits.cellCharacters);

const contentSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("title"),
    text: z
      .string()
      .max(notebookLimits.name)
      .regex(/^[^\r\n]*\S[^\r\n]*$/),
  }),
  z.strictObject({ type: z.literal("markdown"), text: cellText }),
  z.strictObject({ type: z.literal("package.json"), source: cellText }),
  z.strictObject({ type: z.literal("code"), filename: z.string().refine(isFilename), source: cellText }),
]);

const printed = z.string().max(limits.thoughtBytes * 8);
const resultSchema = z.strictObject({
  output: printed,
  truncated: z.boolean(),
  error: printed.optional(),
  value: printed.optional(),
  displays: z
    .array(
      z.strictObject({
        mime: z.enum([
          "text/plain",
          "text/markdown",
          "text/html",
          "image/png",
          "image/svg+xml",
          "application/json",
        ]),
        data: printed,
      }),
    )
    .max(1_000)
    .readonly(),
  exitCode: z.int().min(0).max(255).nullable(),
  stoppedBy: z.enum(["time", "processor", "memory", "disk", "cancelled"]).optional(),
  durationMs: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  sandbox: z.enum(["strong", "medium", "basic", "none"]),
});

const listedSchema = z
  .array(z.strictObject({ id: storedId, version: cellVersion }))
  .max(notebookLimits.cells);
const storedFields = {
  net: z.boolean(),
  createdAt: instant,
  updatedAt: instant,
  deletedAt: instant.optional(),
  cells: listedSchema,
};

export const notebookRecordSchema = z.strictObject({
  id: storedId,
  project: z.string().refine((name) => slugProject(name) === name),
  language: z.enum(languages),
  tsconfig: z.string().max(notebookLimits.tsconfig).optional(),
  ...storedFields,
});

export const cellRecordSchema = z.strictObject({
  cellId: storedId,
  version: cellVersion,
  position: z.int().min(0).max(notebookLimits.cells),
  at: instant,
  content: contentSchema.optional(),
});

export const runRecordSchema = z.strictObject({
  cellId: storedId,
  version: cellVersion,
  status: z.enum(["completed", "failed"]),
  result: resultSchema.optional(),
  startedAt: instant,
  endedAt: instant,
  isEvidence: z.literal(true).optional(),
});

/** The file that the tree stores next to a notebook's text. */
export const besideSchema = z.strictObject({
  ...storedFields,
  runs: z.array(runRecordSchema).max(notebookLimits.cells * 10),
});
