import { notebookFailure } from "./failures.ts";
import {
  type Cell,
  type CellContent,
  type CellType,
  checkFilename,
  checkSize,
  filenameOf,
  freeFilename,
  type Language,
  notebookLimits,
} from "./notebook.ts";
import { dependenciesOf } from "./package-json.ts";

/** What a caller says of a cell; a filename may be left to the notebook. */
export type CellDraft = {
  type: CellType;
  content: string;
  filename?: string | undefined;
  language?: Language | undefined;
};

/** What of a cell is to change. */
export type CellRevision = { [Field in "content" | "filename"]?: string | undefined };

type Surroundings = {
  /** The other cells of the notebook. */
  others: readonly CellContent[];
  language: Language;
};

/** The content that a draft becomes among the other cells, or a refusal. */
export function composeContent(draft: CellDraft, { others, language }: Surroundings): CellContent {
  const { type, content } = draft;
  if (type !== "code" && draft.language !== undefined)
    throw notebookFailure("cell_has_no_language", { type });
  const names = others.flatMap((cell) => filenameOf(cell) ?? []);
  if (type === "code") {
    const filename =
      draft.filename === undefined
        ? freeFilename(names, draft.language ?? language)
        : checkFilename(draft.filename, draft.language);
    checkFree(filename, names);
    return { type, filename, source: content };
  }
  if (type === "package.json") {
    if (draft.filename !== undefined && draft.filename !== "package.json")
      throw notebookFailure("cell_has_no_filename", { type });
    checkFree("package.json", names);
    dependenciesOf(content);
    return { type, source: content };
  }
  if (draft.filename !== undefined) throw notebookFailure("cell_has_no_filename", { type });
  return type === "title" ? { type, text: checkTitle(content) } : { type, text: content };
}

/** Names that differ only in case are one file on some disks. */
function checkFree(filename: string, names: readonly string[]): void {
  const same = names.find((name) => name.toLowerCase() === filename.toLowerCase());
  if (same !== undefined) throw notebookFailure("filename_taken", { filename: same });
}

export function checkTitle(text: string): string {
  if (text.trim() === "" || /[\r\n]/.test(text) || text.length > notebookLimits.name)
    throw notebookFailure("invalid_title", { max: notebookLimits.name });
  return text;
}

/** The same cell with other words or code, or under another filename. */
export function reviseContent(cell: Cell, draft: CellRevision, surroundings: Surroundings): CellContent {
  const keptName = cell.type === "code" ? cell.filename : undefined;
  return composeContent(
    {
      type: cell.type,
      content: draft.content ?? ("text" in cell ? cell.text : cell.source),
      filename: draft.filename ?? keptName,
    },
    surroundings,
  );
}

type NewNotebook = { name: string; language: Language };

/** The cells of a new notebook, made from a template under another name and in the language asked for. */
export function fromTemplate(
  template: readonly CellContent[],
  { name, language }: NewNotebook,
  newId: () => string,
): Cell[] {
  const title = checkTitle(name);
  return adoptCells(
    template.map((cell): CellContent => {
      if (cell.type === "title") return { type: "title", text: title };
      if (cell.type !== "code") return cell;
      const extension = language === "typescript" ? ".ts" : ".js";
      return { ...cell, filename: cell.filename.replace(/\.[jt]s$/, extension) };
    }),
    language,
    newId,
  );
}

/** Checks external cells against the rules, one after the other. */
export function adoptCells(
  contents: readonly CellContent[],
  language: Language,
  newId: () => string,
): Cell[] {
  const cells: Cell[] = [];
  for (const content of contents) {
    const draft = {
      type: content.type,
      content: "text" in content ? content.text : content.source,
      ...(content.type === "code" && { filename: content.filename }),
    };
    cells.push({ ...composeContent(draft, { others: cells, language }), id: newId(), version: 1 });
  }
  checkSize(cells);
  return cells;
}
