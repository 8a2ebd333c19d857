import { systemClock } from "../../src/kernel/clock.ts";
import type { NodeQuery } from "../../src/ports/memory/graph.ts";
import type { MemoryStore } from "../../src/ports/memory/memory-store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, ratioOf, type Samples } from "../measure/samples.ts";
import { timeEach } from "../measure/timing.ts";
import type { Bench, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { callNoop } from "../servers/rivals.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { graphDoc, tagOf, workspace } from "../stores/fill-memory.ts";
import { deepest, graphSizes, openNested } from "../stores/known-memories.ts";
import { wordAt } from "../stores/prose.ts";

const page = 50;
const callsInTurn = 10;
const commonWord = wordAt(3);

const filters: Record<string, Partial<NodeQuery>> = {
  "no filter": {},
  type: { types: ["decision"] },
  status: { status: "open" },
  tag: { tagsAll: [tagOf(7)] },
  "tag and status": { tagsAll: [tagOf(7)], status: "open" },
  text: { text: commonWord },
};

export const memoryPages: Row = {
  id: "memory-pages",
  about: "pages of a graph and of notes at the end of 32 nested branches, at the store and through the door",

  async run(bench) {
    const lines: Line[] = [];
    for (const nodes of graphSizes(bench)) {
      const dataDir = await openNested(bench, nodes);
      lines.push(
        ...(await atTheStore(bench, dataDir, nodes)),
        ...(await throughTheDoor(bench, dataDir, nodes)),
      );
    }
    return lines;
  },
};

async function atTheStore(bench: Bench, dataDir: string, nodes: number): Promise<Line[]> {
  const ledger = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  const { memory } = ledger;
  const query = (more: Partial<NodeQuery>) => () =>
    timeEach(callsInTurn, () => memory.queryNodes(workspace, { ...wholeGraph, ...more }));
  try {
    const cursors = await followCursors(memory);
    const turns: Record<string, () => Promise<number[]>> = {
      ...Object.fromEntries(Object.entries(filters).map(([name, filter]) => [name, query(filter)])),
      "in the middle": query({ before: cursors.middle }),
      "the last page": query({ before: cursors.last }),
    };
    const notes = { branch: deepest, doc: "notes", limit: 20 };
    const show = () => timeEach(callsInTurn, () => memory.readEntries(workspace, notes));
    await interleave(2, { ...turns, show });
    const measured = await interleave(bench.times(20), { ...turns, show });
    return Object.entries(measured).map(([name, samples]) =>
      name === "show"
        ? line(`memory-pages.show-${nodes}`, "newest 20 notes at depth 32, at the store", samples, 1)
        : line(
            `memory-pages.${name.replaceAll(" ", "-")}-${nodes}`,
            `${page} of ${nodes.toLocaleString("en")} nodes at depth 32, at the store: ${name}`,
            samples,
            2,
          ),
    );
  } finally {
    await ledger.close();
  }
}

const wholeGraph: NodeQuery = { branch: deepest, doc: graphDoc, includeDeleted: false, limit: page };

/** Returns the cursors of the middle page and the last page. */
async function followCursors(memory: MemoryStore): Promise<{ middle: number; last: number }> {
  const cursors: number[] = [];
  for (let before: number | undefined; ; ) {
    const { nodes, hasMore } = await memory.queryNodes(workspace, { ...wholeGraph, before });
    before = nodes.at(-1)?.last_seq ?? 0;
    if (!hasMore) break;
    cursors.push(before);
  }
  return { middle: cursors[cursors.length >> 1] ?? 0, last: cursors.at(-1) ?? 0 };
}

const line = (id: string, what: string, samples: Samples, limit: number): Line => ({
  id,
  what,
  ours: milliseconds(samples),
  goal: atMost(limit, p50(samples), "ms"),
});

async function throughTheDoor(bench: Bench, dataDir: string, nodes: number): Promise<Line[]> {
  const commands = { ours: candidates.thoughtbox(bench.stores.copyOf(dataDir)), noop: candidates.noop() };
  const measured = await withServers(commands, async ({ ours, noop }) => {
    const place = { workspace, branch: deepest };
    const ask = (operation: string, args: object) => () =>
      timeEach(callsInTurn, () => callOperation(ours, operation, { ...place, ...args }));
    const turns = {
      query: ask("graph_query", { limit: page }),
      filtered: ask("graph_query", { limit: page, types: ["decision"], tags_any: [tagOf(3)] }),
      text: ask("graph_query", { limit: page, text: commonWord }),
      show: ask("show", { limit: 20 }),
      noop: () => timeEach(callsInTurn, () => callNoop(noop)),
    };
    await interleave(2, turns);
    return interleave(bench.times(20), turns);
  });
  const { noop, ...ours } = measured;
  return Object.entries(ours).map(([name, samples]) => ({
    ...line(
      `memory-pages.door-${name}-${nodes}`,
      `${doorNames[name]}, ${nodes.toLocaleString("en")} nodes, depth 32`,
      samples,
      20,
    ),
    against: { name: "no-op call", figure: milliseconds(noop) },
    ratio: ratioOf(samples, noop),
  }));
}

const doorNames: Record<string, string> = {
  query: `graph_query of ${page}`,
  filtered: `graph_query of ${page} by type and tag`,
  text: `graph_query of ${page} by a common word`,
  show: "show of 20",
};
