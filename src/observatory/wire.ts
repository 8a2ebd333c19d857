/**
 * What the Observatory's server and its page say to each other. Types and constants only, without imports, so that
 * both sides compile the same file; the memory's answers are in `wire-memory.ts`. Field names of the contract stay as they are; everything else is beside them.
 *
 * Positions number the thoughts of one session from 1 in order of arrival, without gaps: a client that has
 * `n` thoughts expects position `n + 1` next. `seq` orders everything in the store and has gaps within a session.
 */
export const wire = {
  /** Longest message that a client may send, in bytes. */
  messageBytes: 64 * 1024,
  /** Thoughts on one page of a snapshot. */
  snapshotPage: 1_000,
  /** Sessions longer than this are sent as skeletons; words come by `/api/sessions/{id}/thoughts`. */
  skeletonAbove: 2_000,
  /** A page of a skeleton has at most so many bytes per thought. Links that do not fit come with the words. */
  skeletonBytes: 190,
  /** Most thoughts of one answer of `/api/sessions/{id}/thoughts`. */
  wordsRange: 500,
  /** Longer texts are cut in events, snapshots and ranges; one thought by itself is always whole. */
  textCharacters: 20_000,
  /** Sessions of one page of `/api/sessions`. */
  sessionsPage: 100,
  /** The same without stories. */
  headsPage: 1_000,
  /** Letters of a session's fingerprint. */
  fingerprintLetters: 200,
  /** Reasons for which the server closes a socket. The library adds 1002 and 1007 for what breaks the protocol. */
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
  /** When its transcript last grew, if it is captured and has not ended. */
  signAt?: string;
  /** Absent for sessions without a thought, and in answers that would take too long to find it out. */
  story?: SessionStory;
};

/** A session at a glance. */
export type SessionStory = {
  /** Of the first and of the newest thought. */
  firstAt: string;
  lastAt: string;
  /** The first thought, clipped. */
  began: StoryLine;
  /** The newest conclusion that nothing has replaced, main line first; absent while there is none. */
  stands?: StoryLine;
  /** The newest thought, clipped. */
  last: StoryLine;
  /** Types in order of arrival, lower case for thoughts of branches, `U` for prose of the user; sampled if there are more than fit. */
  fingerprint: string;
  /** Who recorded the thoughts, as far as they said; at most 8. */
  agents: string[];
};

export type StoryLine = { type: ThoughtType; thoughtNumber: number; branchId?: string; text: string };

export type ObservatoryThought = {
  /** `{sessionId}:{n}` on the main line, `{sessionId}:{branchId}:{n}` in a branch. */
  id: string;
  thoughtNumber: number;
  totalThoughts: number;
  /** Secrets masked; cut at `wire.textCharacters` where `textLength` is given. */
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
  /** The thought before it in its line by arrival; for the first of a branch its fork; `null` for the first of all. */
  parentId: string | null;
  /** Position of the parent, 0 without one. A parent always arrived earlier. */
  parent: number;
  /** Of the first cipher step. */
  type: ThoughtType;
  /** Number of cipher steps where there are several. */
  steps?: number;
  revisesId?: string;
  /** Position of the thought that it replaces. */
  revises?: number;
  /** What its cipher says of earlier thoughts; revisions are in `revises`. */
  links?: ThoughtLink[];
  /** The branch that it closes, with its lesson as the text. */
  closes?: { branchId: string; outcome: "merged" | "abandoned" };
  agentId?: string;
  hasCritique?: true;
  critique?: Critique;
  /** Characters of the whole text where `thought` was cut. */
  textLength?: number;
};

/** In the order of their codes in `Skeleton.links`. Evidence supports what it names, every other step rests on it. */
export const linkRelations = ["supports", "contradicts", "rejects", "rests_on"] as const;
export type LinkRelation = (typeof linkRelations)[number];
/** `to` is a position. */
export type ThoughtLink = { relation: LinkRelation; to: number };

export type Critique = { text: string; model: string; timestamp: string };

export type ObservatoryBranch = {
  id: string;
  name?: string;
  fromThoughtNumber: number;
  /** The branch that it leaves, the main line when absent. */
  fromBranch?: string;
  thoughts: ObservatoryThought[];
};

