import { checkTitle, composeContent } from "./cell-content.ts";
import type { Language } from "./filename.ts";
import { type Cell, type CellContent, checkSize } from "./notebook.ts";

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

/** Cells that come from outside, held against the rules one after the other. */
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
