import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, ratioOf } from "../measure/samples.ts";
import { timeEach, timeOnce } from "../measure/timing.ts";
import type { Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { callNoop } from "../servers/rivals.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { copyLengths, sessionsOf } from "../stores/known-stores.ts";

const callsInTurn = 20;

export const reading: Row = {
  id: "reading",
  about: "load_context and a page of read_thoughts in a session of 100,000 thoughts",

  async run(bench) {
    const dataDir = await copyLengths(bench);
    const sessionId = sessionsOf(100_000).next().value;
    const ours = candidates.thoughtbox(dataDir);
    /** Runs in a process that has opened the store but not read the session. */
    const loadContext = () =>
      withServers({ ours }, async (servers) => {
        await callOperation(servers.ours, "list_sessions", { limit: 1 });
        return [await timeOnce(() => callOperation(servers.ours, "load_context", { sessionId }))];
      });
    const { loads } = await interleave(bench.times(10), { loads: loadContext });

    const pages = await withServers({ ours, noop: candidates.noop() }, async (servers) => {
      await callOperation(servers.ours, "load_context", { sessionId });
      await callOperation(servers.ours, "cipher", { sessionId });
      const read = (args: object) => () =>
        timeEach(callsInTurn, () => callOperation(servers.ours, "read_thoughts", { sessionId, ...args }));
      return interleave(bench.times(30), {
        newest: read({ last: 20 }),
        middle: read({ range: [50_000, 50_019] }),
        again: () => timeEach(2, () => callOperation(servers.ours, "load_context", { sessionId })),
        noop: () => timeEach(callsInTurn, () => callNoop(servers.noop)),
      });
    });

    const against = { name: "no-op call", figure: milliseconds(pages.noop) };
    return [
      {
        id: "reading.load-context",
        what: "load_context of 100,000 thoughts, first call in a process",
        ours: milliseconds(loads),
        goal: atMost(500, p50(loads), "ms"),
      },
      {
        id: "reading.load-context-again",
        what: "load_context of 100,000 thoughts, again",
        ours: milliseconds(pages.again),
        against,
        ratio: ratioOf(pages.again, pages.noop),
      },
      {
        id: "reading.newest-page",
        what: "read_thoughts, newest 20 of 100,000",
        ours: milliseconds(pages.newest),
        against,
        ratio: ratioOf(pages.newest, pages.noop),
      },
      {
        id: "reading.middle-page",
        what: "read_thoughts, 20 in the middle of 100,000",
        ours: milliseconds(pages.middle),
        against,
        ratio: ratioOf(pages.middle, pages.noop),
      },
    ];
  },
};
