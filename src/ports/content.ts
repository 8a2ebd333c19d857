/** Prose shipped with the program, by path below `content/`: `cipher.md`, `help/stages.md`. */
export interface Content {
  read(path: string): Promise<string>;
  /** Names below a folder, without their extension, sorted. */
  list(folder: string): Promise<string[]>;
}
