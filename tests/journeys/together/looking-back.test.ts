import { describe, expect, test } from "vitest";
import { createTestApp, doors } from "../../support/test-app.ts";

type Json = Record<string, never>;

const node = (id: string, title: string, more: object = {}) => ({
  op: "node_upsert",
  id,
  type: "fact",
  title,
  ...more,
});
const edge = (from: string, to: string) => ({ op: "edge_upsert", from, rel: "supports", to });
const titles = ({ nodes }: { nodes: Json[] }) => nodes.map(({ id, title }) => `${id} ${title}`).sort();

describe.each(doors)("looking back over %s", (backend) => {
  const begin = () => createTestApp({ backend }).modern();

  test("a graph can be read as it was after a write or at a time", async () => {
    const client = begin();
    const apply = (ops: object[], more: object = {}) => client.call("graph_apply", { ops, ...more });
    const first = await apply([node("a", "one"), node("b", "one"), edge("a", "b")]);
    const [second] = [await apply([node("a", "two"), { op: "node_delete", id: "b" }, node("c", "new pool")])];
    const at = (as_of: unknown, more: object = {}) => client.call("graph_query", { as_of, ...more });

    expect(titles(await at(first.last_seq))).toEqual(["a one", "b one"]);
    expect((await at(first.last_seq)).edges).toMatchObject([{ from: "a", to: "b" }]);
    expect(titles(await at(String(second.last_seq)))).toEqual(titles(await client.call("graph_query", {})));
    expect(titles(await at(second.last_seq))).toEqual(["a two", "c new pool"]);
    expect((await at(second.last_seq)).edges).toEqual([]);
    expect(titles(await at(second.last_seq, { text: "pool" }))).toEqual(["c new pool"]);
    expect(titles(await at(first.last_seq, { ids: ["a"] }))).toEqual(["a one"]);
    expect(titles(await at("2000-01-01"))).toEqual([]);
    expect(titles(await at("2999-01-01T00:00:00Z"))).toEqual(["a two", "c new pool"]);
    expect(await client.refusal("graph_query", { as_of: "Tuesday" })).toMatchObject({
      code: "INVALID_PAYLOAD",
    });

    const pages = [await at(second.last_seq, { limit: 1 })];
    pages.push(await at(second.last_seq, { limit: 1, cursor: pages[0].pagination.next_cursor }));
    expect(pages.flatMap(titles).sort()).toEqual(["a two", "c new pool"]);
    expect(pages.map(({ pagination }) => pagination.has_more)).toEqual([true, false]);
  });

  test("an as_of that is neither a number nor a time is refused with an example", async () => {
    const refused = await begin().refusal("graph_query", { as_of: "tuesday" });
    expect(refused.message).toContain("as_of must be a number such as 1204");
  });

  test("the history of a branch includes its base up to the fork", async () => {
    const client = begin();
    const first = await client.call("graph_apply", { ops: [node("a", "one")] });
    const second = await client.call("graph_apply", { ops: [node("a", "two")] });
    await client.call("branch_create", { name: "try" });
    await client.call("graph_apply", { ops: [node("a", "main goes on")] });
    const third = await client.call("graph_apply", { branch: "try", ops: [node("a", "tried")] });
    const shown = async (as_of: number) => titles(await client.call("graph_query", { branch: "try", as_of }));
    expect(await shown(first.last_seq)).toEqual(["a one"]);
    expect(await shown(third.last_seq - 1)).toEqual(["a two"]);
    expect(await shown(second.last_seq)).toEqual(["a two"]);
    expect(await shown(third.last_seq)).toEqual(["a tried"]);
  });

  test("the versions of a card show what changed, when, on which branch and by whom", async () => {
    const client = begin();
    const card = { id: "CARD-Q", type: "question", title: "Why?" };
    await client.call("think_card", { card, agent_id: "ann" });
    await client.call("branch_create", { name: "try" });
    await client.call("think_set_status", { targets: ["CARD-Q"], status: "answered", ref: "try" });
    await client.call("graph_apply", { ops: [node("CARD-Q", "Why not?", { type: "question" })] });
    const { versions } = await client.call("versions", { id: "CARD-Q" });
    expect(versions).toMatchObject([
      { branch: "main", title: "Why not?", changed: expect.arrayContaining(["title"]) },
      { branch: "try", status: "answered", changed: ["status"] },
      { branch: "main", title: "Why?", agent: "ann", ts: expect.stringMatching(/^20/) },
    ]);
    expect(versions[0].agent).not.toBe("ann");
    const opened = await client.call("open", { id: versions[2].ref });
    expect(opened).toMatchObject({ kind: "graph_version", node: { title: "Why?" } });

    const first = await client.call("versions", { id: "CARD-Q", limit: 2 });
    const rest = await client.call("versions", { id: "CARD-Q", cursor: first.pagination.next_cursor });
    expect([...first.versions, ...rest.versions]).toEqual(versions);
    await client.call("branch_delete", { name: "try" });
    expect((await client.call("versions", { id: "CARD-Q" })).versions).toHaveLength(2);
    expect(await client.refusal("versions", { id: "CARD-none" })).toMatchObject({ code: "UNKNOWN_ID" });
  });

  test("a walk shows neighbours, nearest first, and stops at its depth and its limit", async () => {
    const client = begin();
    const ids = ["a", "b", "c", "d", "e"];
    await client.call("graph_apply", {
      ops: [...ids.map((id) => node(id, id)), edge("a", "b"), edge("c", "b"), edge("c", "d")],
    });
    const walked = async (more: object) => {
      const { nodes, edges, beyond } = await client.call("walk", { id: "a", ...more });
      return { near: nodes.map(({ id, distance }: Json) => `${id}${distance}`), edges: edges.length, beyond };
    };
    expect(await walked({ depth: 1 })).toEqual({ near: ["a0", "b1"], edges: 1, beyond: 0 });
    expect(await walked({})).toEqual({ near: ["a0", "b1", "c2"], edges: 2, beyond: 0 });
    expect(await walked({ depth: 5 })).toEqual({ near: ["a0", "b1", "c2", "d3"], edges: 3, beyond: 0 });
    expect(await walked({ depth: 5, limit: 2 })).toMatchObject({ near: ["a0", "b1"], beyond: 1 });
    expect(await client.refusal("walk", { id: "z" })).toMatchObject({ code: "UNKNOWN_ID" });
  });
});
