/**
 * Answers from `/api/memory/…`, in addition to `wire.ts`. Names that agents also see keep their spelling,
 * such as `last_seq`.
 */

/** `GET /api/memory/workspaces` – the workspaces that may be viewed. `inUse`: those with writes, most recent first. */
export type WorkspacesAnswer = { workspaces: string[]; inUse: string[]; current: string };

/** In all requests below, `?workspace=` defaults to the current workspace. Send `next_cursor` back as `?cursor=`. */
export type Pagination = { count: number; has_more: boolean; next_cursor?: number | string };

/** `GET /api/memory/branches` */
export type BranchesAnswer = {
  workspace: string;
  checkout?: string;
  branches: {
    name: string;
    base_branch?: string | null;
    created_at_ms?: number;
    /** Set only for the first branches, because counting reads every card. */
    cards?: { count: number; has_more: boolean };
    /** The document with these cards. Set together with `cards`. */
    doc?: string;
  }[];
  pagination: Pagination;
};

/** `GET /api/memory/tasks?all=true` – `all` includes done and canceled tasks. */
export type TasksAnswer = {
  workspace: string;
  plans: { id: string; title: string; status: string }[];
  tasks: MemoryTask[];
  /** The plan or task in focus. */
  focus?: string;
  /** True if there are more tasks than these. */
  hasMore: boolean;
};

export type MemoryTask = {
  id: string;
  title: string;
  status: string;
  /** True if the task was closed without being done. */
  isCanceled?: true;
  plan?: string;
  steps: MemoryTaskStep[];
  /** The task's column on the board. Canceled tasks are shown as done. */
  state: "ready" | "active" | "blocked" | "done";
  /** Why the task is blocked, the blocked step, and the ID of the thought that the blocker refers to. */
  reasons: { text: string; step?: string; thought?: string }[];
  assignee?: string;
  /** Milliseconds since 1970. */
  updatedAt: number;
  /** The card with the outcome of a closed task. Set only for the latest closed tasks. */
  outcome?: { type: string; title: string };
  /** When a task was closed, and by which agent if it gave a name. Set only for the latest closed tasks. */
  closed?: { at: number; by?: string };
};

export type MemoryTaskStep = {
  path: string;
  title: string;
  completed: boolean;
  /** The agent that has the lease. */
  leasedBy?: string;
  /**
   * The last lease of an open step, valid only with `leasedBy`. The lease ends if the agent writes nothing
   * until `ends`.
   */
  lease?: { by: string; heardAt?: number; ends?: number };
};

/** `GET /api/memory/notes` – on every branch and in every document, newest first, with the documents of the branches. */
export type NotesAnswer = {
  workspace: string;
  notes: MemoryNote[];
  /** How many notes there are on all branches. */
  total: number;
  /** Pinned cards of every branch: rules that agents are reminded of. */
  rules: MemoryRule[];
  rulesTotal: number;
  docs: { doc: string; form: string; last_seq: number; last_ts_ms?: number }[];
};

export type MemoryNote = {
  seq: number;
  at: number;
  title?: string;
  content: string;
  agent?: string;
  branch: string;
  /** ID of the thought that the note originates from. */
  thought?: string;
};

export type MemoryRule = {
  id: string;
  type: string;
  title: string;
  text?: string;
  branch: string;
  at: number;
  thought?: string;
};

/** `GET /api/memory/decisions?limit` – most recently changed first. */
export type DecisionsAnswer = { decisions: ListedDecision[]; pagination: Pagination };

export type ListedDecision = {
  id: string;
  title: string;
  /** `in_doubt`: the decision rests on a reversed decision. */
  state: "holds" | "in_doubt" | "reversed";
  because?: string;
  rejected?: { option: string; why?: string }[];
  files?: string[];
  /** Whether the files that the decision rests on are unchanged. */
  ground?: "holds" | "moved" | "unknown";
  ground_moved?: string[];
  /** Sentences that describe the pinned lines as they are now. */
  ground_now?: string[];
  at?: string;
  /** ID of the thought in which the decision was made. */
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
  /** Edges between the cards that are shown. */
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
  /** ID of the thought that the card originates from. */
  thought?: string;
  /**
   * Whether the pinned files of the card and of the cards below it are unchanged. `unknown`: there is no
   * repository to compare with. Absent if nothing is pinned.
   */
  ground?: "holds" | "moved" | "unknown";
  /**
   * Set if `ground` is `moved`: the files whose text changed, as `src/pool.ts:2` or, if pinned by a card below, `DEC-1:
   * src/pool.ts`.
   */
  ground_moved?: string[];
  /** Sentences that describe the pinned lines as they are now. */
  ground_now?: string[];
  /** IDs of the reversed decisions that the card rests on. If there are any, the card is in doubt. */
  rests_on_reversed?: string[];
  /** Only for decisions. */
  decision?: MemoryDecision;
  last_seq: number;
  last_ts_ms: number;
};

/** The content of a decision, as recorded. */
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

/** `rel` is `supports`, `blocks` or any text that an agent wrote. */
export type MemoryEdge = { from: string; rel: string; to: string };

/**
 * `GET /api/memory/graph?branch&doc&id&steps` – the whole graph, or the part within `steps` (at most 3) of one node.
 */
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
  /** Steps from the requested node. */
  distance?: number;
  last_seq: number;
  last_ts_ms?: number;
};

/**
 * `GET /api/memory/conflicts?into&status=open|resolved` – without `into`, open conflicts on every branch, newest first.
 * `total` also counts those that are not shown.
 */
export type ConflictsAnswer = {
  workspace: string;
  into?: string;
  total: number;
  conflicts: MemoryConflict[];
};

/** Fields as text, so that they can be compared word by word. `null` if the key did not exist. */
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
  /** Calls that the agent can copy: keep ours, take theirs. */
  keepOurs: AgentCall;
  takeTheirs: AgentCall;
};

/** A call that an agent can make unchanged. */
export type AgentCall = { operation: string; args: Record<string, unknown> };

/** `GET /api/memory/signals?branch&target` – in the engine's order. */
export type SignalsAnswer = { workspace: string; signals: MemorySignal[] };

export type MemorySignal = {
  severity: "high" | "warning" | "info";
  code: string;
  message: string;
  /** IDs of the cards that the signal refers to. */
  refs: string[];
  action?: { title: string; priority: string; call?: AgentCall };
};
