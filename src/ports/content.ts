/** Texts that are part of the program, by path in `content/`, for example `help/stages.md`. */
export interface Content {
  read(path: string): Promise<string>;
  /** Returns the names of the files in a folder, without their extension, sorted. */
  list(folder: string): Promise<string[]>;
}

export type ExportRequest = {
  /** The file name to use if the destination is a directory, for example `<sessionId>.json`. */
  fileName: string;
  /** The text, in pieces that are written in order. No piece splits a character. */
  content: readonly string[];
  /**
   * True if the beginning of an existing file shows that it is an earlier export of the same session or notebook.
   * `hasFileName` is true if the file's name is `fileName`. Any other file is left unchanged.
   */
  isEarlier(beginning: string, hasFileName: boolean): boolean;
  /** A directory or file inside the exports directory or another directory that the operator allowed. */
  destination?: string | undefined;
};

/** Files exported from the ledger. Rejects with INVALID_PAYLOAD if the destination is not allowed. */
export interface ExportFiles {
  /** Returns the absolute path. When the promise settles, the file is either complete or untouched. */
  write(request: ExportRequest): Promise<string>;
  /** Throws if `write` would reject. Writes nothing. */
  check(request: Pick<ExportRequest, "fileName" | "destination">): void;
  /**
   * Returns the absolute path of a file with that name directly in the exports directory. `undefined` if
   * there is no such file.
   */
  find(fileName: string): Promise<string | undefined>;
  /**
   * Returns the text of a file in an allowed directory. Rejects with INVALID_PAYLOAD if the file is missing
   * or in another directory.
   */
  read(path: string): Promise<string>;
}

/** Exceptions from the toolset: tools to hide, and additional tools to show. */
export type ToolChoice = { hidden: readonly string[]; shown: readonly string[] };

/** The stored choice, which servers read when they start. */
export interface ToolVisibility {
  readChoice(): Promise<ToolChoice>;
  saveChoice(choice: ToolChoice): Promise<void>;
}