/** Bits of `Skeleton.marks`. */
export const skeletonMarks = { critique: 1, noNextThought: 2, severalSteps: 4 } as const;

/** Thoughts without their words, column by column; row `i` is the thought at position `page.from + i`. */
export type Skeleton = {
  seq: number[];
  thoughtNumber: number[];
  /** 0 is the main line, `k` the k-th branch of the session in order of first arrival. */
  chain: number[];
  /** Positions, 0 for none. */
  parent: number[];
  revises: number[];
  /** One letter a thought. */
  type: string;
  /** Milliseconds since 1970. */
  time: number[];
  marks: number[];
  /** Triples of position, position, index in `linkRelations`, as many as `wire.skeletonBytes` leaves room for. */
  links: number[];
  /**
   * Branches that begin on this page, in order; `fork` is a position. They continue counting where earlier
   * pages ended.
   */
  branches: { id: string; fork: number }[];
};

/** A page of a session: `from` to `to` are positions, `to = from - 1` for an empty one. */
export type SnapshotPage = {
  /** 1 means: forget what you have of this session. */
  from: number;
  to: number;
  /** Thoughts of the session when the snapshot was begun. */
  total: number;
  isLast: boolean;
};

/**
 * Sent on subscription, page by page; deltas follow the last page without gap. Thoughts of the main line stand in
 * `thoughts`, those of branches in theirs; with `skeleton` both are empty.
 */
export type SessionSnapshotPayload = {
  session: ObservatorySession;
  thoughts: ObservatoryThought[];
  branches: Record<string, ObservatoryBranch>;
  page: SnapshotPage;
  skeleton?: Skeleton;
};

export type ThoughtAddedPayload = { thought: ObservatoryThought; parentId: string | null };
export type ThoughtRevisedPayload = ThoughtAddedPayload & { originalThoughtNumber: number };
export type ThoughtBranchedPayload = ThoughtAddedPayload & { branchId: string; fromThoughtNumber: number };
export type ThoughtCritiquedPayload = { id: string; position: number; critique: Critique };
export type SessionStartedPayload = { session: ObservatorySession };
export type SessionEndedPayload = { sessionId: string; finalThoughtCount: number };
export type SessionUpdatedPayload = { session: ObservatorySession };
/** `deleted`: it is in the trash. `unknown`: no such session here, or not for this server's project. */
export type SessionGonePayload = { sessionId: string; reason: "deleted" | "unknown" };
/** The newest sessions, on subscription to `sessions`. */
export type SessionsSnapshotPayload = { sessions: ObservatorySession[]; total: number };
/** A message that could not be obeyed. */
export type RefusedPayload = { code: string; message: string };

/**
 * `sessions`: a snapshot, then started, updated (at most four a second for each session), ended and gone.
 * `reasoning` with `sessionId`: that session's snapshot, then its thoughts. Without: thoughts of all sessions from
 * now on, and no snapshot.
 */
export type Channel = "reasoning" | "sessions";

/** Besides these a client may send the text `ping`; the answer is the text `pong`. */
export type ClientMessage =
  | { action: "subscribe"; channel: "sessions" }
  | {
      action: "subscribe";
      channel: "reasoning";
      sessionId?: string;
      /** The position of the last thought the client has: the snapshot begins after it. Also the way to resync. */
      after?: number;
    }
  | { action: "unsubscribe"; channel: Channel; sessionId?: string };

type Event<Name extends string, Data> = { event: Name; data: Data };

