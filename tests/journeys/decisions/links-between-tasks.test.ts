import { describe, expect, test } from "vitest";
import { createTestApp, doors } from "../../support/test-app.ts";

type Client = ReturnType<ReturnType<typeof createTestApp>["modern"]>;

/** Creates three tasks: one has evidence, another a hypothesis, and two have cards with the same ID. */
async function threeTasks(client: Client): Promise<void> {
  await client.call("tasks_create", { title: "Plan" });
  for (const task of ["One", "Two", "Three"])
    await client.call("tasks_create", { parent: "PLAN-001", title: task });
  const card = (target: string, id: string, type: string, title: string) =>
    client.call("think_card", { target, card: { id, type, title } });
  await card("TASK-001", "E1", "evidence", "The pool was full at 9:00");
  await card("TASK-002", "H1", "hypothesis", "The pool is too small");
  await card("TASK-002", "BOTH", "note", "Of the second task");
  await card("TASK-003", "BOTH", "note", "Of the third task");
}

const link = { target: "TASK-001", from: "E1", rel: "supports", to: "H1" };

describe.each(doors)("a link between cards of two tasks over %s", (backend) => {
  test("is shown by both cards and in the packs of both tasks", async () => {
    const client = createTestApp({ backend }).modern();
    await threeTasks(client);
    const made = await client.call("think_link", { ...link, message: "Same graph in both weeks." });
    expect(made).toMatchObject({
      graph_doc: "TASK-001-graph",
      edge: { from: "E1", rel: "supports", to: "H1" },
      to_branch: "task/TASK-002",
      to_doc: "TASK-002-graph",
    });
    expect((await client.call("open", { id: "E1" })).links).toEqual([
      {
        rel: "supports",
        to: "H1",
        branch: "task/TASK-002",
        doc: "TASK-002-graph",
        title: "The pool is too small",
        status: "open",
      },
    ]);
    expect((await client.call("open", { id: "H1" })).links).toMatchObject([
      { rel: "supports", from: "E1", branch: "task/TASK-001", title: "The pool was full at 9:00" },
    ]);
    const one = JSON.stringify(await client.call("think_pack", { target: "TASK-001" }));
    expect(one).toContain("supports H1 (task/TASK-002)");
    const two = JSON.stringify(await client.call("context_pack", { target: "TASK-002" }));
    expect(two).toContain("E1 supports this (task/TASK-001)");
    expect(await client.call("graph_validate", { target: "TASK-001" })).toMatchObject({ ok: true });
  });

  test("made twice is written once", async () => {
    const client = createTestApp({ backend }).modern();
    await threeTasks(client);
    const first = await client.call("think_link", link);
    expect(await client.call("think_link", link)).toEqual(first);
    expect((await client.call("open", { id: "E1" })).links).toHaveLength(1);
    expect((await client.call("versions", { id: "H1" })).versions).toHaveLength(2);
  });

  test("to an ID that several tasks use needs to_target", async () => {
    const client = createTestApp({ backend }).modern();
    await threeTasks(client);
    const vague = await client.refusal("think_link", { ...link, to: "BOTH" });
    expect(vague).toMatchObject({ code: "INVALID_PAYLOAD" });
    expect(vague.message).toContain("to_target");
    await client.call("think_link", { ...link, to: "BOTH", to_target: "TASK-003" });
    expect((await client.call("open", { id: "E1" })).links).toMatchObject([{ title: "Of the third task" }]);
    const unknown = await client.refusal("think_link", { ...link, to: "NONE" });
    expect(unknown).toMatchObject({ code: "UNKNOWN_ID" });
    const elsewhere = await client.refusal("think_link", { ...link, to_target: "TASK-003" });
    expect(elsewhere).toMatchObject({ code: "UNKNOWN_ID" });
  });

  test("puts a card in doubt if the decision that supports it is reversed", async () => {
    const client = createTestApp({ backend }).modern();
    await threeTasks(client);
    const words = { chosen: "x", because: "y" };
    const old = await client.call("decide", { ...words, title: "One pool", target: "TASK-001" });
    await client.call("think_link", { ...link, from: old.id });
    const { sessionId } = old;
    await client.call("decide", {
      ...words,
      sessionId,
      title: "No pool",
      reverses: old.id,
      target: "TASK-001",
    });
    expect(await client.call("open", { id: "H1" })).toMatchObject({ rests_on_reversed: [{ id: old.id }] });
  });

  test("stays readable after the other card is gone", async () => {
    const client = createTestApp({ backend }).modern();
    await threeTasks(client);
    await client.call("think_link", link);
    await client.call("graph_apply", {
      target: "TASK-001",
      ops: [{ op: "node_delete", id: "E1" }],
    });
    expect((await client.call("open", { id: "H1" })).links).toMatchObject([{ from: "E1", deleted: true }]);
  });
});
