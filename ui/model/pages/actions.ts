import { type Columns, MAIN, NONE } from "../columns.ts";

/** An agent's action between two thoughts. */
export type Action = {
  type: "edit" | "command" | "refusal" | "record" | "fork" | "notice" | "commit" | "read";
  call: string;
  /** Milliseconds since 1970. */
  at: number;
  /**
   * Milliseconds from the call to its result. If the transcript does not contain the result, the time until
   * the next thought or action.
   */
  took: number;
  /** Index of the thought before the action, or `NONE`. */
  after: number;
  branch: string | undefined;
  path: string | undefined;
  /** Files that were read one after the other. */
  paths: readonly string[];
  change: "edit" | "create" | "delete" | undefined;
  written: number;
  removed: number;
  command: string;
  failed: boolean;
  exit: number | undefined;
  tests: boolean;
  results: { failed: number; passed: number } | undefined;
  commit: string | undefined;
  said: string;
};

export type Done = {
  /** All actions, in the order in which they began. */
  all: readonly Action[];
  /** Actions, keyed by the thought that they follow. */
  after: ReadonlyMap<number, readonly Action[]>;
};

export const nothingDone: Done = { all: [], after: new Map() };

type Raw = Omit<Action, "took" | "after"> & {
  took: number | undefined;
  follows: { thoughtNumber: number; branchId?: string } | undefined;
};

/**
 * Assigns actions to the thoughts that they follow. Sorts the actions by time first, because a session that
 * was imported twice stores its reads last.
 */
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
  const all = raw
    .toSorted((a, b) => a.at - b.at)
    .map(({ follows, ...action }): Action => {
      const chain = follows?.branchId === undefined ? MAIN : columns.chainOf(follows.branchId);
      const thought = follows && chain !== undefined ? columns.find(chain, follows.thoughtNumber) : NONE;
      const placed = { ...action, after: thought, took: action.took ?? next(action.at) - action.at };
      const group = after.get(thought);
      if (group) group.push(placed);
      else after.set(thought, [placed]);
      return placed;
    });
  return { all, after };
}

/**
 * The time between a thought and the next one in its line. If there is no next one, the time until the last action
 * ended.
 */
export type Gap = { from: number; to: number; next: number };

export function gapAfter(columns: Columns, thought: number, actions: readonly Action[]): Gap {
  const line = columns.chains[columns.chain[thought] ?? MAIN]?.thoughts ?? [];
  const next = line[(columns.place[thought] ?? 0) + 1] ?? NONE;
  const ends = actions.map(({ at, took }) => at + took);
  const from = columns.time[thought] ?? actions[0]?.at ?? 0;
  return { from, to: next === NONE ? Math.max(from, ...ends) : (columns.time[next] ?? from), next };
}

/** Joins neighbouring reads, which are shown as one. */
export function joinReads(actions: readonly Action[]): Action[] {
  const joined: Action[] = [];
  for (const action of actions) {
    const last = joined.at(-1);
    if (action.type !== "read" || last?.type !== "read") joined.push(action);
    else
      joined[joined.length - 1] = {
        ...last,
        paths: [...new Set([...last.paths, ...action.paths])],
        took: action.at + action.took - last.at,
      };
  }
  return joined;
}

export type Parts = { thinking: number; editing: number; running: number; waiting: number; whole: number };

const partOf: Partial<Record<Action["type"], keyof Parts>> = {
  edit: "editing",
  read: "editing",
  command: "running",
  refusal: "waiting",
};

type Span = { from: number; to: number };

/** Milliseconds. A longer write includes waiting for the user's permission, because writing is instant. */
const LONGEST_EDIT = 10_000;

