import type { LineHash } from "../domain/actions/action.ts";

/** Times are milliseconds since 1970. */
export type Commit = {
  id: string;
  parents: readonly string[];
  authored: number;
  committed: number;
  author: string;
  subject: string;
  /** `Key: value` lines of its last paragraph. */
  trailers: readonly { key: string; value: string }[];
};

/** A line and the commit that it was last changed in, white space apart. `path` and `line` are those of that commit. */
export type BlameLine = {
  text: string;
  commit: string;
  path: string;
  line: number;
  /** Of the line without white space, and how many characters that has. */
  hash: LineHash;
  chars: number;
};

/** A line that a commit added to a file. */
export type AddedLine = { path: string; line: number; text: string };

/** A repository as it was when it was opened: `head` does not move. Paths are relative to `root`, with `/`. */
export interface Repository {
  readonly root: string;
  /** `undefined` in a repository without a commit. */
  readonly head: string | undefined;
  /** The lines of a file at `head`. `undefined` if there is no such text file. */
  blame(path: string): Promise<readonly BlameLine[] | undefined>;
  /** The file as it is on disk now. `undefined` if it is missing, a link, no text or too large. */
  readWorkingFile(path: string): Promise<string | undefined>;
  /** Commits that exist, by ID, and their first parents if they are asked for. */
  readCommits(
    ids: readonly string[],
    options?: { firstParents?: boolean },
  ): Promise<ReadonlyMap<string, Commit>>;
  /** The commit that a revision names. */
  resolve(revision: string): Promise<string | undefined>;
  /** The lines that a commit added compared with its first parent, file by file, in order. */
  readAdded(commit: string): Promise<readonly AddedLine[]>;
  /** The newest commits of all branches and tags, without merges and without branches that keep checkpoints. */
  listCommits(limit: number): Promise<readonly string[]>;
  /** Every commit that a reference leads to, and the first ones. `undefined` if there are too many to list. */
  listReachable(): Promise<{ ids: ReadonlySet<string>; roots: readonly string[] } | undefined>;
  /** Texts by `<revision>:<path>`. Missing ones are left out. */
  readTexts(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Which of these paths are files at `head`. */
  findPaths(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** Git's names of the content of these files at `head`. Paths that are no files are left out. */
  findBlobs(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** What git would call the content of a file as it is on disk now. `undefined` as for `readWorkingFile`. */
  hashWorkingFile(path: string): Promise<string | undefined>;
  /** What is at a path on disk now. Nothing behind a link is looked at. */
  findKind(path: string): Promise<"file" | "folder" | undefined>;
  /** Every file at `head`. */
  listFiles(): Promise<readonly string[]>;
  /** Commits that are in `to` and not in `from`, and the files they changed. */
  readRange(from: string, to: string): Promise<{ commits: readonly string[]; paths: readonly string[] }>;
}

export type HookChange = {
  /** The hook that git runs. */
  file: string;
  changed: boolean;
  /** A hook that was there before and is still run. */
  before?: string | undefined;
  refused?: string | undefined;
};

/** The hook of git that adds the trailer of a session to a commit message. */
export interface CommitHook {
  install(directory: string): Promise<HookChange | undefined>;
  /** Restores what was there, byte for byte. */
  remove(directory: string): Promise<HookChange | undefined>;
}

export interface Repositories {
  /** The repository that contains a directory. `undefined` if there is none, or git is not installed. */
  open(directory: string): Promise<Repository | undefined>;
}
