import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, ratioOf } from "../measure/samples.ts";
import { timeEach } from "../measure/timing.ts";
import type { Bench, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { callNoop } from "../servers/rivals.ts";
import type { StdioServer } from "../servers/stdio-server.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { workspace } from "../stores/fill-memory.ts";
import { deepest, graphSizes, openHistory, openNested } from "../stores/known-memories.ts";

const callsInTurn = 10;
const packs = ["think_pack", "think_watch", "context_pack"] as const;

/** BranchMind needed 5.4 s for a think_pack of 4,000 nodes, and its time grew with the square of the number of nodes. */
export const memoryPacks: Row = {
  id: "memory-packs",
  about:
    "packs of a large graph at the end of 32 nested branches, and of nodes that were written fifty times",

  async run(bench) {
    const lines: Line[] = [];
    for (const nodes of graphSizes(bench)) lines.push(...(await ofLargeGraph(bench, nodes)));
    return [...lines, ...(await ofLongHistory(bench))];
  },
};

const turnsOf = (server: StdioServer, ref: string) =>
  packs.map(
    (operation) =>
      [
        operation,
        () => timeEach(callsInTurn, () => callOperation(server, operation, { workspace, ref })),
      ] as const,
  );

async function ofLargeGraph(bench: Bench, nodes: number): Promise<Line[]> {
  const dataDir = bench.stores.copyOf(await openNested(bench, nodes));
  const commands = { ours: candidates.thoughtbox(dataDir), noop: candidates.noop() };
  const { noop = [], ...measured } = await withServers(commands, async ({ ours, noop }) => {
    const turns = Object.fromEntries([
      ...turnsOf(ours, deepest),
      ["noop", () => timeEach(callsInTurn, () => callNoop(noop))],
    ]);
    await interleave(2, turns);
    return interleave(bench.times(20), turns);
  });
  return Object.entries(measured).map(([operation, samples]) => ({
    id: `memory-packs.${operation}-${nodes}`,
    what: `${operation}, ${nodes.toLocaleString("en")} nodes, depth 32`,
    ours: milliseconds(samples),
    against: { name: "no-op call", figure: milliseconds(noop) },
    ratio: ratioOf(samples, noop),
    goal: atMost(20, p50(samples), "ms"),
  }));
}

async function ofLongHistory(bench: Bench): Promise<Line[]> {
  const open = async (versions: number) =>
    candidates.thoughtbox(bench.stores.copyOf(await openHistory(bench, versions)));
  const commands = { once: await open(1), fifty: await open(50) };
  return withServers(commands, async ({ once, fifty }) => {
    const lines: Line[] = [];
    const [short, long] = [turnsOf(once, "main"), turnsOf(fifty, "main")];
    for (const [at, [operation, ofShort]] of short.entries()) {
      const turns = { once: ofShort, fifty: long[at]?.[1] ?? ofShort };
      await interleave(2, turns);
      const measured = await interleave(bench.times(20), turns);
      const ratio = ratioOf(measured.fifty, measured.once);
      lines.push({
        id: `memory-packs.${operation}-history`,
        what: `${operation}, every node written 50 times`,
        ours: milliseconds(measured.fifty),
        against: { name: "Thoughtbox, written once", figure: milliseconds(measured.once) },
        ratio,
        goal: atMost(1.2, ratio),
      });
    }
    return lines;
  });
}
