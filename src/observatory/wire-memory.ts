/** Answers of `/api/memory/…` – the other half of `wire.ts`. Words that agents use keep their spelling. */

/** `GET /api/memory/workspaces` – those that may be looked at; `inUse`: where something was written, last time first. */
export type WorkspacesAnswer = { workspaces: string[]; inUse: string[]; current: string };

/** Below, `?workspace=` is the current one by default, and `next_cursor` is passed on as `?cursor=`. */
export type Pagination = { count: number; has_more: boolean; next_cursor?: number | string };

/** `GET /api/memory/branches` */
export type BranchesAnswer = {
  workspace: string;
  checkout?: string;
  branches: { name: string; base_branch?: string | null; created_at_ms?: number }[];
  pagination: Pagination;
};

/** `GET /api/memory/tasks?all=true` – `all`: what is done or canceled too. */
export type TasksAnswer = {
  workspace: string;
  plans: { id: string; title: string; status: string }[];
  tasks: MemoryTask[];
  /** The plan or task in focus. */
  focus?: string;
};

export type MemoryTask = {
  id: string;
  title: string;
  status: string;
  plan?: string;
  steps: MemoryTaskStep[];
  /** The column of the board that it belongs to. What was canceled counts as done. */
  state: "ready" | "active" | "blocked" | "done";
  /** Why it is blocked, one sentence each. */
  reasons: string[];
  /** Milliseconds since 1970. */
  updatedAt: number;
};

export type MemoryTaskStep = {
  path: string;
  title: string;
  completed: boolean;
  /** Who holds the lease. */
  leasedBy?: string;
};

/** `GET /api/memory/notes` – of the branch that is checked out, newest first, with the documents it shows. */
export type NotesAnswer = {
  workspace: string;
  notes: MemoryNote[];
  hasMore: boolean;
  docs: { doc: string; form: string; last_seq: number; last_ts_ms?: number }[];
};

export type MemoryNote = { seq: number; at: number; title?: string; content: string; agent?: string };

/** `GET /api/memory/decisions?limit` – the last changed first. */
export type DecisionsAnswer = { decisions: ListedDecision[]; pagination: Pagination };

export type ListedDecision = {
  id: string;
  title: string;
  /** `in_doubt`: it rests on a decision that was reversed. */
  state: "holds" | "in_doubt" | "reversed";
  because?: string;
  rejected?: { option: string; why?: string }[];
  files?: string[];
  /** Whether the files it rests on are as they were. */
  ground?: "holds" | "moved" | "unknown";
  ground_moved?: string[];
  at?: string;
  /** Id of the thought it was made in. */
  thought?: string;
  reversed_by?: string;
  rests_on_reversed?: { id: string; title?: string }[];
};

/** `GET /api/memory/cards?branch&target` */
export type CardsAnswer = {
  workspace: string;
  branch: string;
  doc: string;
  cards: MemoryCard[];
  /** Between the cards that are shown. */
  edges: MemoryEdge[];
  pagination: Pagination;
};

export type MemoryCard = {
  id: string;
  /** frame, hypothesis, test, evidence, decision, question, note, update. */
  type: string;
  title: string;
  text?: string;
  status: string;
  tags: string[];
  pinned: boolean;
  /** 0 to 1, for hypotheses and decisions. */
  confidence?: number;
  /** 0 to 100, for evidence. */
  score?: number;
  /** Id of the thought it came from. */
  thought?: string;
  /**
   * Whether the files that the card, or a card below it, is pinned to are as they were. `unknown`: no repository to compare
   * with. Absent if nothing is pinned.
   */
  ground?: "holds" | "moved" | "unknown";
  /** If it moved: files whose text changed, as `src/pool.ts:2` or, pinned by a card below, `DEC-1: src/pool.ts`. */
  ground_moved?: string[];
  /** IDs of decisions that it rests on and that were reversed: it is in doubt. */
  rests_on_reversed?: string[];
  /** Only of decisions. */
  decision?: MemoryDecision;
  last_seq: number;
  last_ts_ms: number;
};

/** What a decision says, as it was recorded. */
export type MemoryDecision = {
  state: "holds" | "in_doubt" | "reversed";
  chosen?: string;
  because?: string;
  rejected?: { option: string; why?: string }[];
  files?: string[];
  commit?: string;
  reverses?: string[];
  reversed_by?: string;
};

/** `rel` is `supports`, `blocks` or whatever an agent wrote. */
export type MemoryEdge = { from: string; rel: string; to: string };

/** `GET /api/memory/graph?branch&doc&id&steps` – everything, or what is within `steps` (at most 3) of one node. */
export type GraphAnswer = {
  workspace: string;
  branch: string;
  doc: string;
  nodes: MemoryNode[];
  edges: MemoryEdge[];
  pagination: Pagination;
};

export type MemoryNode = {
  id: string;
  type: string;
  title?: string;
  text?: string;
  status?: string;
  tags?: string[];
  /** Steps from the node that was asked for. */
  distance?: number;
  last_seq: number;
  last_ts_ms?: number;
};

/**
 * `GET /api/memory/conflicts?into&status=open|resolved` – without `into`, what is open on every branch, newest first.
 * `total` counts those that are not shown too.
 */
export type ConflictsAnswer = {
  workspace: string;
  into?: string;
  total: number;
  conflicts: MemoryConflict[];
};

/** Fields as text, so that they can be compared word by word; `null` where the key did not exist. */
export type ConflictSide = Record<string, string> | null;

export type MemoryConflict = {
  conflict_id: string;
  kind: "node" | "edge";
  key: string;
  from: string;
  into: string;
  doc: string;
  status: string;
  base: ConflictSide;
  ours: ConflictSide;
  theirs: ConflictSide;
  created_at_ms: number;
  /** Calls for the agent to copy: keep ours, take theirs. */
  keepOurs: AgentCall;
  takeTheirs: AgentCall;
};

/** A call that an agent can make as it stands. */
export type AgentCall = { operation: string; args: Record<string, unknown> };

/** `GET /api/memory/signals?branch&target` – in the engine's order. */
export type SignalsAnswer = { workspace: string; signals: MemorySignal[] };

export type MemorySignal = {
  severity: "high" | "warning" | "info";
  code: string;
  message: string;
  /** Ids of the cards it speaks of. */
  refs: string[];
  action?: { title: string; priority: string; call?: AgentCall };
};
