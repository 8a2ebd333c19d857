/** Reads texts that ship with the program, by their path in `content/`, for example `help/stages.md`. */
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
   * Returns true if the beginning of a file shows that it is an earlier export of the same session or
   * notebook. `hasFileName` is true if the file's name is `fileName`. Any other file is left unchanged.
   */
  isEarlier(beginning: string, hasFileName: boolean): boolean;
  /** A directory or file inside the exports directory or another directory that the operator allowed. */
  destination?: string | undefined;
};

/** Writes and reads exported files. Methods fail with INVALID_PAYLOAD if the path is not allowed. */
export interface ExportFiles {
  /** Writes a file and returns its absolute path. When the promise settles, the file is complete or unchanged. */
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

/** Exceptions to the toolset: tools to hide, and additional tools to show. */
export type ToolChoice = { hidden: readonly string[]; shown: readonly string[] };

/** Stores the choice of tools, which servers read when they start. */
export interface ToolVisibility {
  readChoice(): Promise<ToolChoice>;
  saveChoice(choice: ToolChoice): Promise<void>;
}
