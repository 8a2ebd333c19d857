import { expect, test } from "vitest";
import type { GraphOp, GraphVersion } from "../../../src/domain/memory/graph.ts";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import { noon, oneOfEachAdapter, openStore, type StoreName } from "../../support/stores/stores.ts";

const workspace = "acme/repo";
const doc = "graph";
const all = 10_000;
const named = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `n${from + n}`);

function open(backend: StoreName) {
  const at = new Date(noon);
  const { memory } = openStore(backend);
  const commit = (step: MemoryStep) => memory.commit(workspace, [step], { at });
  const read = async (branch: string) => {
    const query = { branch, doc, includeDeleted: true, limit: all };
    const { nodes } = await memory.queryNodes(workspace, query);
    return new Map(nodes.map((node) => [(node as { id: string }).id, node]));
  };
  return {
    commit,
    write: (branch: string, ids: readonly string[], title: string) => {
      const ops = ids.map((id): GraphOp => ({ op: "node_upsert", id, type: "fact", title }));
      return commit({ do: "apply_graph", branch, doc, ops });
    },
    merge: (from: string, into: string) =>
      memory.mergeGraph(workspace, { from, into, doc, after: 0, limit: all }, { at }),
    /** Compares both views node by node, and checks that graph_diff's pages contain the same differences. */
    async differences(from: string, to: string): Promise<number> {
      const [theirs, ours] = [await read(from), await read(to)];
      const expected = [...ours]
        .filter(([id, node]) => meaning(node) !== meaning(theirs.get(id)))
        .map(([, { last_seq }]) => last_seq)
        .sort((one, other) => other - one);
      const found: number[] = [];
      for (let before: number | undefined; ; ) {
        const page = await memory.diffGraph(workspace, { from, to, doc, before, limit: 300 });
        found.push(...page.changes.map(({ last_seq }) => last_seq));
        before = found.at(-1);
        if (!page.hasMore) break;
      }
      expect(found, `from ${from} to ${to}`).toEqual(expected);
      return found.length;
    },
  };
}

const meaning = (node: GraphVersion | undefined): string =>
  node?.kind === "node" && !node.deleted ? String(node.title) : "deleted";

test.each(oneOfEachAdapter)(
  "differences are found before, between and after merges, in %s",
  async (backend) => {
    const { commit, write, merge, differences } = open(backend);
    await write("main", named(0, 1_200), "first");
    await commit({ do: "create_branch", name: "side", from: "main" });
    await write("side", named(0, 20), "side");
    await write("main", named(100, 700), "main");
    await merge("side", "main");
    expect(await differences("side", "main")).toBe(600);
    expect(await differences("main", "side")).toBe(600);
    await merge("main", "side");
    expect(await differences("side", "main")).toBe(0);
    expect(await differences("main", "side")).toBe(0);

    await write("side", named(5, 8), "side again");
    await write("main", ["n6", "n50", "new"], "main again");
    expect(await differences("side", "main")).toBe(5);
    expect(await differences("main", "side")).toBe(4);
    await merge("side", "main");
    expect(await differences("side", "main")).toBe(3);
    expect(await differences("main", "side")).toBe(2);

    await write("main", named(0, 1_100), "everything");
    expect(await differences("side", "main")).toBe(1_101);
    expect(await differences("main", "side")).toBe(1_100);
    await merge("main", "side");
    await merge("side", "main");
    expect(await differences("side", "main")).toBe(1);
  },
);
