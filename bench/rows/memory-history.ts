import { systemClock } from "../../src/kernel/clock.ts";
import type { NodeQuery } from "../../src/ports/memory/graph.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { ratioOf } from "../measure/samples.ts";
import { timeEach } from "../measure/timing.ts";
import type { Line, Row } from "../row.ts";
import { graphDoc, tagOf, workspace } from "../stores/fill-memory.ts";
import { openHistory } from "../stores/known-memories.ts";
import { wordAt } from "../stores/prose.ts";

type Ledger = ReturnType<typeof createSqliteStore>;

const callsInTurn = 20;
const wholeGraph: NodeQuery = { branch: "main", doc: graphDoc, includeDeleted: false, limit: 50 };

const pages: Record<string, Partial<NodeQuery>> = {
  "a page": {},
  "a page by tag": { tagsAll: [tagOf(7)] },
  "a page by word": { text: wordAt(3) },
};

export const memoryHistory: Row = {
  id: "memory-history",
  about: "a page of nodes that were written once, five and fifty times",

  async run(bench) {
    const open = async (versions: number) => {
      const path = await openHistory(bench, versions);
      return createSqliteStore({ kind: "directory", path }, systemClock);
    };
    const ledgers = { once: await open(1), five: await open(5), fifty: await open(50) };
    const read =
      ({ memory }: Ledger, more: Partial<NodeQuery>) =>
      () =>
        timeEach(callsInTurn, () => memory.queryNodes(workspace, { ...wholeGraph, ...more }));
    try {
      const lines: Line[] = [];
      for (const [name, filter] of Object.entries(pages)) {
        const turns = {
          once: read(ledgers.once, filter),
          five: read(ledgers.five, filter),
          fifty: read(ledgers.fifty, filter),
        };
        await interleave(2, turns);
        const { once, five, fifty } = await interleave(bench.times(30), turns);
        for (const [times, samples] of [["5", five] as const, ["50", fifty] as const]) {
          const ratio = ratioOf(samples, once);
          lines.push({
            id: `memory-history.${name.replaceAll(" ", "-")}-${times}`,
            what: `${name}, every node written ${times} times`,
            ours: milliseconds(samples),
            against: { name: "Thoughtbox, written once", figure: milliseconds(once) },
            ratio,
            goal: atMost(1.2, ratio),
          });
        }
      }
      return lines;
    } finally {
      for (const ledger of Object.values(ledgers)) await ledger.close();
    }
  },
};
