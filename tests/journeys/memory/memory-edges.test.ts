import { describe, expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";

type Client = ReturnType<ReturnType<typeof createTestApp>["modern"]>;
type Edge = { from: string; to: string };

const ids = Array.from({ length: 30 }, (_, n) => `n${n}`);
const node = (id: string) => ({ op: "node_upsert", id, type: "fact", title: `what is known of ${id}` });
const edge = (from: string, to: string) => ({ op: "edge_upsert", from, rel: "supports", to });

/** Creates thirty nodes, each with edges to the next five. */
async function begin(): Promise<Client> {
  const client = createTestApp().modern();
  const edges = ids.flatMap((from, n) => ids.slice(n + 1, n + 6).map((to) => edge(from, to)));
  await client.call("graph_apply", { ops: [...ids.map(node), ...edges] });
  return client;
}

const nameOf = ({ from, to }: Edge) => `${from} ${to}`;

/** Returns all edges by following the suggestions in shortened answers. */
async function followed(client: Client, args: object): Promise<string[]> {
  const seen: string[] = [];
  for (let asked: object | undefined = args; asked; ) {
    const { edges, suggestions = [] } = await client.call("graph_query", asked);
    seen.push(...edges.map(nameOf));
    asked = suggestions[0]?.args;
  }
  return seen;
}

describe("an answer without room for all edges", () => {
  test("suggests the call that returns the rest", async () => {
    const client = await begin();
    const { edges, edges_total, suggestions } = await client.call("graph_query", { limit: 200 });
    expect(edges.length).toBeLessThan(edges_total);
    expect(suggestions).toMatchObject([{ operation: "graph_query" }]);
    const seen = await followed(client, { limit: 200 });
    expect(seen).toHaveLength(edges_total);
    expect(new Set(seen).size).toBe(edges_total);
  });

  test("keeps the edges of named nodes and drops other nodes instead", async () => {
    const client = await begin();
    const tight = await client.call("graph_query", { touching: ["n3"], max_chars: 1_400 });
    expect(tight.edges).toHaveLength(8);
    expect(tight).toMatchObject({ truncated: true, edges_total: 8, edges_has_more: false });
    expect(tight.pagination).toMatchObject({ count: tight.nodes.length, has_more: true });
  });

  test("returns a cursor for the remaining edges if not even those fit", async () => {
    const client = await begin();
    const seen: string[] = [];
    for (let edges_cursor: number | undefined; ; ) {
      const page = await client.call("graph_query", { touching: ["n3"], max_chars: 700, edges_cursor });
      seen.push(...page.edges.map(nameOf));
      if (!page.edges_has_more) break;
      expect(page.edges_next_cursor).toEqual(expect.any(Number));
      edges_cursor = page.edges_next_cursor;
    }
    expect(new Set(seen).size).toBe(8);
    expect(seen).toHaveLength(8);
  });
});
