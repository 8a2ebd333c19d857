import { describe, expect, test } from "vitest";
import { createTestApp, fewWays } from "../support/test-app.ts";

describe.each(fewWays)(
  "memory tools called the way models call them: a %s client over %s",
  (era, backend) => {
    test("steps may be plain titles, and a task with steps joins an existing plan or gets a new one", async () => {
      const client = createTestApp({ backend })[era]();
      const first = await client.call("tasks_create", { title: "Slow build", steps: ["Measure", "Fix"] });
      expect(first).toMatchObject({
        target: { id: "TASK-001", kind: "task", parent: "PLAN-001", title: "Slow build" },
        steps: [{ title: "Measure" }, { title: "Fix" }],
      });
      expect(await client.call("tasks_create", { title: "A title alone" })).toMatchObject({
        target: { id: "PLAN-002", kind: "plan" },
      });
      expect(await client.call("tasks_create", { title: "Next", steps: [{ title: "Look" }] })).toMatchObject({
        target: { kind: "task", parent: "PLAN-002" },
      });
      await client.call("tasks_focus_set", { target: "TASK-001" });
      expect(await client.call("tasks_create", { title: "Beside it", steps: ["Look"] })).toMatchObject({
        target: { kind: "task", parent: "PLAN-001" },
      });
    });

    test("steps may be JSON text, as typed on a command line, and a single step needs no list", async () => {
      const client = createTestApp({ backend })[era]();
      const titles = async (steps: string) =>
        (await client.call("tasks_create", { title: "Slow build", steps })).steps.map(
          ({ title }: { title: string }) => title,
        );
      expect(await titles('["a", {"title": "b"}]')).toEqual(["a", "b"]);
      expect(await titles("Measure [the linker]")).toEqual(["Measure [the linker]"]);
      expect(await titles('{"title": "c"}')).toEqual(["c"]);
    });

    test("repeating tasks_create with its idempotencyKey creates no second task or plan", async () => {
      const client = createTestApp({ backend })[era]();
      const call = { title: "Slow build", steps: ["Measure"], idempotencyKey: "once" };
      const first = await client.call("tasks_create", call);
      expect(first).toMatchObject({ target: { id: "TASK-001", parent: "PLAN-001" } });
      expect(await client.call("tasks_create", call)).toMatchObject({ target: first.target });
      const { plans, tasks } = await client.call("tasks_context", { include_all: true });
      expect([...plans, ...tasks].map(({ id }) => id)).toEqual(["PLAN-001", "TASK-001"]);
    });

    test("a task without a parent goes to a new plan if the old one is done", async () => {
      const client = createTestApp({ backend })[era]();
      await client.call("tasks_create", { title: "Old" });
      await client.call("tasks_complete", { target: "PLAN-001" });
      expect(await client.call("tasks_create", { title: "New", steps: ["Look"] })).toMatchObject({
        target: { parent: "PLAN-002" },
      });
    });

    test("a card may be passed as fields, as an object, as text with a type, or as a mix", async () => {
      const client = createTestApp({ backend })[era]();
      const given = [
        { type: "decision", title: "Pool of 80", text: "Forty were taken." },
        { card: { type: "decision", title: "Pool of 90" } },
        { type: "decision", card: "We use a pool of 100." },
        { title: "Pool of 110", card: { type: "decision", tags: ["pool"] } },
      ];
      for (const card of given) {
        const written = await client.call("think_card", card);
        const opened = await client.call("open", { id: written.card_id });
        expect(JSON.stringify(opened)).toContain('"type":"decision"');
      }
      expect(await client.call("think_add_evidence", { title: "40 of 40" })).toMatchObject({
        card_id: "CARD-5",
      });
      expect(await client.refusal("think_card", {})).toMatchObject({ code: "INVALID_PAYLOAD" });
    });

    test("the gateway accepts a dotted operation name and refuses a misspelt one", async () => {
      const client = createTestApp({ backend })[era]();
      const { sessionId } = await client.call("thoughtbox_gateway", { operation: "start_new" });
      expect(
        await client.call("thoughtbox_gateway", {
          operation: "session.export",
          sessionId,
          format: "markdown",
        }),
      ).toMatchObject({ sessionId });
      const error = await client.refusal("thoughtbox_gateway", { operation: "session.exprt", sessionId });
      expect(error).toMatchObject({ code: "INVALID_OPERATION" });
    });
  },
);
