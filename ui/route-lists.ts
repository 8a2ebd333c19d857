import { isDay, PERIODS, type Period } from "./state/pages/home.ts";
import { FACETS } from "./state/pages/listing.ts";
import { agentId } from "./text/agent-names.ts";

/** Routes of list pages. The query of the address contains the filters and options of the list. */
export type FilesRoute = {
  view: "files";
  path: string | undefined;
  line: number | undefined;
  /** The last line, if several are selected. */
  to?: number | undefined;
  /** If set, the file is shown as it was at this commit. */
  at?: string | undefined;
  /** A commit range, instead of a file. Empty for the default range. `path` is then the file to show first. */
  changes?: string | undefined;
};

export type NotebooksRoute = {
  view: "notebooks";
  notebook: string | undefined;
  cell: string | undefined;
  /** An older version of the cell. */
  version?: number | undefined;
  /** A run of the cell, by the time at which it began. */
  run?: number | undefined;
};

export const MEMORY_VIEWS = ["board", "cards", "notes"] as const;
export type MemoryRoute = {
  view: "memory";
  workspace: string | undefined;
  /** The ID of a task, a card or a conflict. */
  item: string | undefined;
  /** If undefined, shows the board if there is a plan, and the cards if not. */
  as: (typeof MEMORY_VIEWS)[number] | undefined;
  plan: string | undefined;
};
export const SORTS = ["last", "started", "thoughts", "took", "title", "match"] as const;
export type Sort = (typeof SORTS)[number];
/** Filters that can have several values. */
export const FILTERS = ["project", "agent", "model", "state", "tag"] as const;
export type Filter = (typeof FILTERS)[number];
export type SessionsRoute = {
  view: "sessions";
  search: string;
  /** Days such as `2026-11-02`, both inclusive. */
  from: string | undefined;
  to: string | undefined;
  sort: Sort | undefined;
  isReversed: boolean;
} & Record<Filter, readonly string[]>;
export const NEWS = ["concluded", "givenUp", "contradicted", "unanswered", "tasks", "conflicts"] as const;
export type News = (typeof NEWS)[number];
/** Conclusions and dead ends in one list. */
export const SETTLED = "concluded,givenUp";
export type HomeRoute = {
  view: "home";
  since: Period;
  project: string | undefined;
  /** The section to show as a complete list. */
  show: News | typeof SETTLED | undefined;
};

export const decode = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
};

/** Parses `l=14` or `l=14-21`. */
function linesOf(text: string): Pick<FilesRoute, "line" | "to"> {
  const [, from, to] = /^(\d{1,8})(?:-(\d{1,8}))?$/.exec(text) ?? [];
  if (from === undefined) return { line: undefined };
  return { line: Number(from), ...(to !== undefined && Number(to) > Number(from) && { to: Number(to) }) };
}

/** Parses `#/f/src/pool.ts?l=14-21` or `#/f/changes/main...HEAD`. A path may also be one encoded part. */
export function filesOf(parts: readonly string[], params: URLSearchParams): FilesRoute {
  const [first, second = ""] = parts;
  const isChanges =
    first === "changes" && (parts.length === 1 || (parts.length === 2 && second.includes("..")));
  const isCommit = first === "changes" && parts.length === 2 && /^[0-9a-f]{7,64}$/.test(second);
  if (isChanges || isCommit)
    return {
      view: "files",
      path: params.get("file")?.slice(0, 1_024) || undefined,
      line: undefined,
      changes: second.slice(0, 200),
    };
  const commit = /^[\w./~^-]{4,100}$/.exec(params.get("at") ?? "")?.[0];
  return {
    view: "files",
    path: parts.join("/").slice(0, 1_024) || undefined,
    ...linesOf(params.get("l") ?? ""),
    ...(commit !== undefined && { at: commit }),
  };
}

/** Formats the address without its query. */
export function filesPath({ path, changes }: FilesRoute): string {
  const encode = (part: string) => encodeURIComponent(part).replaceAll("%40", "@");
  if (changes !== undefined) return `#/f/changes${changes === "" ? "" : `/${encode(changes)}`}`;
  if (path === undefined) return "#/f";
  const readable = `#/f/${path.split("/").map(encode).join("/")}`;
  // A file in a folder with this name would look like a range.
  return /^changes(?:\/|$)/.test(path) ? `#/f/${encode(path)}` : readable;
}

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;

/** Parses `#/n/{notebook}/{cell}?v=3&run=1794999777533`. */
export function notebooksOf([notebook, cell]: readonly string[], params: URLSearchParams): NotebooksRoute {
  const [version, run] = [numberOf(params.get("v")), numberOf(params.get("run"))];
  return {
    view: "notebooks",
    notebook: notebook || undefined,
    cell: cell || undefined,
    ...(version !== undefined && { version }),
    ...(run !== undefined && { run }),
  };
}

export const memoryRoute = (more: Partial<Omit<MemoryRoute, "view">> = {}): MemoryRoute => ({
  view: "memory",
  workspace: undefined,
  item: undefined,
  as: undefined,
  plan: undefined,
  ...more,
});

export const homeRoute = (more: Partial<Omit<HomeRoute, "view">> = {}): HomeRoute => ({
  view: "home",
  since: "visit",
  project: undefined,
  show: undefined,
  ...more,
});

export const sessionsRoute = (more: Partial<Omit<SessionsRoute, "view">> = {}): SessionsRoute => ({
  view: "sessions",
  search: "",
  project: [],
  agent: [],
  model: [],
  state: [],
  tag: [],
  from: undefined,
  to: undefined,
  sort: undefined,
  isReversed: false,
  ...more,
});

/** Returns the route without the filter that is shown last. */
export function withoutLastFilter(route: SessionsRoute): SessionsRoute {
  if (route.to !== undefined) return { ...route, to: undefined };
  if (route.from !== undefined) return { ...route, from: undefined };
  const last = FACETS.findLast((name) => route[name].length > 0);
  return last === undefined ? route : { ...route, [last]: route[last].slice(0, -1) };
}

const dayOf = (text: string | null): `${number}-${number}-${number}` | undefined =>
  text !== null && isDay(text) ? text : undefined;

export function sessionsOf(params: URLSearchParams, search: string): SessionsRoute {
  const list = (name: string) =>
    (params.get(name) ?? "")
      .split(",")
      .flatMap((part) => decode(part) || [])
      .slice(0, 50);
  const sort = params.get("sort") ?? "";
  const known = SORTS.find((name) => name === sort.replace(/^-/, ""));
  return sessionsRoute({
    search,
    project: list("project"),
    agent: list("agent").map(agentId),
    model: list("model"),
    state: list("state"),
    tag: list("tag"),
    from: dayOf(params.get("from")),
    to: dayOf(params.get("to")),
    sort: known,
    isReversed: known !== undefined && sort.startsWith("-"),
  });
}

export function homeOf(params: URLSearchParams): HomeRoute {
  return homeRoute({
    since: PERIODS.find((period) => period === params.get("since")) ?? dayOf(params.get("since")) ?? "visit",
    project: params.get("project")?.slice(0, 200) || undefined,
    show: params.get("show") === SETTLED ? SETTLED : NEWS.find((name) => name === params.get("show")),
  });
}
