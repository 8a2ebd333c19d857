/** Answers of `/api/why`: the fields of `why_file` and `why` that the page reads. */

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

type FileCommit = { sha: string; subject: string; author: string; at: string };

/** `GET /api/why?file&from&since&text=false` – `since`: a commit or range. */
export type FileAnswer = {
  file: string;
  head?: string;
  total: number;
  runs: { from: number; to: number; writer?: number; commit?: string; text?: string }[];
  /** With `since`, on the first page: lines that stood before line `before`, numbered from `from` in the earlier text. */
  removed?: { before: number; from: number; text: string }[];
  /** The commit that deleted the file. `removed` then contains its last lines. */
  deleted?: FileCommit;
  writers: FileWriter[];
  commits: FileCommit[];
  next?: number;
};

export type FileReason = { text: string; thought: string };
export type FileMoment = { at: string; what: string; sessionId?: string };

/** `GET /api/why?file&line&to` */
export type ReasonsAnswer = {
  answers: {
    file: string;
    lines: string;
    commit?: FileCommit;
    by?: Omit<FileWriter, "n">;
    asked?: FileReason;
    because?: FileReason;
    given_up?: FileMoment[];
    since?: FileMoment[];
  }[];
  /** Decisions and other cards that rest on the file. */
  pinned?: PinnedCard[];
  more?: number;
  note?: string;
};

type PinnedCard = {
  id: string;
  title: string;
  /** Of a decision. */
  state?: "holds" | "in_doubt" | "reversed";
  ground?: "holds" | "moved" | "unknown";
  ground_moved?: string[];
  /** What pinned lines are now, in words. */
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

/** `GET /api/why?commit` – for a range, the lines that still exist. */
export type ChangesAnswer = ReasonsAnswer & {
  comment: { intro: string; sections: CommentSection[] };
  /** Files that the range deleted or only shortened. */
  shortened?: string[];
};
