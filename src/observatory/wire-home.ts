/** Answers of `/api/home`, and of the lists that it leads to. */
import type { ObservatorySession, StoryLine } from "./wire.ts";

export type NewsSection = "concluded" | "givenUp" | "contradicted" | "unanswered" | "tasks" | "conflicts";

/** A thought that something learns of, with its session. */
export type NewsLine = StoryLine & {
  sessionId: string;
  sessionTitle: string;
  project: string;
  at: string;
  agent?: string;
};

/** An idea that was given up, with the thought that says why. Without `reason` the thought gives up what it says itself. */
export type DeadEnd = NewsLine & { reason?: NewsLine };

/** `old` is a conclusion or plan that nothing has replaced, `by` the thought that speaks against it. */
export type Contradiction = { old: NewsLine; by: NewsLine };

export type MovedTask = {
  workspace: string;
  id: string;
  title: string;
  /** In words: ready, in progress, blocked, done, parked, canceled. Absent for a new task. */
  from?: string;
  /** The same, or who holds it. */
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

/** A session with news: its thoughts of the period, every n-th of very many. */
export type Lane = {
  session: ObservatorySession;
  /** Thoughts of the period, whether or not they have a tick. */
  thoughts: number;
  /** Milliseconds since 1970, one per tick. */
  times: number[];
  types: string;
  numbers: number[];
  /** Names of branches by the index of the tick. */
  branches: Record<number, string>;
};

/**
 * `GET /api/home?since&project` – what happened since a time. Every list has its newest entries first, and at most as
 * many as the page shows. `?show=` returns more of one section.
 */
export type HomeAnswer = {
  since: string;
  /** Whole numbers of the period, whatever the lists show. */
  counts: Record<NewsSection, number>;
  /** False if the period contains more than one answer reads; counts are then of its newest sessions. */
  isComplete: boolean;
  projects: { project: string; sessions: number }[];
  lanes: Lane[];
  /** Sessions with news. */
  sessions: number;
  ended: number;
  transcripts: FollowedTranscripts;
  concluded: NewsLine[];
  givenUp: DeadEnd[];
  contradicted: Contradiction[];
  unanswered: NewsLine[];
  tasks: MovedTask[];
  conflicts: NewsConflict[];
};

/** Whether transcripts of other programs are recorded, and those that were read last. */
export type FollowedTranscripts = {
  state: "on" | "off" | "paused" | "unasked";
  total: number;
  files: {
    /** When it last grew. */
    at: string;
    sessionId?: string;
    project?: string;
    /** The program that writes it, by its title. */
    client?: string;
    /** Why it is not recorded, as a sentence. */
    problem?: string;
  }[];
};

/** Something that an agent did between two thoughts, from its transcript. */
export type ObservatoryAction = {
  type: "edit" | "command" | "refusal" | "record" | "fork" | "notice" | "commit";
  call: string;
  at: string;
  tool: string;
  summary: string;
  branchId?: string;
  /** The last thought before it. */
  after?: { thoughtNumber: number; branchId?: string };
  path?: string;
  from?: string;
  change?: "edit" | "create" | "delete";
  /** Lines that an edit put in and took out. */
  written?: number;
  removed?: number;
  command?: string;
  failed?: true;
  exit?: number;
  tests?: true;
  commit?: string;
  /** What the user said when refusing. */
  said?: string;
  /** The session that this one began as a copy of. */
  origin?: string;
  /** A thought that the agent recorded itself, with its text if it can be read. */
  recorded?: { sessionId: string; thoughtNumber: number; branchId?: string; thought?: string };
};

/** `GET /api/sessions/{id}/actions?after` – in the order they were recorded; `nextAfter` if there are more. */
export type ActionsAnswer = { actions: ObservatoryAction[]; nextAfter?: number };
