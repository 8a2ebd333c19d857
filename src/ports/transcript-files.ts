import type { TranscriptFormat } from "../domain/transcripts/entry.ts";

export type TranscriptFile = {
  /** Relative to the root, with forward slashes. */
  path: string;
  bytes: number;
  modifiedMs: number;
};

/** Why a file was not read. Opens only regular files without hard links, and follows no links. */
export type FileRefusal = "link" | "hard_link" | "not_a_file" | "missing" | "unreadable" | "outside";

export type FileListing = {
  /** Most recently written first. */
  files: readonly TranscriptFile[];
  /** True if there are more files than the limit. */
  truncated: boolean;
  /** How many files exist but were not read, by reason. */
  refused: Readonly<Partial<Record<FileRefusal, number>>>;
};

export interface OpenTranscript {
  readonly path: string;
  /** The length of the file when it was opened. Later writes are not visible. */
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Reads at most `length` bytes: fewer at the end, and none if the file has become shorter. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

export type ListOptions = {
  /** Include subfolders. Default: true. */
  deep?: boolean;
  /** Selects files by name. Default: all files whose names end with `.jsonl`. */
  wants?: (name: string) => boolean;
};

export interface TranscriptRoot {
  /** An absolute path. */
  readonly directory: string;
  readonly format: TranscriptFormat | undefined;
  /**
   * Lists the wanted files in this root, or in its `below` directory, up to a limited depth and number. Returns
   * an empty list if the directory does not exist.
   */
  list(below?: string, options?: ListOptions): Promise<FileListing>;
  open(path: string): Promise<OpenTranscript | { refused: FileRefusal }>;
}

export type TranscriptChange = TranscriptFile & { /** The root that `path` is relative to. */ root: string };

export type WatchOptions = {
  onChange(changed: readonly TranscriptChange[]): void;
  /** Called before each check. While this function returns false, not even file names are read. */
  mayLook?: (() => boolean) | undefined;
  /** Selects the files to watch by their absolute path. */
  wants?: ((path: string) => boolean) | undefined;
};

/** Sessions that another program stores in a database. Each of these sessions is read like a transcript. */
export interface SessionDatabase extends Pick<TranscriptRoot, "open"> {
  list(): Promise<FileListing>;
  /** Returns the sessions that changed since the last call. The first call returns all sessions. */
  changed(): TranscriptFile[];
}

export type TranscriptWatch = {
  /** Reports what has changed since the last call. The first call reports everything. */
  look(): void;
  /** Starts checking several times a second. */
  start(): void;
  stop(): void;
};

/**
 * Transcripts that other programs left on this machine. Transcripts are only read, and only within the
 * allowed directories.
 */
export interface TranscriptFiles {
  /**
   * The directories that transcripts may be read from, agents' directories first. A root can also be a database's
   * folder.
   */
  readonly roots: readonly { directory: string; format: TranscriptFormat | undefined }[];
  /**
   * Opens a root or a directory inside one. `undefined` if the directory is neither a root nor inside one. If
   * `directory` is `undefined`, opens the first root that exists.
   */
  openRoot(directory: string | undefined): Promise<TranscriptRoot | undefined>;
  /** Reports new and changed files. Looks at names, sizes and times, and opens no files. */
  watch(options: WatchOptions): TranscriptWatch;
  /** Returns the project for sessions in a directory. `undefined` if the configured project applies. */
  findProject(cwd: string): string | undefined;
  /** Returns true if edits to this file, by an agent in this directory, are not recorded. */
  isIgnored(cwd: string, path: string): boolean;
  /** Returns the root of the repository that this process runs in. `undefined` outside a repository. */
  findRepository(): Promise<string | undefined>;
}
