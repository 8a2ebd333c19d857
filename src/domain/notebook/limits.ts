/** Bounds of everything a caller can put into a notebook. */
export const notebookLimits = {
  name: 200,
  cells: 500,
  cellCharacters: 256 * 1024,
  notebookCharacters: 2 * 1024 * 1024,
  tsconfig: 16 * 1024,
  filename: 64,
  packages: 50,
  /** Newest runs of a cell that are kept beside those that are evidence. */
  runsKept: 20,
} as const;
