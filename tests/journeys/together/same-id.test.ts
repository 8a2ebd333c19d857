import { describe, expect, test } from "vitest";
import { createTestApp, fewWays } from "../../support/test-app.ts";

describe.each(fewWays)("opening an item by a caller's own ID: a %s client over %s", (era, backend) => {
  test("a card opens as a card and a node as a node, whatever their IDs look like", async () => {
    const client = createTestApp({ backend })[era]();
    await client.call("think_card", {
      card: { id: "H1", type: "hypothesis", title: "The pool is too small" },
    });
    expect(await client.call("open", { id: "H1" })).toMatchObject({
      kind: "card",
      card: { title: "The pool is too small" },
    });
    await client.call("graph_apply", {
      ops: [{ op: "node_upsert", id: "CARD-90", type: "host", title: "db-3" }],
    });
    expect(await client.call("open", { id: "CARD-90" })).toMatchObject({
      kind: "node",
      node: { title: "db-3" },
    });
  });

  test("a card may have an ID in the form of a task, job, step, anchor or note if no such item exists", async () => {
    const client = createTestApp({ backend })[era]();
    for (const id of ["TASK-900", "JOB-900", "STEP-00000ABC", "a:nowhere", "notes@900"]) {
      await client.call("think_card", { card: { id, type: "hypothesis", title: `Called ${id}` } });
      expect(await client.call("open", { id })).toMatchObject({
        kind: "card",
        card: { title: `Called ${id}` },
      });
    }
  });

  test("opening an ID that two tasks use lists both cards, and each opens by its ref", async () => {
    const client = createTestApp({ backend })[era]();
    for (const n of [1, 2]) {
      await client.call("tasks_create", { title: `Task ${n}`, steps: ["Look"] });
      await client.call("think_card", {
        target: `TASK-00${n}`,
        card: { id: "H1", type: "hypothesis", title: `Of task ${n}` },
      });
    }
    const opened = await client.call("open", { id: "H1" });
    expect(opened).toMatchObject({ card: { title: "Of task 2" }, also_in: [{ branch: "task/TASK-001" }] });
    const [other] = opened.also_in;
    expect(other).toMatchObject({ type: "hypothesis", title: "Of task 1" });
    expect(await client.call("open", { id: other.ref })).toMatchObject({ node: { title: "Of task 1" } });
  });
});
