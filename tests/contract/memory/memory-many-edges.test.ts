import { expect, test } from "vitest";
import type { GraphOp } from "../../../src/domain/memory/graph.ts";
import { maxCountedEdges } from "../../../src/ports/memory/graph.ts";
import { noon, oneOfEachAdapter, openStore } from "../../support/stores/stores.ts";

const workspace = "acme/repo";

test.each(oneOfEachAdapter)(
  "all edges can be paged through, even beyond the number that is counted, in %s",
  async (backend) => {
    const { memory } = openStore(backend);
    const options = { at: new Date(noon) };
    const many = maxCountedEdges + 300;
    const ends = ["hub", "other"].map((id): GraphOp => ({ op: "node_upsert", id, type: "fact" }));
    const edges = Array.from(
      { length: many },
      (_, n): GraphOp => ({ op: "edge_upsert", from: "hub", rel: `r${n}`, to: "other" }),
    );
    await memory.commit(workspace, [{ do: "apply_graph", doc: "graph", ops: [...ends, ...edges] }], options);
    const place = { branch: "main", doc: "graph" };
    for (const asked of [
      { ids: ["hub"], ends: "touching" },
      { ids: ["hub", "other"], ends: "among" },
    ] as const) {
      const seen = new Set<number>();
      for (let before: number | undefined; ; ) {
        const page = await memory.queryEdges(workspace, { ...place, ...asked, before, limit: 1_000 });
        expect(page.total).toBe(maxCountedEdges);
        for (const { last_seq } of page.edges) seen.add(last_seq);
        before = page.edges.at(-1)?.last_seq;
        if (!page.hasMore) break;
      }
      expect(seen.size).toBe(many);
    }
  },
);
