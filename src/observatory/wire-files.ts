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

/** `GET /api/why?file&from&since&text=false` – `since`: a commit or range. */
export type FileAnswer = {
  file: string;
  head?: string;
  total: number;
  runs: { from: number; to: number; writer?: number; commit?: string; text?: string }[];
  /** With `since`, on the first page: lines that stood before line `before`, numbered from `from` in the earlier text. */
  removed?: { before: number; from: number; text: string }[];
  writers: FileWriter[];
  commits: { sha: string; subject: string; author: string; at: string }[];
  next?: number;
};

export type FileReason = { text: string; thought: string };
export type FileMoment = { at: string; what: string; sessionId?: string };

/** `GET /api/why?file&line&to` */
export type ReasonsAnswer = {
  answers: {
    file: string;
    lines: string;
    commit?: { sha: string; subject: string; author: string; at: string };
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

/** `GET /api/why?commit` – for a range, the lines that still exist. `comment` is Markdown for a pull request. */
export type ChangesAnswer = ReasonsAnswer & { comment: string };
