import {
  decode,
  FILTERS,
  type FilesRoute,
  filesOf,
  filesPath,
  type HomeRoute,
  homeOf,
  homeRoute,
  MEMORY_VIEWS,
  type MemoryRoute,
  memoryRoute,
  type NotebooksRoute,
  notebooksOf,
  type SessionsRoute,
  sessionsOf,
} from "./route-lists.ts";

/** A thought's name for users: its number, and its branch unless it is on the main line. */
export type ThoughtName = { branch: string | undefined; number: number };

export type SessionRoute = {
  view: "session";
  session: string;
  /** If undefined, shows the outline on a narrow screen, and the graph on others. */
  as: "graph" | "outline" | undefined;
  thought: ThoughtName | undefined;
  /** The selected moment, as the seq of its newest thought. Undefined means now. */
  moment: number | undefined;
  search: string;
  folded: readonly string[];
};
export type CompareRoute = {
  view: "compare";
  session: string;
  /** The session on the right side, if it is a different one. */
  other: string | undefined;
  left: string | undefined;
  right: string | undefined;
};
export type Route =
  | NotebooksRoute
  | FilesRoute
  | HomeRoute
  | SessionsRoute
  | SessionRoute
  | CompareRoute
  | MemoryRoute
  | { view: "first" };

/** The main line's name in compare addresses. */
export const MAIN_NAME = "main";

const encode = (part: string): string => encodeURIComponent(part).replaceAll(".", "%2E");

const toNumber = (text: string | null | undefined): number | undefined =>
  text != null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

export const sessionRoute = (
  session: string,
  more: Partial<Omit<SessionRoute, "view" | "session">> = {},
): SessionRoute => ({
  view: "session",
  session,
  as: undefined,
  thought: undefined,
  moment: undefined,
  search: "",
  folded: [],
  ...more,
});

/** Parses an address of the page. Invalid addresses lead home. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const parts = path.split("/").slice(1).map(decode);
  const params = new URLSearchParams(query);
  const search = params.get("q")?.slice(0, 200) ?? "";
  const [kind, id, third, fourth] = parts;
  if (parts.includes(undefined)) return homeRoute();
  if (kind === "first") return { view: "first" };
  if (kind === "f") return filesOf(parts.slice(1) as string[], params);
  if (kind === "n") return notebooksOf(parts.slice(1) as string[], params);
  if (kind === "m")
    return memoryRoute({
      workspace: id || undefined,
      item: third || params.get("conflict")?.slice(0, 100) || undefined,
      as: MEMORY_VIEWS.find((name) => name === params.get("view")),
      plan: params.get("plan")?.slice(0, 64) || undefined,
    });
  // Old addresses from when the sessions page was the start page.
  if (kind === "sessions" || (!kind && search !== "")) return sessionsOf(params, search);
  if (kind !== "s" || !id) return homeOf(params);
  if (third === "compare" || (third === "with" && fourth)) {
    const other = third === "with" ? fourth : undefined;
    const [left, right] = (path.split("/")[other ? 5 : 4] ?? "").split("..", 2).map(decode);
    return { view: "compare", session: id, other, left: left || undefined, right: right || undefined };
  }
  const as = params.get("view");
  return sessionRoute(id, {
    as: as === "outline" || as === "graph" ? as : undefined,
    thought: thoughtOf(third, fourth),
    moment: toNumber(params.get("t")),
    search,
    folded: (params.get("fold") ?? "")
      .split(",")
      .flatMap((name) => decode(name) || [])
      .slice(0, 500),
  });
}

function thoughtOf(third: string | undefined, fourth: string | undefined): ThoughtName | undefined {
  const number = toNumber(fourth ?? third);
  if (number === undefined) return undefined;
  return { branch: fourth === undefined ? undefined : third, number };
}

export function formatRoute(route: Route): string {
  switch (route.view) {
    case "first":
      return "#/first";
    case "home":
      return `#/${queryOf([
        ["since", route.since === "visit" ? undefined : route.since],
        ["project", route.project],
        ["show", route.show],
      ])}`;
    case "sessions":
      return `#/sessions${queryOf([
        ...FILTERS.map((name) => [name, route[name].map(encodeURIComponent).join(",")] as const),
        ["from", route.from],
        ["to", route.to],
        ["q", route.search],
        ["sort", route.sort && `${route.isReversed ? "-" : ""}${route.sort}`],
      ])}`;
    case "files":
      return `${filesPath(route)}${queryOf([
        ["l", route.line === undefined ? undefined : `${route.line}${route.to ? `-${route.to}` : ""}`],
        ["at", route.at],
        ["file", route.changes === undefined ? undefined : route.path],
      ])}`;
    case "notebooks":
      return `${["#/n", ...[route.notebook, route.cell].flatMap((part) => (part ? [encode(part)] : []))].join(
        "/",
      )}${queryOf([
        ["v", route.version?.toString()],
        ["run", route.run?.toString()],
      ])}`;
    case "memory":
      return `${[
        "#/m",
        ...[route.workspace, route.item].flatMap((part) => (part ? [encode(part)] : [])),
      ].join("/")}${queryOf([
        ["view", route.as],
        ["plan", route.plan],
      ])}`;
    case "compare": {
      const pair = route.left && route.right ? `/${encode(route.left)}..${encode(route.right)}` : "";
      const beside = route.other ? `with/${encode(route.other)}` : "compare";
      return `#/s/${encode(route.session)}/${beside}${pair}`;
    }
    case "session":
      return formatSession(route);
  }
}

function queryOf(parameters: readonly (readonly [string, string | undefined])[]): string {
  const given = parameters.flatMap(([name, value]) =>
    value ? [`${name}=${encodeURIComponent(value)}`] : [],
  );
  return given.length > 0 ? `?${given.join("&")}` : "";
}

function formatSession({ session, as, thought, moment, search, folded }: SessionRoute): string {
  const path = ["#/s", encode(session)];
  if (thought?.branch !== undefined) path.push(encode(thought.branch));
  if (thought) path.push(String(thought.number));
  const query = [
    as && `view=${as}`,
    moment !== undefined && `t=${moment}`,
    search !== "" && `q=${encodeURIComponent(search)}`,
    // Encoded twice, because the list is split at commas after the first decoding.
    folded.length > 0 && `fold=${folded.map((name) => encodeURIComponent(encode(name))).join(",")}`,
  ].filter(Boolean);
  return path.join("/") + (query.length > 0 ? `?${query.join("&")}` : "");
}

/**
 * Returns whether a change adds a history entry. Opening another place adds a history entry. Changing the
 * view of the same place does not.
 */
export function isNewPlace(from: Route, to: Route): boolean {
  if (from.view !== to.view) return true;
  if (from.view === "session" && to.view === "session") return from.session !== to.session;
  if (from.view === "compare" && to.view === "compare")
    return from.session !== to.session || from.other !== to.other;
  if (from.view === "notebooks" && to.view === "notebooks") return from.notebook !== to.notebook;
  if (from.view === "files" && to.view === "files")
    return (
      from.changes !== to.changes ||
      (to.changes === undefined && (from.path !== to.path || from.at !== to.at))
    );
  if (from.view === "home" && to.view === "home") return from.show !== to.show;
  return from.view === "memory" && to.view === "memory" && from.workspace !== to.workspace;
}
