/**
 * The protocol between the Observatory's server and its page. Types and constants only, without imports, so
 * that both sides compile the same file. The memory's answers are in `wire-memory.ts`. Field names from the
 * contract never change. New fields are added beside these.
 *
 * Positions number a session's thoughts from 1 in order of arrival, without gaps: a client that has `n` thoughts
 * expects position `n + 1` next. `seq` orders everything in the store and has gaps within a session.
 */
export const wire = {
  /** The longest message that a client may send, in bytes. */
  messageBytes: 64 * 1024,
  /** The number of thoughts on one page of a snapshot. */
  snapshotPage: 1_000,
  /** Longer sessions are sent as skeletons. The text is then loaded from `/api/sessions/{id}/thoughts`. */
  skeletonAbove: 2_000,
  /** The most bytes per thought on a page of a skeleton. Links that do not fit are sent with the text. */
  skeletonBytes: 190,
  /** The most thoughts in one answer of `/api/sessions/{id}/thoughts`. */
  wordsRange: 500,
  /**
   * Longer text is truncated in events, snapshots and ranges. An answer with a single thought contains its
   * whole text.
   */
  textCharacters: 20_000,
  /** The number of sessions on one page of `/api/sessions`. */
  sessionsPage: 100,
  /** The number of sessions on one page without stories. */
  headsPage: 1_000,
  /** The maximum number of letters in a session's fingerprint. */
  fingerprintLetters: 200,
  /** Codes with which the server closes a socket. The library adds 1002 and 1007 for protocol violations. */
  close: {
    goingAway: 1001,
    unsupportedData: 1003,
    policyViolation: 1008,
    tooLarge: 1009,
    failed: 1011,
    tooSlow: 1013,
  },
} as const;

/** `N` is prose: a thought that is not written in cipher. */
export type ThoughtType = "O" | "E" | "Q" | "H" | "A" | "C" | "P" | "R" | "X" | "N";

export type SessionStatus = "active" | "completed" | "abandoned";

export type ObservatorySession = {
  id: string;
  title: string;
  tags: string[];
  createdAt: string;
  completedAt?: string;
  /** `abandoned`: active without a thought for 24 hours. */
  status: SessionStatus;
  project: string;
  description?: string;
  thoughtCount: number;
  branchCount: number;
  updatedAt: string;
  /** The first agent in the session, if the first thoughts name one. */
  agent?: string;
  /** When the session's transcript last grew, if the session is captured and has not ended. */
  signAt?: string;
  /** When the agent's last process ended. Absent while a process is running, or if none is known. */
  leftAt?: string;
  /** What the agent is doing, if the session's transcript ends with a call that has no result. */
  running?: { command: string; at: string };
  /** Absent if the session has no thoughts, or if finding it would take too long. */
  story?: SessionStory;
};

/** A session at a glance. */
export type SessionStory = {
  /** Time of the first and of the newest thought. */
  firstAt: string;
  lastAt: string;
  /** The first thought, clipped. */
  began: StoryLine;
  /** The newest conclusion that was not replaced or contradicted, on the main line if possible. Absent if there is none. */
  stands?: StoryLine;
  /** The newest thought, clipped. `ending` is the end of the thought's text if it is prose. */
  last: StoryLine & { ending?: string };
  /**
   * The type of each thought as one letter, in order of arrival. Lower case means a thought on a branch, and
   * `U` the user's prose. A long session contributes only a sample of its thoughts.
   */
  fingerprint: string;
  /** Agents that recorded thoughts, if they are named. At most 8. */
  agents: string[];
};

export type StoryLine = { type: ThoughtType; thoughtNumber: number; branchId?: string; text: string };

