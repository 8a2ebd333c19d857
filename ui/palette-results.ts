import type { Command } from "./command.ts";
import { keysOf } from "./keys.ts";
import { NONE } from "./model/columns.ts";
import { gist } from "./model/gist.ts";
import { searchThoughts } from "./model/search.ts";
import { REJECTED, type TypeLetter, typeLetter } from "./model/thought-types.ts";
import type { Observatory } from "./observatory.ts";
import { MAIN_NAME, sessionRoute } from "./route.ts";
import { livenessOf } from "./state/liveness.ts";
import type { Hit } from "./state/search.ts";
import { countOf } from "./text/count-words.ts";

export type Result = {
  id: string;
  words: string;
  sub?: string;
  type?: TypeLetter;
  icon?: string;
  keys?: readonly string[];
  run: () => void;
  /** Opens the result's branch in the compare view. */
  beside?: () => void;
};
/** `hasUncounted`: there are more results than `more`. */
export type Group = { name: string; results: readonly Result[]; more: number; hasUncounted?: boolean };

const SHOWN = 3;

const group = (name: string, results: readonly Result[], shown = SHOWN): Group => ({
  name,
  results: results.slice(0, shown),
  more: Math.max(0, results.length - shown),
});

/** Returns the palette's results for the typed text. `elsewhere` contains the server's hits. */
export function paletteResults(
  o: Observatory,
  commands: readonly Command[],
  typed: string,
  elsewhere: { hits: readonly Hit[]; hasMore: boolean },
): Group[] {
  const query = typed
    .trim()
    .replace(/^[>@#]/, "")
    .trim()
    .toLowerCase();
  const kind = typed.trim()[0];
  const groups =
    typed.trim() === ""
      ? [
          group("Recent", recentThoughts(o), 5),
          group("Thinking or open", sessions(o, "", true), 5),
          group("Do", mostUsed(o, commands)),
        ]
      : kind === ">"
        ? [group("Do", does(commands, query), 12)]
        : kind === "@"
          ? [group("Sessions", sessions(o, query, false), 8)]
          : kind === "#"
            ? [group("Thoughts", byName(o, query), 8)]
            : [
                group("Thoughts", [...byName(o, query), ...thoughts(o, query)]),
                group("Branches", branches(o, query)),
                group("Do", does(commands, query)),
                group("Sessions", sessions(o, query, false)),
                { ...group("Elsewhere", hits(o, elsewhere.hits, query)), hasUncounted: elsewhere.hasMore },
              ];
  return groups.filter(({ results }) => results.length > 0);
}

function thought(o: Observatory, index: number): Result {
  const here = o.watching.peek();
  const { text, type } = here?.session.columns.peek() ?? { text: [], type: [] };
  const name = here?.nameOf(index);
  return {
    id: `thought-${index}`,
    words: gist(text[index] ?? ""),
    sub: name ? [name.branch, name.number].filter((part) => part !== undefined).join(" ") : "",
    type: typeLetter(type[index] ?? 0),
    run: () => o.select(index, { open: true }),
    beside: () => {
      if (here && name?.branch)
        o.navigation.go({
          view: "compare",
          session: here.session.id,
          other: undefined,
          left: MAIN_NAME,
          right: name.branch,
        });
    },
  };
}

const inSession = (o: Observatory) => (o.route.peek().view === "session" ? o.watching.peek() : undefined);

function recentThoughts(o: Observatory): Result[] {
  const id = inSession(o)?.session.id;
  return o.recent.peek().flatMap(({ session, index }) => (session === id ? [thought(o, index)] : []));
}

/** Finds thoughts by name: `26`, `#26` or `lease-expiry 20`. */
function byName(o: Observatory, query: string): Result[] {
  const columns = inSession(o)?.session.columns.peek();
  const match = /^(?:(.+)\s)?(\d{1,9})$/.exec(query);
  if (!columns || !match) return [];
  const chains = columns.chains.flatMap(({ id }, chain) =>
    match[1] === undefined || id.toLowerCase() === match[1] ? [chain] : [],
  );
  return chains
    .map((chain) => columns.find(chain, Number(match[2])))
    .filter((index) => index !== NONE)
    .map((index) => thought(o, index));
}

function thoughts(o: Observatory, query: string): Result[] {
  const here = inSession(o);
  if (!here || query === "") return [];
  return searchThoughts(here.session.columns.peek(), query, here.moment.peek())
    .reverse()
    .map((index) => thought(o, index));
}

function branches(o: Observatory, query: string): Result[] {
  const here = inSession(o);
  if (!here) return [];
  const { chains, type } = here.session.columns.peek();
  return chains.flatMap(({ id, thoughts: own, parentChain }) => {
    if (id === "" || !id.toLowerCase().includes(query)) return [];
    const last = own.at(-1) ?? 0;
    const fate =
      type[last] === REJECTED
        ? " · dead end"
        : own.some((i) => typeLetter(type[i] ?? 0) === "C")
          ? " · concluded"
          : "";
    return [
      {
        id: `branch-${id}`,
        words: id,
        sub: countOf(own.length, "thought") + fate,
        icon: "fork",
        run: () => o.select(own[0] ?? NONE, { open: true }),
        beside: () =>
          o.navigation.go({
            view: "compare",
            session: here.session.id,
            other: undefined,
            left: chains[parentChain]?.id || MAIN_NAME,
            right: id,
          }),
      },
    ];
  });
}

const does = (commands: readonly Command[], query: string): Result[] =>
  commands.flatMap(({ id, words, icon, isOffered, run }) =>
    words?.toLowerCase().includes(query) && isOffered?.() !== false
      ? [{ id: `do-${id}`, words, keys: keysOf(id).slice(0, 1), run, ...(icon !== undefined && { icon }) }]
      : [],
  );

function mostUsed(o: Observatory, commands: readonly Command[]): Result[] {
  const used = o.settings.used.peek();
  const count = ({ id }: Result) => used[id] ?? 0;
  return does(commands, "").sort((a, b) => count(b) - count(a));
}

function sessions(o: Observatory, query: string, openOnly: boolean): Result[] {
  const list = o.server.peek()?.sessions.list.peek() ?? [];
  return list.flatMap((session) =>
    session.title.toLowerCase().includes(query) &&
    (!openOnly || ["thinking", "open"].includes(livenessOf(session, o.environment.now())))
      ? [
          {
            id: `session-${session.id}`,
            words: session.title,
            sub: countOf(session.thoughtCount, "thought"),
            icon: "sessions",
            run: () => o.navigation.go(sessionRoute(session.id)),
          },
        ]
      : [],
  );
}

function hits(o: Observatory, elsewhere: readonly Hit[], query: string): Result[] {
  const here = o.watching.peek()?.session.id;
  return elsewhere.flatMap(({ sessionId, sessionTitle, thought: found, snippet }) =>
    found && sessionId !== here
      ? [
          {
            id: `hit-${found.id}`,
            words: gist(snippet.replace(/[«»]/g, "")),
            sub: sessionTitle,
            icon: "search",
            run: () =>
              o.navigation.go(
                sessionRoute(sessionId, {
                  thought: { branch: found.branchId, number: found.thoughtNumber },
                  search: query,
                }),
              ),
          },
        ]
      : [],
  );
}
