import { ThoughtboxError } from "../../kernel/errors.ts";
import { type Cell, type CellContent, type CellType, filenameOf } from "./cell.ts";
import { checkFilename, freeFilename, type Language } from "./filename.ts";
import { notebookLimits } from "./limits.ts";
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

function refuse(message: string, hint: string): never {
  throw new ThoughtboxError("INVALID_PAYLOAD", message, { recovery: { hint } });
}

/** The content that a draft becomes among the other cells, or a refusal. */
export function composeContent(draft: CellDraft, { others, language }: Surroundings): CellContent {
  const { type, content } = draft;
  if (type !== "code" && draft.language !== undefined)
    refuse(`A ${type} cell has no language.`, "Leave language out.");
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
      refuse("A package.json cell has no other filename.", "Leave filename out.");
    checkFree("package.json", names);
    dependenciesOf(content);
    return { type, source: content };
  }
  if (draft.filename !== undefined)
    refuse(`A ${type} cell has no filename.`, "Leave filename out, or add a code cell.");
  return type === "title" ? { type, text: checkTitle(content) } : { type, text: content };
}

/** Names that differ only in case are one file on some disks. */
function checkFree(filename: string, names: readonly string[]): void {
  const same = names.find((name) => name.toLowerCase() === filename.toLowerCase());
  if (same === undefined) return;
  throw new ThoughtboxError("CONFLICT", `The notebook has a cell ${same} already.`, {
    recovery: {
      hint:
        filename === "package.json"
          ? "Change that cell by notebook.update_cell with cellId package.json."
          : "Choose another filename, or change that cell by notebook.update_cell.",
    },
  });
}

export function checkTitle(text: string): string {
  if (text.trim() === "" || /[\r\n]/.test(text) || text.length > notebookLimits.name)
    refuse(
      `A title is one line of 1 to ${notebookLimits.name} characters.`,
      "Shorten it, or add the rest as a markdown cell.",
    );
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