/** `sessionId` is there wherever an event is about one session. */
export type ServerMessage =
  | ({ channel: "reasoning"; sessionId: string } & (
      | Event<"session:snapshot", SessionSnapshotPayload>
      | Event<"thought:added", ThoughtAddedPayload>
      | Event<"thought:revised", ThoughtRevisedPayload>
      | Event<"thought:branched", ThoughtBranchedPayload>
      | Event<"thought:critiqued", ThoughtCritiquedPayload>
      | Event<"session:remarked", RemarksAnswer>
      | Event<"session:updated", SessionUpdatedPayload>
      | Event<"session:ended", SessionEndedPayload>
      | Event<"session:gone", SessionGonePayload>
    ))
  | ({ channel: "sessions"; sessionId: string } & (
      | Event<"session:started", SessionStartedPayload>
      | Event<"session:updated", SessionUpdatedPayload>
      | Event<"session:ended", SessionEndedPayload>
      | Event<"session:gone", SessionGonePayload>
    ))
  | ({ channel: "sessions" } & Event<"sessions:snapshot", SessionsSnapshotPayload>)
  | ({ channel: Channel } & Event<"refused", RefusedPayload>);

/** Every answer of `/api/` that is not 2xx. */
export type ErrorAnswer = { error: { code: string; message: string } };

/** `GET /api/health` */
export type HealthAnswer = {
  status: "ok";
  version: string;
  /** What this server shows: one project, or `*` for all. */
  project: string;
  workspace: string;
  /** Where MCP clients connect by URL; absent where this process serves none, or only with the token. */
  mcpUrl?: string;
  /** How this installation is started; `shell` is the same as a line to paste. A subcommand such as `stdio` comes after it. */
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

/** `GET /api/sessions/{id}/thoughts/{n}?branch=` – whole text. */
export type ThoughtAnswer = { thought: ObservatoryThought; hash: string };

/** `GET /api/sessions/{id}/thoughts?from&to` – positions, both included; fewer than asked when they are large. */
export type ThoughtsAnswer = { thoughts: ObservatoryThought[]; from: number; to: number; total: number };

/** `GET /api/sessions/{id}/remarks` – what people said of its thoughts, as far as it still counts. */
export type RemarksAnswer = { remarks: ThoughtRemarks[] };

export type ThoughtRemarks = {
  thoughtNumber: number;
  branchId?: string;
  starredAt?: string;
  comments: { id: string; text: string; at: string }[];
};

/** `POST /api/remarks`: one of `comment`, `star` and `withdraw`. From our own page alone, and from the owner. */
export type RemarkRequest = {
  sessionId: string;
  thoughtNumber: number;
  branchId?: string;
  comment?: string;
  star?: boolean;
  /** The ID of a comment. */
  withdraw?: string;
};

/** `GET /api/sessions/{id}/share` – everything for one self-contained file, secrets masked, whole texts. */
export type ShareAnswer = {
  session: ObservatorySession;
  /** In order of arrival. */
  thoughts: ObservatoryThought[];
  /** The cells of notebooks that thoughts link to, by the link. */
  cells: Record<string, CellAnswer>;
  remarks: ThoughtRemarks[];
  chain: { length: number; headHash: string };
  /** Secrets that were masked in texts, titles, tags and critiques. */
  secretsMasked: number;
  exportedAt: string;
};

/** `GET /api/search?q&session&project&type&limit&offset` */
export type SearchAnswer = { query: string; hits: SearchHit[]; hasMore: boolean; relaxed?: true };

export type SearchHit = {
  sessionId: string;
  sessionTitle: string;
  /** Absent where the title, description or tags of the session matched. */
  thought?: { id: string; thoughtNumber: number; branchId?: string };
  timestamp: string;
  snippet: string;
  score: number;
  type?: ThoughtType;
  /** It was given up or replaced. */
  isGone?: true;
};

/** `GET /api/sessions/{id}/cells/{cellId}?notebook&version&run&session` – a cell of a notebook that a thought links to. */
/** What checking a session's hash chain found. */
export type VerifyAnswer = {
  valid: boolean;
  /** The first thought that does not fit; everything after it is unproven. */
  firstBad?: { position: number; problem: string };
  errors: string[];
};

export type CellAnswer = {
  notebookId: string;
  cellId: string;
  version: number;
  filename: string;
  source: string;
  /** idle, running, completed or failed; idle where the latest run was of another version. */
  status: string;
  output?: string;
  value?: string;
  error?: string;
  durationMs?: number;
  exitCode?: number | null;
  sandbox?: string;
  executedAt?: string;
  /** Images in base64; HTML is shown as its source. */
  displays: { mime: string; data: string }[];
};
