import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type {
  BranchesAnswer,
  CardsAnswer,
  ConflictsAnswer,
  DecisionsAnswer,
  GraphAnswer,
  ListedDecision,
  MemoryCard,
  MemoryConflict,
  MemoryEdge,
  MemoryNote,
  MemoryRule,
  MemorySignal,
  MemoryTask,
  NotesAnswer,
  SignalsAnswer,
  TasksAnswer,
  WorkspacesAnswer,
} from "../../src/observatory/wire-memory.ts";
import type { Environment } from "./environment.ts";
import type { Get } from "./http.ts";

export type Card = MemoryCard;
export type CardEdge = MemoryEdge;
export type Conflict = MemoryConflict;
export type Decision = ListedDecision;
export type EngineSignal = MemorySignal;
export type Task = MemoryTask;
export type MemoryBranch = BranchesAnswer["branches"][number];
export type Plan = TasksAnswer["plans"][number];
export type Neighbourhood = GraphAnswer;
export type Note = MemoryNote;
export type Rule = MemoryRule;

/** A snapshot of a workspace. */
export type Workspace = {
  name: string;
  plans: readonly Plan[];
  tasks: readonly Task[];
  focus: string | undefined;
  /** The plan or task that the cards belong to. */
  target: string | undefined;
  branches: readonly MemoryBranch[];
  branch: string;
  doc: string;
  cards: readonly Card[];
  edges: readonly CardEdge[];
  hasMore: boolean;
  signals: readonly EngineSignal[];
  /** Conflicts on every branch, the newest first. */
  conflicts: readonly Conflict[];
  conflictsTotal: number;
  /** Decisions, most recently changed first. */
  decisions: readonly Decision[];
  /** Whether the workspace has more tasks than have been read. */
  hasMoreTasks: boolean;
  /** The newest notes of every branch, and how many there are. */
  notes: readonly Note[];
  notesTotal: number;
  /** Pinned cards of every branch. */
  rules: readonly Rule[];
  rulesTotal: number;
  docs: NotesAnswer["docs"];
};
export type MemoryState = "idle" | "loading" | "ready" | "failed";

type Query = Record<string, string | number | undefined>;

/** Milliseconds between polls by an open page, because the memory has no live channel. */
const REFRESH = 5_000;
const CARDS = 1_000;

