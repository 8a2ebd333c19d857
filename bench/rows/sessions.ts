import { milliseconds } from "../figures.ts";
import { interleave } from "../measure/interleave.ts";
import { ratioOf } from "../measure/samples.ts";
import { timeEach } from "../measure/timing.ts";
import type { Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import type { Params, Result } from "../servers/messages.ts";
import { callNoop } from "../servers/rivals.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { librarySession, openLibrary } from "../stores/known-stores.ts";
import { wordAt } from "../stores/prose.ts";

const callsInTurn = 10;
const query = `${wordAt(10)} ${wordAt(40)}`;

/** The calls to measure, completely over stdio, in a store with many sessions. */
const calls: readonly { operation: string; id: string; about: string; args: (n: number) => Params }[] = [
  { operation: "session.list", id: "list", about: "newest 20", args: () => ({ limit: 20 }) },
  {
    operation: "session.list",
    id: "list-words",
    about: "by a word of the title",
    args: () => ({ limit: 20, search: wordAt(40) }),
  },
  {
    operation: "session.get",
    id: "get",
    about: "a different one each time",
    args: (n) => ({ sessionId: librarySession((n * 37) % 1_000) }),
  },
  {
    operation: "session.search",
    id: "search-newest",
    about: "two words, newest first",
    args: () => ({ query, order: "newest" }),
  },
  { operation: "session.search", id: "search-ranked", about: "two words, ranked", args: () => ({ query }) },
];

export const sessions: Row = {
  id: "sessions",
  about: "session.list, session.get and session.search as whole calls, among many sessions",

  async run(bench) {
    const library = await openLibrary(bench);
    // The next run reads this store again, so this row must not start a session to unlock a stage.
    const ours = candidates.thoughtbox(library.path, { THOUGHTBOX_DISCLOSURE: "open" });
    const measured = await withServers({ ours, noop: candidates.noop() }, async (servers) => {
      let n = 0;
      const turn = (operation: string, args: (n: number) => Params) => () =>
        timeEach(callsInTurn, () => {
          n += 1;
          return callOperation(servers.ours, operation, args(n));
        });
      const turns = Object.fromEntries(calls.map(({ id, operation, args }) => [id, turn(operation, args)]));
      const noop = () => timeEach(callsInTurn, () => callNoop(servers.noop));
      for (const { operation, args } of calls)
        requireFound(operation, await callOperation(servers.ours, operation, args(0)));
      return interleave<string>(bench.times(30), { ...turns, noop });
    });
    const noop = measured["noop"] ?? [];
    const many = library.sessions.toLocaleString("en");
    return calls.map(({ operation, id, about }) => {
      const samples = measured[id] ?? [];
      return {
        id: `sessions.${id}`,
        what: `${operation}, ${about}, among ${many} sessions`,
        ours: milliseconds(samples),
        against: { name: "no-op call", figure: milliseconds(noop) },
        ratio: ratioOf(samples, noop),
      };
    });
  },
};

/** Throws if nothing was found, because an empty result is fast and would flatter the figures. */
function requireFound(operation: string, { session, sessions, hits }: Result): void {
  if (session || sessions?.length > 0 || hits?.length > 0) return;
  throw new Error(`${operation} found nothing in the generated store`);
}
