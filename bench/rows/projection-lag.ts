import { setTimeout as sleep } from "node:timers/promises";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { timeNewFiles } from "../measure/file-creation.ts";
import { interleave } from "../measure/interleave.ts";
import { p99 } from "../measure/samples.ts";
import { timeOnce } from "../measure/timing.ts";
import type { Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { startThinking } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";

/** Milliseconds after which the file writer is idle. */
const idleMs = 400;

export const projectionLag: Row = {
  id: "projection-lag",
  about: "from the acknowledgement of a thought to its JSON file, when nothing else happens",

  async run(bench) {
    const dataDir = bench.stores.freshDirectory();
    const { lag } = await withServers({ ours: candidates.thoughtbox(dataDir) }, async ({ ours }) => {
      const session = await startThinking(ours, dataDir);
      const follow = async () => {
        await sleep(idleMs);
        await session.think();
        return [await timeOnce(session.whenProjected)];
      };
      return interleave(bench.times(50), { lag: follow });
    });
    return [
      {
        id: "projection-lag",
        what: "acknowledged → JSON file, idle",
        ours: milliseconds(lag),
        goal: atMost(100, p99(lag), "ms (p99)"),
      },
      {
        id: "projection-lag.file",
        what: "(a new empty file next to the store)",
        ours: milliseconds([await timeNewFiles(dataDir)]),
      },
    ];
  },
};