export function createMemory(
  { get, after }: Pick<Environment, "after"> & { get: Get },
  /** Undefined while the memory is not shown. An empty name is the server's own workspace. */
  wanted: ReadonlySignal<string | undefined>,
) {
  const workspaces = signal<readonly string[]>([]);
  /** Workspaces with content, most recently written first. */
  const inUse = signal<readonly string[]>([]);
  const workspace = signal<Workspace | undefined>(undefined);
  const state = signal<MemoryState>("idle");
  const failure = signal("");
  const branch = signal<string | undefined>(undefined);
  /**
   * The plan or task whose cards are shown. If neither a target nor a branch is set, the cards of the plan or task in
   * focus are shown.
   */
  const target = signal<string | undefined>(undefined);
  const around = signal<Neighbourhood | undefined>(undefined);
  /** Increase this number to read everything again immediately. */
  const attempt = signal(0);
  /**
   * The workspace to show if the address names none. Does not change if agents write to another workspace.
   */
  let opened: string | undefined;

  /**
   * If the server refuses the request, returns `empty`, because an unused workspace is refused too. Throws if `empty` is
   * not given.
   */
  const need = async <Answer>(
    path: string,
    query: Query,
    abort: AbortSignal,
    empty?: Answer,
  ): Promise<Answer> => {
    const fetched = await get<Answer>(`/api/memory/${path}`, query, abort);
    if ("answer" in fetched) return fetched.answer;
    const { status, message } = fetched.failed;
    if (empty !== undefined && status >= 400 && status < 500 && status !== 401) return empty;
    throw new Error(message);
  };

  async function read(
    name: string | undefined,
    { at, of }: { at: string | undefined; of: string | undefined },
    abort: AbortSignal,
  ): Promise<Workspace> {
    const known = await need<WorkspacesAnswer>("workspaces", {}, abort);
    workspaces.value = known.workspaces;
    inUse.value = known.inUse;
    const workspace = name || opened || nameToOpen(known);
    const where = { workspace };
    const pagination = { count: 0, has_more: false };
    const [tasks, branches] = await Promise.all([
      need<TasksAnswer>("tasks", { ...where, all: "true" }, abort, {
        workspace,
        plans: [],
        tasks: [],
        hasMore: false,
      }),
      need<BranchesAnswer>("branches", where, abort, { workspace, branches: [], pagination }),
    ]);
    const shown = of ?? (at === undefined ? tasks.focus : undefined);
    const doc = branches.branches.find(({ name }) => name === at)?.doc;
    const place = shown === undefined ? { branch: at, doc } : { target: shown };
    const [cards, signals] = await Promise.all([
      need<CardsAnswer>("cards", { ...where, ...place, limit: CARDS }, abort, {
        workspace,
        branch: at ?? "",
        doc: "",
        cards: [],
        edges: [],
        pagination,
      }),
      need<SignalsAnswer>("signals", { ...where, ...place }, abort, { workspace, signals: [] }),
    ]);
    const [conflicts, decided, notes] = await Promise.all([
      need<ConflictsAnswer>("conflicts", where, abort, { workspace, total: 0, conflicts: [] }),
      need<DecisionsAnswer>("decisions", where, abort, { decisions: [], pagination }),
      need<NotesAnswer>("notes", where, abort, {
        workspace,
        notes: [],
        total: 0,
        rules: [],
        rulesTotal: 0,
        docs: [],
      }),
    ]);
    return {
      name: cards.workspace,
      plans: tasks.plans,
      tasks: tasks.tasks,
      focus: tasks.focus,
      target: shown,
      branches: branches.branches,
      branch: cards.branch,
      doc: cards.doc,
      cards: cards.cards,
      edges: cards.edges,
      hasMore: cards.pagination.has_more,
      signals: signals.signals,
      conflicts: conflicts.conflicts,
      conflictsTotal: conflicts.total,
      decisions: decided.decisions,
      hasMoreTasks: tasks.hasMore,
      notes: notes.notes,
      notesTotal: notes.total,
      rules: notes.rules,
      rulesTotal: notes.rulesTotal,
      docs: notes.docs,
    };
  }

  const stop = effect(() => {
    const name = wanted.value;
    if (name !== "") opened = undefined;
    // A branch, plan or task belongs to one workspace.
    if (name === "" ? opened === undefined : name !== undefined && name !== workspace.peek()?.name) {
      branch.value = undefined;
      target.value = undefined;
    }
    const place = { at: branch.value, of: target.value };
    attempt.value;
    if (name === undefined) return;
    const abort = new AbortController();
    let cancel = () => {};
    if (state.peek() !== "ready" || workspace.peek()?.name !== (name || workspace.peek()?.name))
      state.value = "loading";
    const refresh = async () => {
      try {
        const next = await read(name, place, abort.signal);
        if (abort.signal.aborted) return;
        workspace.value = next;
        if (name === "") opened = next.name;
        state.value = "ready";
      } catch (error) {
        if (abort.signal.aborted) return;
        failure.value = error instanceof Error ? error.message : String(error);
        if (!workspace.peek()) state.value = "failed";
      }
      cancel = after(REFRESH, () => void refresh());
    };
    void refresh();
    return () => {
      cancel();
      abort.abort();
    };
  });

  // The rail on every page shows the number of workspaces.
  void get<WorkspacesAnswer>("/api/memory/workspaces").then((fetched) => {
    if ("answer" in fetched && workspaces.peek().length === 0) workspaces.value = fetched.answer.workspaces;
  });

  /** Loads everything within three steps of a node. */
  async function lookAround(id: string | undefined) {
    const here = workspace.peek();
    around.value = undefined;
    if (!id || !here) return;
    const query = { workspace: here.name, branch: here.branch, doc: here.doc, id, steps: 3 };
    const fetched = await get<GraphAnswer>("/api/memory/graph", query);
    if ("answer" in fetched) around.value = fetched.answer;
  }

  const again = () => {
    attempt.value = attempt.peek() + 1;
  };
  return { workspaces, inUse, workspace, state, failure, branch, target, around, again, lookAround, stop };
}

/** Returns the server's own workspace or, if that workspace is unused, the most recently written one. */
const nameToOpen = ({ inUse, current }: WorkspacesAnswer): string =>
  inUse.includes(current) ? current : (inUse[0] ?? current);

export type Memory = ReturnType<typeof createMemory>;
