/** Answers from `/api/home` and from the lists that it links to. */
import type { ObservatorySession, StoryLine } from "./wire.ts";

export type NewsSection = "concluded" | "givenUp" | "contradicted" | "unanswered" | "tasks" | "conflicts";

/** A thought in the news, with its session. */
export type NewsLine = StoryLine & {
  sessionId: string;
  sessionTitle: string;
  project: string;
  at: string;
  agent?: string;
};

/**
 * A rejected idea, with the thought that gives the reason. If `reason` is absent, the thought rejects itself.
 */
export type DeadEnd = NewsLine & { reason?: NewsLine };

/** `old` is a conclusion or plan that nothing has replaced. `by` is the thought that contradicts it. */
export type Contradiction = { old: NewsLine; by: NewsLine };

export type MovedTask = {
  workspace: string;
  id: string;
  title: string;
  /** As a word: ready, in progress, blocked, done, parked, canceled. Absent for a new task. */
  from?: string;
  /** The new state as a word, or who has claimed the task. */
  to: string;
  state: "ready" | "active" | "blocked" | "done" | "parked" | "canceled";
  at: string;
};

export type NewsConflict = {
  workspace: string;
  conflict_id: string;
  key: string;
  from: string;
  into: string;
  doc: string;
  /** Names of the fields in which the two sides differ. */
  fields: string[];
  at: string;
};

/**
 * A session with news, and its thoughts in the period. If there are very many thoughts, contains only every
 * n-th one.
 */
export type Lane = {
  session: ObservatorySession;
  /** Thoughts in the period, whether or not they have a tick. */
  thoughts: number;
  /** Milliseconds since 1970, one per tick. */
  times: number[];
  types: string;
  numbers: number[];
  /** Branch names, keyed by the index of the tick. */
  branches: Record<number, string>;
};

/**
 * `GET /api/home?since&project` – what happened since a time. Every list is sorted newest first and contains only as
 * many entries as the page shows. `?show=concluded,givenUp` returns more of these sections.
 */
export type HomeAnswer = {
  since: string;
  /** Totals for the period, even if the lists show less. */
  counts: Record<NewsSection, number>;
  /**
   * False if the period contains more sessions than are read for one answer. Counts then cover only its
   * newest sessions.
   */
  isComplete: boolean;
  /** Set if the period contains older sessions that were not read. */
  hasMoreSessions?: true;
  /**
   * The number of sessions with news in all projects. `projects` lists the number for each project. Both
   * cover every project, even if only one is shown.
   */
  inAllProjects: number;
  projects: { project: string; sessions: number }[];
  lanes: Lane[];
  /** Sessions with news. */
  sessions: number;
  ended: number;
  /** The current number of notebooks in all projects. */
  notebooks: number;
  transcripts: FollowedTranscripts;
  concluded: NewsLine[];
  givenUp: DeadEnd[];
  contradicted: Contradiction[];
  unanswered: NewsLine[];
  tasks: MovedTask[];
  conflicts: NewsConflict[];
};

/** Whether transcripts of other programs are recorded, and which were read most recently. */
export type FollowedTranscripts = {
  state: "on" | "off" | "paused" | "unasked";
  total: number;
  files: {
    /** When it last grew. */
    at: string;
    sessionId?: string;
    project?: string;
    /** Title of the program that writes it. */
    client?: string;
    /** Why the transcript is not recorded, as a sentence. */
    problem?: string;
  }[];
};

/** An action that an agent took between two thoughts, from its transcript. */
export type ObservatoryAction = {
  type: "edit" | "command" | "refusal" | "record" | "fork" | "notice" | "commit" | "read";
  call: string;
  at: string;
  tool: string;
  summary: string;
  branchId?: string;
  /** The last thought before the action. */
  after?: { thoughtNumber: number; branchId?: string };
  /** Milliseconds from the call to its result, if known. */
  took?: number;
  /** Files that the agent read one after the other. */
  paths?: string[];
  path?: string;
  from?: string;
  change?: "edit" | "create" | "delete";
  /** Number of lines that an edit added and removed. */
  written?: number;
  removed?: number;
  command?: string;
  failed?: true;
  exit?: number;
  tests?: true;
  results?: { failed: number; passed: number };
  commit?: string;
  /** What the user wrote when refusing. */
  said?: string;
  /** The session that this one was copied from. */
  origin?: string;
  /** A thought that the agent recorded itself, with its text if it can be read. */
  recorded?: { sessionId: string; thoughtNumber: number; branchId?: string; thought?: string };
};

/**
 * `GET /api/sessions/{id}/actions?after` – in the order in which they were recorded. `nextAfter` is set if
 * there are more actions. Actions that are recorded later follow `last`.
 */
export type ActionsAnswer = { actions: ObservatoryAction[]; nextAfter?: number; last?: number };
