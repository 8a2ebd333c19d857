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

/** A cell as a caller describes it. The notebook can assign the filename. */
export type CellDraft = {
  type: CellType;
  content: string;
  filename?: string | undefined;
  language?: Language | undefined;
};

/** The changes to a cell. */
export type CellRevision = { [Field in "content" | "filename"]?: string | undefined };

type Surroundings = {
  /** The other cells of the notebook. */
  others: readonly CellContent[];
  language: Language;
};

/** The content of a draft among the other cells, or a refusal. */
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

/** Some file systems treat names that differ only in case as one file. */
function checkFree(filename: string, names: readonly string[]): void {
  const same = names.find((name) => name.toLowerCase() === filename.toLowerCase());
  if (same !== undefined) throw notebookFailure("filename_taken", { filename: same });
}

export function checkTitle(text: string): string {
  if (text.trim() === "" || /[\r\n]/.test(text) || text.length > notebookLimits.name)
    throw notebookFailure("invalid_title", { max: notebookLimits.name });
  return text;
}

/** The same cell with a different text or filename. */
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

/** The cells of a new notebook, created from a template with another name and in the requested language. */
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

/** Checks external cells against the rules, in order. */
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