export type ObservatoryThought = {
  /** `{sessionId}:{n}` on the main line, `{sessionId}:{branchId}:{n}` in a branch. */
  id: string;
  thoughtNumber: number;
  totalThoughts: number;
  /** Secrets are masked. If `textLength` is set, the text was truncated to `wire.textCharacters`. */
  thought: string;
  nextThoughtNeeded: boolean;
  timestamp: string;
  isRevision?: true;
  revisesThought?: number;
  branchId?: string;
  branchFromThought?: number;
  branchFromBranch?: string;
  seq: number;
  position: number;
  /**
   * The previous thought in its line, by arrival. For the first thought on a branch, this is the fork. For the first
   * thought of the session, it is `null`.
   */
  parentId: string | null;
  /** Position of the parent, or 0. A parent always arrived earlier. */
  parent: number;
  /** Type of the first cipher step. */
  type: ThoughtType;
  /** Number of cipher steps, if there are several. */
  steps?: number;
  revisesId?: string;
  /** Position of the thought that this one replaces. */
  revises?: number;
  /** Links to earlier thoughts, from the cipher. The first thought that this one revises is in `revises`. */
  links?: ThoughtLink[];
  /** The branch that this thought closes. The text is the lesson. */
  closes?: { branchId: string; outcome: "merged" | "abandoned" };
  agentId?: string;
  hasCritique?: true;
  critique?: Critique;
  /** Length of the whole text in characters, if `thought` was truncated. */
  textLength?: number;
};

/**
 * `Skeleton.links` contains indexes in this list. Evidence supports the thoughts it names. Other steps rest
 * on the thoughts they name.
 */
export const linkRelations = ["supports", "contradicts", "rejects", "rests_on", "revises"] as const;
export type LinkRelation = (typeof linkRelations)[number];
/**
 * `to` is a position. If `from` is set, the thought states a link of the earlier thought at that position:
 * `[S3] ⊖ [S2]` in thought 4 states that S3 contradicts S2.
 */
export type ThoughtLink = { relation: LinkRelation; to: number; from?: number };

export type Critique = { text: string; model: string; timestamp: string };

export type ObservatoryBranch = {
  id: string;
  name?: string;
  fromThoughtNumber: number;
  /** The branch that this one forks from. Absent for the main line. */
  fromBranch?: string;
  thoughts: ObservatoryThought[];
};

/** Bits of `Skeleton.marks`. */
export const skeletonMarks = { critique: 1, noNextThought: 2, severalSteps: 4 } as const;

/** Thoughts without their text, column by column. Row `i` is the thought at position `page.from + i`. */
export type Skeleton = {
  seq: number[];
  thoughtNumber: number[];
  /** 0 is the main line, `k` the session's k-th branch in order of first arrival. */
  chain: number[];
  /** Positions, 0 for none. */
  parent: number[];
  revises: number[];
  /** One letter per thought. */
  type: string;
  /** Milliseconds since 1970. */
  time: number[];
  marks: number[];
  /** Triples of position, position and index in `linkRelations`, as many as fit into `wire.skeletonBytes`. */
  links: number[];
  /** Links that a thought states for another: its position, from, to, and index in `linkRelations`. */
  relayed?: number[];
  /**
   * Branches that begin on this page, in order. `fork` is a position. The numbers of these branches continue
   * from earlier pages.
   */
  branches: { id: string; fork: number }[];
};

/** A page of a session. `from` and `to` are positions. For an empty page, `to = from - 1`. */
export type SnapshotPage = {
  /** 1 means that the client must discard everything it has loaded of this session. */
  from: number;
  to: number;
  /** Number of thoughts in the session when the snapshot began. */
  total: number;
  isLast: boolean;
};

/** Every answer from `/api/` with a status other than 2xx. */
export type ErrorAnswer = {
  error: {
    code: string;
    message: string;
    /** Set for a file that cannot be shown: `binary`, `large`, `link` or `folder`. */
    kind?: string;
  };
};

/** `GET /api/health` */
export type HealthAnswer = {
  status: "ok";
  version: string;
  /** The project that this server shows, or `*` for all. */
  project: string;
  workspace: string;
  /** The same for all servers that show this store. */
  store: string;
  /** The URL for MCP clients. Absent if this process does not serve MCP, or serves it only with the token. */
  mcpUrl?: string;
  /**
   * The command that starts this installation. `shell` is the same command as one line to paste. Add a subcommand such
   * as `stdio`.
   */
  program?: { command: string; args: string[]; shell: string };
  viewers: number;
  startedAt: string;
};