/** Returns how a session, or a part of it, spent its time. The four parts add up to the whole. */
export function timeParts(
  columns: Columns,
  { all }: Pick<Done, "all">,
  isUser: (thought: number) => boolean,
  within: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
): Parts {
  type Moment = { at: number; does?: keyof Parts | undefined; took: number; user: boolean };
  const moments: Moment[] = all.map(({ at, type, took }) => ({ at, does: partOf[type], took, user: false }));
  for (let i = 0; i < columns.size; i++)
    moments.push({ at: columns.time[i] as number, took: 0, user: isUser(i) });
  moments.sort((a, b) => a.at - b.at);
  const last = moments.at(-1);
  if (last && last.took > 0) moments.push({ at: last.at + last.took, took: 0, user: false });
  const inside = moments.filter(({ at }) => at >= within.from && at <= within.to);
  const parts: Parts = { thinking: 0, editing: 0, running: 0, waiting: 0, whole: 0 };
  for (let i = 0; i + 1 < inside.length; i++) {
    const [here, next] = [inside[i] as Moment, inside[i + 1] as Moment];
    const span = next.at - here.at;
    const busy = here.does ? Math.min(here.took, span) : 0;
    const own = here.does === "editing" ? Math.min(busy, LONGEST_EDIT) : busy;
    if (here.does) parts[here.does] += own;
    parts.waiting += busy - own;
    parts[next.user ? "waiting" : "thinking"] += span - busy;
    parts.whole += span;
  }
  return parts;
}

export type ChangedFile = { path: string; written: number; removed: number; edits: number };

/** Returns the changed files, those with the most changes first. */
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
  reads: number;
  tests: number;
  failedTests: number;
  commands: number;
  commits: number;
  refused: number;
  recorded: number;
};

export function tallyOf(actions: readonly Action[]): Tally {
  const count = (is: (action: Action) => boolean) => actions.filter(is).length;
  return {
    edits: count(({ type }) => type === "edit"),
    reads: actions.reduce((sum, { paths }) => sum + paths.length, 0),
    tests: count(({ tests }) => tests),
    failedTests: count(({ tests, failed }) => tests && failed),
    commands: count(({ type, tests, commit }) => type === "command" && !tests && commit === undefined),
    commits: count(({ commit }) => commit !== undefined),
    refused: count(({ type }) => type === "refusal"),
    recorded: count(({ type }) => type === "record"),
  };
}

/** Counts actions. A read counts once per file, as in `tallyOf`. */
export const countDeeds = (actions: readonly Action[]): number =>
  actions.reduce((sum, { paths }) => sum + Math.max(1, paths.length), 0);

/** The number of following thoughts that may report a failed command. Calls can run in parallel. */
const REPORTED_WITHIN = 6;

/**
 * Returns the next thoughts in the action's line. Any of these thoughts may report how a failed command
 * ended.
 */
export function mayReport(columns: Columns, { after, branch }: Action): readonly number[] {
  const own = branch === undefined ? undefined : columns.chainOf(branch);
  const chain = after === NONE ? MAIN : (own ?? columns.chain[after] ?? MAIN);
  const line = columns.chains[chain]?.thoughts ?? [];
  const from = after !== NONE && columns.chain[after] === chain ? (columns.place[after] ?? -1) + 1 : 0;
  return line.slice(from, from + REPORTED_WITHIN);
}

/**
 * Returns the output that a thought quotes: the lines that begin with `>` after a line such as `S6|O|S5|`npm test`
 * failed.`
 */
export function quotedOutput(text: string, command: string): string[] | undefined {
  const [head = "", ...lines] = text.split("\n");
  if (!head.includes(`\`${command.replaceAll("`", "'")}\` failed.`)) return undefined;
  return lines.map((line) => line.replace(/^> ?/, ""));
}

const tellsWhy = /\b(?:fail(?:ed|ure|s)?|error|expected|assert\w*|panic\w*|exception|not ok)\b|[✗×✘]/i;
const SHOWN_LINES = 2;

/** Returns the lines that best show why a command failed: the first one that names a failure, and the next. */
export function failingLines(output: readonly string[]): readonly string[] {
  const lines = output.filter((line) => line.trim() !== "" && !/^(?:Error: )?Exit code \d+$/.test(line));
  const at = lines.findIndex((line) => tellsWhy.test(line));
  return lines.slice(Math.max(0, at), Math.max(0, at) + SHOWN_LINES);
}

/** Returns the first line of a command's commit message. In the command, `⏎` stands for a line break. */
export const commitSubject = (command: string): string =>
  /<<-?\s*['"\\]?\w+['"]?\s*[⏎\n]\s*([^⏎\n]+)/.exec(command)?.[1] ??
  / -\w*m\s*(?:"([^"⏎\n]+)|'([^'⏎\n]+))/.exec(command)?.slice(1).find(Boolean) ??
  command;
