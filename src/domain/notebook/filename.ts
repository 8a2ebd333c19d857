import { notebookFailure } from "./failures.ts";
import { notebookLimits } from "./notebook.ts";

export const languages = ["javascript", "typescript"] as const;
export type Language = (typeof languages)[number];

/** One path segment that no tool takes for an option, a hidden file or a directory. */
const filenamePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*\.(?:js|mjs|cjs|ts|mts)$/;

/** Names that would stand in the way of the notebook's own files. */
const reserved = new Set(["node_modules", "package.json", "package-lock.json", "tsconfig.json"]);

export function isFilename(name: string): boolean {
  return name.length <= notebookLimits.filename && filenamePattern.test(name) && !reserved.has(name);
}

export function languageOf(filename: string): Language {
  return /\.m?ts$/.test(filename) ? "typescript" : "javascript";
}

/** Refuses what is no filename, or is one of another language than asked for. */
export function checkFilename(filename: string, language: Language | undefined): string {
  if (!isFilename(filename))
    throw notebookFailure("invalid_filename", { filename, max: notebookLimits.filename });
  const ofName = languageOf(filename);
  if (language !== undefined && ofName !== language)
    throw notebookFailure("language_differs", { filename, ofName, language });
  return filename;
}

/** `cell-1.ts`, `cell-2.ts` … the first that no other cell has. */
export function freeFilename(taken: readonly string[], language: Language): string {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  const extension = language === "typescript" ? "ts" : "js";
  let n = 1;
  while (used.has(`cell-${n}.${extension}`)) n += 1;
  return `cell-${n}.${extension}`;
}
