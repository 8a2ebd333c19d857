import { type Columns, MAIN, NONE } from "../columns.ts";

/** An agent's action between two thoughts. */
export type Action = {
  type: "edit" | "command" | "refusal" | "record" | "fork" | "notice" | "commit";
  call: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Milliseconds until the next thought or action. */
  took: number;
  /** Index of the thought before it, or `NONE`. */
  after: number;
  branch: string | undefined;
  path: string | undefined;
  change: "edit" | "create" | "delete" | undefined;
  written: number;
  removed: number;
  command: string;
  failed: boolean;
  exit: number | undefined;
  tests: boolean;
  commit: string | undefined;
  said: string;
};

export type Done = {
  all: readonly Action[];
  /** Actions by the thought that they follow. */
  after: ReadonlyMap<number, readonly Action[]>;
};

export const nothingDone: Done = { all: [], after: new Map() };

type Raw = Omit<Action, "took" | "after"> & {
  follows: { thoughtNumber: number; branchId?: string } | undefined;
};

/** Assigns actions to the thoughts that they follow, each with the time until the next thought or action. */
export function placeActions(columns: Columns, raw: readonly Raw[]): Done {
  const moments = [...columns.time.subarray(0, columns.size), ...raw.map(({ at }) => at)].sort(
    (a, b) => a - b,
  );
  const next = (at: number): number => {
    let [low, high] = [0, moments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((moments[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    return moments[low] ?? at;
  };
  const after = new Map<number, Action[]>();
  const all = raw.map(({ follows, ...action }): Action => {
    const chain = follows?.branchId === undefined ? MAIN : columns.chainOf(follows.branchId);
    const thought = follows && chain !== undefined ? columns.find(chain, follows.thoughtNumber) : NONE;
    const placed = { ...action, after: thought, took: next(action.at) - action.at };
    const group = after.get(thought);
    if (group) group.push(placed);
    else after.set(thought, [placed]);
    return placed;
  });
  return { all, after };
}

export type Parts = { thinking: number; editing: number; running: number; waiting: number; whole: number };

/** How a session spent its time. The four parts add up to the whole. */
export function timeParts(columns: Columns, { all }: Done, isUser: (thought: number) => boolean): Parts {
  type Moment = { at: number; is: "thought" | Action["type"]; user: boolean };
  const moments: Moment[] = all.map(({ at, type }) => ({ at, is: type, user: false }));
  for (let i = 0; i < columns.size; i++)
    moments.push({ at: columns.time[i] as number, is: "thought", user: isUser(i) });
  moments.sort((a, b) => a.at - b.at);
  const parts: Parts = { thinking: 0, editing: 0, running: 0, waiting: 0, whole: 0 };
  for (let i = 0; i + 1 < moments.length; i++) {
    const [here, next] = [moments[i] as Moment, moments[i + 1] as Moment];
    const span = next.at - here.at;
    const part =
      next.user || here.is === "refusal"
        ? "waiting"
        : here.is === "edit"
          ? "editing"
          : here.is === "command"
            ? "running"
            : "thinking";
    parts[part] += span;
    parts.whole += span;
  }
  return parts;
}

export type ChangedFile = { path: string; written: number; removed: number; edits: number };

/** Changed files, those with the most changes first. */
export function filesChanged(actions: readonly Action[]): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { type, path, written, removed } of actions) {
    if (type !== "edit" || path === undefined) continue;
    const file = files.get(path) ?? { path, written: 0, removed: 0, edits: 0 };
    files.set(path, {
      path,
      written: file.written + written,
      removed: file.removed + removed,
      edits: file.edits + 1,
    });
  }
  return [...files.values()].sort((a, b) => b.written + b.removed - a.written - a.removed);
}

export type Tally = {
  edits: number;
  tests: number;
  failedTests: number;
  commands: number;
  commits: number;
  refused: number;
  recorded: number;
  took: number;
};

export function tallyOf(actions: readonly Action[]): Tally {
  const count = (is: (action: Action) => boolean) => actions.filter(is).length;
  return {
    edits: count(({ type }) => type === "edit"),
    tests: count(({ tests }) => tests),
    failedTests: count(({ tests, failed }) => tests && failed),
    commands: count(({ type, tests, commit }) => type === "command" && !tests && commit === undefined),
    commits: count(({ commit }) => commit !== undefined),
    refused: count(({ type }) => type === "refusal"),
    recorded: count(({ type }) => type === "record"),
    took: actions.reduce((sum, { took }) => sum + took, 0),
  };
}
