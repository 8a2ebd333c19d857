/** Answers from `/api/repository` and `/api/why`, with the `why_file` and `why` fields that the page reads. */
import type { ThoughtType } from "./wire.ts";

/** `GET /api/repository?folder` – the repository that the server was started in, and the content of one folder. */
export type RepositoryAnswer = {
  /** Absent if the server was not started in a repository. */
  repository?: {
    name: string;
    head?: string;
    branch?: string;
    /** What the changes page shows by default: the branch since it left the main one, or the latest commits. */
    range?: string;
  };
  folder: string;
  /** Folders first, then by name. */
  entries: FileEntry[];
  more?: number;
  /** Files that sessions changed, most recent first. Only for the root folder. */
  recent: { path: string; at: string; sessionId: string; title?: string }[];
  /** When the first session began. Older commits were made before anything was recorded. */
  began?: string;
};

export type FileEntry = {
  name: string;
  isFolder: boolean;
  /** Paths of files in the folder that sessions changed. Other files have no line with a reason. */
  changed: string[];
};

export type FileWriter = {
  n: number;
  sessionId: string;
  title?: string;
  /** ID of the thought before the edit. */
  thought?: string;
  at: string;
  agent: string;
  how: "sure" | "likely" | "by-commit";
};

export type FileCommit = { sha: string; subject: string; message?: string; author: string; at: string };

/** `GET /api/why?file&at&from&to&text=false&writers=false` */
export type FileAnswer = {
  file: string;
  head?: string;
  total: number;
  /** Characters in the whole file. */
  chars: number;
  runs: { from: number; to: number; writer?: number; commit?: string; text?: string }[];
  /** The last lines of a deleted file. */
  removed?: { before: number; from: number; text: string }[];
  /** The commit that deleted the file. */
  deleted?: FileCommit;
  writers: FileWriter[];
  commits: FileCommit[];
  next?: number;
};

/** `type` and `at` are those of the thought. */
export type FileReason = { text: string; thought: string; type?: ThoughtType; at?: string };
export type FileMoment = { at: string; what: string; sessionId?: string };

export type FileReasons = {
  file: string;
  lines: string;
  commit?: FileCommit;
  by?: Omit<FileWriter, "n">;
  asked?: FileReason;
  proposal?: FileReason;
  earlier?: FileReason;
  because?: FileReason;
  context?: FileReason;
  given_up?: FileMoment[];
  since?: FileMoment[];
};

/** `GET /api/why?file&line&to` */
export type ReasonsAnswer = {
  answers: FileReasons[];
  /** Decisions and other cards that rest on the file. */
  pinned?: PinnedCard[];
  more?: number;
  note?: string;
};

/** `GET /api/why?file&blocks=5-9,12-13` – why each block exists, in the same order. */
export type BlocksAnswer = {
  blocks: (Pick<FileReasons, "asked" | "because"> & { from: number; to: number })[];
};

type PinnedCard = {
  id: string;
  title: string;
  /** Set only for decisions. */
  state?: "holds" | "in_doubt" | "reversed";
  ground?: "holds" | "moved" | "unknown";
  ground_moved?: string[];
  /** Sentences that describe the pinned lines as they are now. */
  ground_now?: string[];
};

/** A part of a comment for a pull request: a line of Markdown, and a list below it. */
export type CommentSection = {
  kind: "reasons" | "given_up" | "refusals" | "asked" | "unexplained" | "cards";
  title: string;
  items: string[];
  /** How many more items there are. */
  more?: number;
};

/** `GET /api/why?commit` – a commit or range. */
export type ChangesAnswer = {
  commits: number;
  /** At most 50. */
  files: string[];
  moreFiles?: number;
  /** Files with so many added lines that finding their reasons takes a long time. */
  large?: { file: string; added: number }[];
};

/** `GET /api/why?commit&comment=true` – a comment about a commit or range. Takes longer than the list of files. */
export type CommentAnswer = { sections: CommentSection[] };

/**
 * `GET /api/why?commit&file&to` – what a commit or range changed in one file, without added lines that no
 * longer exist. `to` is the last line to read.
 */
export type ChangedFileAnswer = {
  file: string;
  /** The commit that deleted the file. */
  deleted?: FileCommit;
  added: number;
  removed: number;
  /** Added lines that have a reason. */
  explained: number;
  hunks: ChangedHunk[];
  /** How many hunks are left out at the end. */
  moreHunks?: number;
};

/** Neighbouring lines added by one edit, the lines they replaced, and any unchanged lines in between. */
export type ChangedHunk = Pick<FileReasons, "by" | "commit" | "asked" | "because"> & {
  /** The first and last added line. `to` is less than `from` if lines were only removed. */
  from: number;
  to: number;
  added: number;
  /** `old`: the number of a removed line before the change, `now`: the number of an existing line. */
  lines: { old?: number; now?: number; isSame?: true; text: string }[];
  /** How many lines are left out at the end. */
  moreLines?: number;
};
