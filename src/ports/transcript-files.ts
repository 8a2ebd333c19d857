import type { TranscriptFormat } from "../domain/transcripts/entry.ts";

export type TranscriptFile = {
  /** Counted from the root, with slashes. */
  path: string;
  bytes: number;
  modifiedMs: number;
};

/** Why a file was not read: nothing is opened through a link, and nothing but a plain file that has one name. */
export type FileRefusal = "link" | "hard_link" | "not_a_file" | "missing" | "unreadable" | "outside";

export type FileListing = {
  /** The most recently written first. */
  files: readonly TranscriptFile[];
  /** There are more than are looked at. */
  truncated: boolean;
  /** What exists and is not read, by reason. */
  refused: Readonly<Partial<Record<FileRefusal, number>>>;
};

export interface OpenTranscript {
  readonly path: string;
  /** How long it was when it was opened; what is written later is not seen. */
  readonly bytes: number;
  readonly modifiedMs: number;
  /** At most `length` bytes; fewer at the end, none where the file got shorter. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

export type ListOptions = {
  /** Whether folders below are looked into; by default they are. */
  deep?: boolean;
  /** Which names are looked at; by default all that end with `.jsonl`. */
  wants?: (name: string) => boolean;
};

export interface TranscriptRoot {
  /** Absolute. */
  readonly directory: string;
  readonly format: TranscriptFormat | undefined;
  /** Every `*.jsonl` below it, or below a directory of it, to a bounded depth and number; none if the directory does not exist. */
  list(below?: string, options?: ListOptions): Promise<FileListing>;
  open(path: string): Promise<OpenTranscript | { refused: FileRefusal }>;
}

export type TranscriptChange = TranscriptFile & { /** The root that `path` counts from. */ root: string };

export type WatchOptions = {
  onChange(changed: readonly TranscriptChange[]): void;
  /** Asked before each look; while it is false, not even names are looked at. */
  mayLook?: (() => boolean) | undefined;
  /** Whether a file is watched, by its absolute path. */
  wants?: ((path: string) => boolean) | undefined;
};

/** Sessions that a program keeps in a database. Each is read as if it were a transcript. */
export interface SessionDatabase extends Pick<TranscriptRoot, "open"> {
  list(): Promise<FileListing>;
  /** Sessions that were written to since the last look; all of them at the first. */
  changed(): TranscriptFile[];
}

export type TranscriptWatch = {
  /** Reports what changed since the last look; everything at the first. */
  look(): void;
  /** Looks several times a second from now on. */
  start(): void;
  stop(): void;
};

/** Transcripts that other programs left on this machine. Reads, within the directories that are allowed, and nothing else. */
export interface TranscriptFiles {
  /** The directories that transcripts may be read from, those of the agents first. One may be the folder of a database. */
  readonly roots: readonly { directory: string; format: TranscriptFormat | undefined }[];
  /**
   * A directory that is a root or is below one; `undefined` if it is neither. Without a name: the first
   * root that exists.
   */
  openRoot(directory: string | undefined): Promise<TranscriptRoot | undefined>;
  /** Reports files that are new or changed. Looks at names, sizes and times, and opens none. */
  watch(options: WatchOptions): TranscriptWatch;
  /** The project that sessions of a directory belong to; `undefined` if the settings decide. */
  findProject(cwd: string): string | undefined;
  /** Whether a file that an agent of this directory changed is kept out of the ledger. */
  isIgnored(cwd: string, path: string): boolean;
  /** The root of the repository that this process works in; `undefined` outside of one. */
  findRepository(): Promise<string | undefined>;
}
