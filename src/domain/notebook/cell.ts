/** What a cell says, without where it stands or what became of running it. The language of code follows from its filename. */
export type CellContent =
  | { type: "title"; text: string }
  | { type: "markdown"; text: string }
  | { type: "package.json"; source: string }
  | { type: "code"; filename: string; source: string };

/** `version` counts from 1 and rises with every change; older versions stay in the store. */
export type Cell = CellContent & { id: string; version: number };

export const cellTypes = ["title", "markdown", "code", "package.json"] as const;
export type CellType = (typeof cellTypes)[number];

export const cellStatuses = ["idle", "running", "completed", "failed"] as const;

/** The words or the code of a cell, whatever its type calls them. */
export function textOf(content: CellContent): string {
  return "text" in content ? content.text : content.source;
}

/** The file a cell is to the others; prose has none. */
export function filenameOf(content: CellContent): string | undefined {
  if (content.type === "code") return content.filename;
  return content.type === "package.json" ? "package.json" : undefined;
}
