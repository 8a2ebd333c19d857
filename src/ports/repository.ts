import type { LineHash } from "../domain/actions/action.ts";
import type { ComparedPin, Pin } from "../domain/memory/ground.ts";

/** A git commit. Times are in milliseconds since 1970. */
export type Commit = {
  id: string;
  parents: readonly string[];
  authored: number;
  committed: number;
  author: string;
  subject: string;
  /** The message after the subject, without the trailers. */
  body: string;
  /** The `Key: value` lines in the last paragraph of the message. */
  trailers: readonly { key: string; value: string }[];
};

/** A line and the commit that last changed it, ignoring white space. `path` and `line` are those in that commit. */
export type BlameLine = {
  text: string;
  commit: string;
  path: string;
  line: number;
  /** The hash and the length of the line, both without white space. */
  hash: LineHash;
  chars: number;
  /** The commit that wrote the original line, if `commit` copied it from elsewhere in the file. */
  copyOf?: string;
};

/** A line that a commit added to a file. */
export type AddedLine = { path: string; line: number; text: string };

/** A snapshot of a repository: `head` does not move. Paths are relative to `root` and use `/`. */
export interface Repository {
  readonly root: string;
  /** The commit of this snapshot. `undefined` if the repository has no commits. */
  readonly head: string | undefined;
  /**
   * Returns the lines of a file at `head`, or in another commit. `undefined` if the file does not exist or is
   * not text.
   */
  blame(path: string, commit?: string): Promise<readonly BlameLine[] | undefined>;
  /**
   * Returns the file's text on disk now. `undefined` if the file is missing, a link, not text or too large.
   */
  readWorkingFile(path: string): Promise<string | undefined>;
  /** Returns the commits with these IDs that exist, and their first parents if requested. */
  readCommits(
    ids: readonly string[],
    options?: { firstParents?: boolean },
  ): Promise<ReadonlyMap<string, Commit>>;
  /** Returns the branch that is checked out. `undefined` if HEAD is detached. */
  readBranch(): Promise<string | undefined>;
  /** Returns the ID of the commit that a revision refers to. */
  resolve(revision: string): Promise<string | undefined>;
  /** Returns the newest commit that is in the history of both revisions. */
  findBase(one: string, other: string): Promise<string | undefined>;
  /** Returns the lines that a commit added compared with its first parent, file by file, in order. */
  readAdded(commit: string): Promise<readonly AddedLine[]>;
  /** Lists the newest commits on all branches and tags, except merges and branches that store checkpoints. */
  listCommits(limit: number): Promise<readonly string[]>;
  /**
   * Lists every commit reachable from a ref, and the root commits. `undefined` if there are too many to list.
   */
  listReachable(): Promise<{ ids: ReadonlySet<string>; roots: readonly string[] } | undefined>;
  /** Returns the texts of files. Each name has the form `<revision>:<path>`. Omits missing files. */
  readTexts(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns which of these paths are files at `head`. */
  findPaths(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns git's blob IDs for these files at `head`. Omits paths that are not files. */
  findBlobs(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Compares each pin with `head`. Results are in the order of the pins. The state is `unknown` if git cannot
   * read the file.
   */
  comparePins(pins: readonly Pin[]): Promise<readonly ComparedPin[]>;
  /**
   * Returns the blob ID that git would give the file as it is on disk now. `undefined` in the same cases as
   * for `readWorkingFile`.
   */
  hashWorkingFile(path: string): Promise<string | undefined>;
  /** Returns what exists at a path on disk now. Does not follow links. */
  findKind(path: string): Promise<"file" | "large" | "link" | "folder" | undefined>;
  /** Lists every file at `head`. */
  listFiles(): Promise<readonly string[]>;
  /** Returns the newest commit before `head` that deleted a path. */
  findDeletion(path: string): Promise<string | undefined>;
  /** Returns the commits that are in `to` but not in `from`, and the files they changed. */
  readRange(from: string, to: string): Promise<{ commits: readonly string[]; paths: readonly string[] }>;
  /**
   * Counts the lines that `to` adds to each file since its merge base with `from`. Is fast even for large
   * files.
   */
  countAdded(from: string, to: string): Promise<ReadonlyMap<string, number>>;
}

export type HookChange = {
  /** The hook that git runs. */
  file: string;
  changed: boolean;
  /** The hook that already existed, which still runs. */
  before?: string | undefined;
  refused?: string | undefined;
};

/** Installs and removes the git hook that adds a session's trailer to commit messages. */
export interface CommitHook {
  install(directory: string): Promise<HookChange | undefined>;
  /** Restores the previous state, byte for byte. */
  remove(directory: string): Promise<HookChange | undefined>;
}

export interface Repositories {
  /**
   * Returns the repository that contains a directory. `undefined` if the directory is not in a repository, or
   * if git is not installed. If the signal aborts, git is killed and reads reject with the signal's reason.
   */
  open(directory: string, signal?: AbortSignal): Promise<Repository | undefined>;
  /** Resolves links in an absolute path until it reaches a repository. Keeps links inside that repository. */
  follow(path: string): Promise<string>;
}