/** `GET /api/sessions?status&limit&offset&search&project&story=false` – newest activity first. */
export type SessionsAnswer = {
  sessions: ObservatorySession[];
  total: number;
  hasMore: boolean;
  limit: number;
  offset: number;
};

/** `GET /api/sessions/{id}?from&to` – the session with a page of its thoughts. */
export type SessionAnswer = {
  session: ObservatorySession;
  /** The head of the hash chain. */
  chain: { length: number; headHash: string };
} & ThoughtsAnswer;

/** `GET /api/sessions/{id}/thoughts/{n}?branch=` – with the whole text. */
export type ThoughtAnswer = { thought: ObservatoryThought; hash: string };

/**
 * `GET /api/sessions/{id}/thoughts?from&to` – positions, inclusive. Returns fewer thoughts if they are long.
 */
export type ThoughtsAnswer = { thoughts: ObservatoryThought[]; from: number; to: number; total: number };

/** `GET /api/sessions/{id}/remarks` – people's remarks on the session's thoughts, without withdrawn ones. */
export type RemarksAnswer = { remarks: ThoughtRemarks[] };

export type ThoughtRemarks = {
  thoughtNumber: number;
  branchId?: string;
  starredAt?: string;
  comments: { id: string; text: string; at: string }[];
};

/** `POST /api/remarks`: one of `comment`, `star` and `withdraw`. Accepted only from our own page and from the owner. */
export type RemarkRequest = {
  sessionId: string;
  thoughtNumber: number;
  branchId?: string;
  comment?: string;
  star?: boolean;
  /** The ID of a comment. */
  withdraw?: string;
};

/** `GET /api/sessions/{id}/share` – everything for one self-contained file, with masked secrets and the whole text. */
export type ShareAnswer = {
  session: ObservatorySession;
  /** In order of arrival. */
  thoughts: ObservatoryThought[];
  /** The notebook cells that thoughts link to, keyed by link. */
  cells: Record<string, CellAnswer>;
  remarks: ThoughtRemarks[];
  chain: { length: number; headHash: string };
  /** Number of secrets masked in text, titles, tags and critiques. */
  secretsMasked: number;
  exportedAt: string;
};

/**
 * `GET /api/search?q&session&project&type&limit&offset&perSession&order&words` – best first, or newest first
 * with `order=newest`. With `words=all`, hits contain every word, unless no thought contains all of them.
 */
export type SearchAnswer = { query: string; hits: SearchHit[]; hasMore: boolean; relaxed?: true };

export type SearchHit = {
  sessionId: string;
  sessionTitle: string;
  /** Absent if the title, description or tags of the session matched. */
  thought?: { id: string; thoughtNumber: number; branchId?: string };
  timestamp: string;
  snippet: string;
  score: number;
  type?: ThoughtType;
  /** Set if the thought was rejected or replaced. */
  isGone?: true;
};

/**
 * `GET /api/search/sessions?q&project` – every session with a match: its ID and how many of its thoughts contain the
 * words. 0 if only its title, description or tags do. `relaxed`: no thought contains all words, so thoughts with any of
 * the words are counted.
 */
export type MatchesAnswer = { thoughts: number; sessions: [id: string, thoughts: number][]; relaxed?: true };

/** `GET /api/sessions/{id}/matches?q` – positions of all thoughts that contain the words, ascending. */
export type PositionsAnswer = { positions: number[]; relaxed?: true };

/** The result of checking a session's hash chain. */
export type VerifyAnswer = {
  valid: boolean;
  /** The first thought that does not match. The check proves nothing about the thoughts after it. */
  firstBad?: { position: number; problem: string };
  errors: string[];
};

/** `GET /api/sessions/{id}/cells/{cellId}?notebook&version&run&session` – a notebook cell that a thought links to. */
export type CellAnswer = {
  notebookId: string;
  cellId: string;
  version: number;
  filename: string;
  source: string;
  /** idle, running, completed or failed. idle if the latest run was of another version. */
  status: string;
  output?: string;
  value?: string;
  error?: string;
  durationMs?: number;
  exitCode?: number | null;
  sandbox?: string;
  executedAt?: string;
  /** Images in base64. HTML is shown as source. */
  displays: { mime: string; data: string }[];
};
