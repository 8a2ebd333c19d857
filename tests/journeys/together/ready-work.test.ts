import { describe, expect, test } from "vitest";
import { refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { createTestApp, fewWays } from "../../support/test-app.ts";

const ids = (lines: readonly { id: string }[]) => lines.map(({ id }) => id);

describe.each(fewWays)("ready work: a %s client over %s", (era, backend) => {
  async function plan() {
    const client = createTestApp({ backend })[era]();
    await client.call("tasks_create", { title: "Logins below 200 ms" });
    const add = (title: string, more: object = {}) =>
      client.call("tasks_create", { parent: "PLAN-001", title, steps: ["Look"], ...more });
    await add("Find the slow query", { priority: "low" });
    await add("Cache the reads", { depends_on: ["TASK-001"] });
    await add("Tell the users", { priority: "high", assignee: "ann" });
    return client;
  }

  test("is listed most urgent first, and waiting work is listed with the reason", async () => {
    const client = await plan();
    await client.call("tasks_step_lease_claim", { target: "TASK-003", path: "s:0", agent_id: "ben" });
    const held = await client.call("tasks_context", { ready: true });
    expect(ids(held.ready)).toEqual(["TASK-001"]);
    expect(held.waiting).toMatchObject([
      { id: "TASK-003", holder: "ben", reason: "ben is working on it." },
      { id: "TASK-002", reason: "Waits for TASK-001." },
    ]);
    await client.call("tasks_step_lease_release", { target: "TASK-003", path: "s:0", agent_id: "ben" });
    expect(ids((await client.call("tasks_context", { ready: true })).ready)).toEqual([
      "TASK-003",
      "TASK-001",
    ]);
    await client.call("tasks_close_step", { target: "TASK-001", path: "s:0", checkpoints: "all" });
    await client.call("tasks_complete", { target: "TASK-001" });
    const { ready, waiting } = await client.call("tasks_context", { ready: true, target: "PLAN-001" });
    expect(ids(ready)).toEqual(["TASK-003", "TASK-002"]);
    expect(waiting).toEqual([]);
  });

  test("cannot be completed before its dependencies, and dependency cycles are refused", async () => {
    const client = await plan();
    await client.call("tasks_close_step", { target: "TASK-002", path: "s:0", checkpoints: "all" });
    expect(await refusalWithCure(client, "tasks_complete", { target: "TASK-002" })).toMatchObject({
      code: "CONFLICT",
      details: { waits_for: "TASK-001" },
    });
    expect((await client.call("tasks_radar", { target: "TASK-002" })).radar.blockers).toContain(
      "TASK-001 is not done",
    );
    const circle = { target: "TASK-001", depends_on: ["TASK-002"] };
    expect(await refusalWithCure(client, "tasks_edit", circle)).toMatchObject({
      code: "INVALID_PAYLOAD",
      details: { cycle: ["TASK-001", "TASK-002", "TASK-001"] },
    });
    for (const depends_on of [["TASK-001"], ["TASK-099"]])
      await refusalWithCure(client, "tasks_edit", { target: "TASK-001", depends_on });
    expect((await client.refusal("tasks_create", { title: "x", depends_on: ["TASK-099"] })).code).toBe(
      "UNKNOWN_ID",
    );
  });

  test("can be assigned and appears in the inbox, and discovered work names the task it was found in", async () => {
    const client = await plan();
    await client.call("tasks_create", {
      ...{ parent: "PLAN-001", title: "An index is missing", steps: ["Add it"] },
      ...{ discovered_from: "TASK-001", assignee: "ann", priority: "P0" },
    });
    const inbox = await client.call("tasks_context", { mine: true, agent_id: "ann" });
    expect(inbox.tasks).toMatchObject([{ id: "TASK-003" }, { id: "TASK-004", discovered_from: "TASK-001" }]);
    const { ready } = await client.call("tasks_context", { mine: true, ready: true, agent_id: "ann" });
    expect(ids(ready)).toEqual(["TASK-004", "TASK-003"]);
    expect((await client.refusal("tasks_context", { mine: true })).code).toBe("INVALID_PAYLOAD");
    await client.call("tasks_edit", { target: "TASK-004", assignee: "ben" });
    expect(ids((await client.call("tasks_context", { mine: true, agent_id: "ben" })).tasks)).toEqual([
      "TASK-004",
    ]);
  });

  test("changes the status of its plan: active with the first step, done with the last task, active again with a new one", async () => {
    const client = await plan();
    const statusOf = async () => (await client.call("open", { id: "PLAN-001" })).target.status;
    expect(await statusOf()).toBe("TODO");
    const close = (target: string) =>
      client.call("tasks_close_step", { target, path: "s:0", checkpoints: "all" });
    expect(await close("TASK-001")).toMatchObject({ plan: { id: "PLAN-001", status: "ACTIVE" } });
    expect(await statusOf()).toBe("ACTIVE");
    expect((await client.call("tasks_complete", { target: "TASK-001" })).plan).toBeUndefined();
    await client.call("tasks_complete", { target: "TASK-003", status: "CANCELED" });
    await close("TASK-002");
    expect(await client.call("tasks_complete", { target: "TASK-002" })).toMatchObject({
      plan: { id: "PLAN-001", status: "DONE" },
    });
    expect(await statusOf()).toBe("DONE");
    const events = (await client.call("tasks_delta")).events.filter(
      ({ target }: { target: string }) => target === "PLAN-001",
    );
    expect(events).toMatchObject([
      { kind: "plan_created" },
      { kind: "plan_active", data: { from: "TODO", to: "ACTIVE", because_of: "TASK-001" } },
      { kind: "plan_done", data: { because_of: "TASK-002" } },
    ]);
    expect(await client.call("tasks_create", { parent: "PLAN-001", title: "One more" })).toMatchObject({
      plan: { status: "ACTIVE" },
    });
    await client.call("tasks_complete", { target: "PLAN-001", status: "PARKED" });
    await client.call("tasks_complete", { target: "TASK-004" });
    expect(await statusOf()).toBe("PARKED");
  });

  test("the inbox lists notes to an agent, notes with its @name and messages to its jobs", async () => {
    const client = await plan();
    const note = (more: object) =>
      client.call("tasks_note", { target: "TASK-001", agent_id: "ben", ...more });
    await note({ note: "The index is there.\nTry again.", to: "ann" });
    await note({ note: "Could @ann, look at this?" });
    await note({ note: "Nothing for @anna or ann@example.org" });
    await client.call("tasks_note", { target: "TASK-001", agent_id: "ann", note: "To myself, @ann" });
    await client.call("tasks_jobs_create", { title: "Review", prompt: "Try to break it." });
    await client.call("tasks_jobs_claim", { runner_id: "ann" });
    await client.call("tasks_jobs_message", { job: "JOB-001", message: "Look at the pool first." });
    const { messages } = await client.call("tasks_context", { mine: true, agent_id: "ann" });
    const about = (text: string) => messages.find((one: { text: string }) => one.text === text);
    expect(messages).toHaveLength(3);
    expect(about("The index is there.")).toMatchObject({ about: "TASK-001", from: "ben" });
    expect(about("Could @ann, look at this?")).toBeDefined();
    expect(about("Look at the pool first.")).toMatchObject({ about: "JOB-001" });
    for (const { id } of messages) await client.call("open", { id });
    expect((await client.call("tasks_context", { mine: true, agent_id: "cid" })).messages).toBeUndefined();
  });
});
