import type { TranscriptFormat } from "../domain/transcripts/entry.ts";

export type TranscriptFile = {
  /** Relative to the root, with forward slashes. */
  path: string;
  bytes: number;
  modifiedMs: number;
};

/** Why a file was not read. Only regular files without hard links are read. Links are not followed. */
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
  /** Reads at most `length` bytes. Returns fewer at the end, and none if the file has become shorter. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

export type ListOptions = {
  /** Include subfolders. Default: true. */
  deep?: boolean;
  /** Selects by name among the files whose names end with `.jsonl`. Default: all of them. */
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
  /** Called before each check. While it returns false, nothing is read, not even file names. */
  mayLook?: (() => boolean) | undefined;
  /** Selects the files to watch by their absolute path. */
  wants?: ((path: string) => boolean) | undefined;
};

/** Reads sessions that another program stores in a database. Each session is read like a transcript. */
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
 * Finds and reads transcripts that other programs wrote on this machine, only within the allowed directories.
 * Never changes them.
 */
export interface TranscriptFiles {
  /**
   * The directories from which transcripts may be read, those of known agents first. A root can also be a
   * database's folder.
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
  /** Returns true if edits to this file by an agent that works in `cwd` must not be recorded. */
  isIgnored(cwd: string, path: string): boolean;
  /** Returns the root of the repository that this process runs in. `undefined` outside a repository. */
  findRepository(): Promise<string | undefined>;
}
