/** Prose shipped with the program, by path below `content/`: `cipher.md`, `help/stages.md`. */
export interface Content {
  read(path: string): Promise<string>;
  /** Names below a folder, without their extension, sorted. */
  list(folder: string): Promise<string[]>;
}

export type ExportRequest = {
  /** The file name to use if the destination is a directory, for example `<sessionId>.json`. */
  fileName: string;
  /** The text, in pieces that are written in order. No piece splits a character. */
  content: readonly string[];
  /**
   * Whether an existing file is an earlier export of the same thing, judged by its beginning and whether it has the
   * file name above. Any other file is left unchanged.
   */
  isEarlier(beginning: string, hasFileName: boolean): boolean;
  /** A directory or file inside the exports directory or another one that the operator allowed. */
  destination?: string | undefined;
};

/** Files exported from the ledger. Rejects with INVALID_PAYLOAD if the destination is not allowed. */
export interface ExportFiles {
  /** Returns the absolute path. When the promise settles, the file is either complete or untouched. */
  write(request: ExportRequest): Promise<string>;
  /** Rejects as `write` would, without writing. */
  check(request: Pick<ExportRequest, "fileName" | "destination">): void;
  /** The absolute path of a file with that name directly in the exports directory. `undefined` if it does not exist. */
  find(fileName: string): Promise<string | undefined>;
  /** The text of a file in one of the allowed places. Rejects with INVALID_PAYLOAD if it is missing or elsewhere. */
  read(path: string): Promise<string>;
}

/** Tools to hide although the toolset contains them, and tools to show although it does not. */
export type ToolChoice = { hidden: readonly string[]; shown: readonly string[] };

/** The stored choice. It applies to servers that start later. */
export interface ToolVisibility {
  readChoice(): Promise<ToolChoice>;
  saveChoice(choice: ToolChoice): Promise<void>;
}
