/** Prose shipped with the program, by path below `content/`: `cipher.md`, `help/stages.md`. */
export interface Content {
  read(path: string): Promise<string>;
  /** Names below a folder, without their extension, sorted. */
  list(folder: string): Promise<string[]>;
}

export type ExportRequest = {
  /** File name when the destination is a directory, for example `<sessionId>.json`. */
  fileName: string;
  /** The text, in pieces of whole characters that are written one after the other. */
  content: readonly string[];
  /**
   * Whether a file that begins so, and has the file name above or another, is an earlier export of the same thing; any
   * other file stays as it is.
   */
  isEarlier(beginning: string, hasFileName: boolean): boolean;
  /** Directory or file; below the exports directory or one that the operator allowed. */
  destination?: string | undefined;
};

/** Files that leave the ledger. Rejects with INVALID_PAYLOAD when the destination is not allowed. */
export interface ExportFiles {
  /** Returns the absolute path; the file is complete when the promise resolves, or was not touched. */
  write(request: ExportRequest): Promise<string>;
  /** Rejects as `write` would, without writing. */
  check(request: Pick<ExportRequest, "fileName" | "destination">): void;
  /** The absolute path of a file of that name in the exports directory itself; `undefined` where there is none. */
  find(fileName: string): Promise<string | undefined>;
  /** The text of a file in one of the same places; rejects with INVALID_PAYLOAD when there is none, or it is elsewhere. */
  read(path: string): Promise<string>;
}

/** Tools that are not advertised although the toolset has them, and those that are although it has not. */
export type ToolChoice = { hidden: readonly string[]; shown: readonly string[] };

/** The stored choice. It applies to servers that start afterwards. */
export interface ToolVisibility {
  readChoice(): Promise<ToolChoice>;
  saveChoice(choice: ToolChoice): Promise<void>;
}
