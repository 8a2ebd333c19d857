/** Answers of `/api/why`: what the operations `why_file` and `why` return, as far as the page reads it. */

export type FileWriter = {
  n: number;
  sessionId: string;
  title?: string;
  /** Id of the thought before the edit. */
  thought?: string;
  at: string;
  agent: string;
  how: "sure" | "likely" | "by-commit";
};

/** `GET /api/why?file&from` */
export type FileAnswer = {
  file: string;
  head?: string;
  total: number;
  runs: { from: number; to: number; writer?: number; commit?: string; text?: string }[];
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
  ground?: "holds" | "moved" | "unknown";
  ground_moved?: string[];
};

/** `GET /api/why?commit` – of a range, the lines that still exist. `comment` is Markdown for a pull request. */
export type ChangesAnswer = ReasonsAnswer & { comment: string };
